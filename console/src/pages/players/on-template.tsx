import { Select, Switch } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import type { Schemas } from '../../api/client.ts';
import { useChange, useItems } from '../../api/requests.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { formatMany } from '../../parts/format.ts';
import { NumberField } from '../../parts/number-field.tsx';
import { because, ReasonField, validReason } from '../../parts/reason.tsx';

interface OnTemplateProps {
  readonly userId: string;
  readonly template: Schemas['Template'];
  readonly state: Schemas['UserTemplateState'];
  readonly onClose: () => void;
}

/** An empty field is a text; what else is wrong, the field says itself. */
type Field = number | string;
const isGiven = (value: Field): string | null => (value === '' ? 'Enter a number' : null);

/** As many rolls as one request may make. */
const MOST_ROLLS = 100;

/** Rolls for a player, as the game would. */
export const RollFor = ({ userId, template, onClose }: OnTemplateProps) => {
  const isIdle = template.type === 'idle';
  const form = useForm({
    initialValues: { count: 1 as Field, grant: template.type !== 'roguelike', reason: '' },
    validate: { count: isGiven, reason: validReason },
  });
  const roll = useChange({
    run: (api, { count, grant, reason }: typeof form.values) =>
      api.templates.roll(
        template.id,
        { userId, ...(!isIdle && { count: Number(count) }), ...(grant && { grant }) },
        because(reason),
      ),
    done: ({ rolls }) => `${formatMany(rolls.length, 'item')} rolled: ${rolls.map(({ item }) => item.name).join(', ')}`,
  });
  return (
    <FormDialog
      title={`Roll on ${template.name} for ${userId}`}
      action="Roll"
      failed="Could not roll"
      form={form}
      change={roll}
      onClose={onClose}
    >
      {!isIdle && (
        <NumberField
          label="How many"
          min={1}
          max={MOST_ROLLS}
          isWhole
          withAsterisk
          data-autofocus
          {...form.getInputProps('count')}
        />
      )}
      {template.type !== 'roguelike' && (
        <Switch
          label="Give what is rolled to the player"
          description="In no bag. Counters change in any case."
          {...form.getInputProps('grant', { type: 'checkbox' })}
        />
      )}
      <ReasonField form={form} />
    </FormDialog>
  );
};

/** Exchanges spark points of a player for a featured item. */
export const RedeemSpark = ({ userId, template, state, onClose }: OnTemplateProps) => {
  const items = useItems().data?.rows ?? [];
  const config = template.config as { featuredItemIds?: string[]; sparkCurrency?: number };
  const featured = new Set(config.featuredItemIds);
  const form = useForm({
    initialValues: { itemId: null as string | null, reason: '' },
    validate: { itemId: isNotEmpty('Choose an item'), reason: validReason },
  });
  const redeem = useChange({
    run: (api, { itemId, reason }: typeof form.values) =>
      api.templates.spark(template.id, { userId, itemId: itemId ?? '' }, because(reason)),
    done: () => 'Spark redeemed',
  });
  return (
    <FormDialog
      title={`Redeem spark on ${template.name}`}
      action="Redeem"
      failed="Could not redeem it"
      form={form}
      change={redeem}
      onClose={onClose}
    >
      <Select
        label="Featured item"
        description={`Costs ${formatMany(config.sparkCurrency ?? 0, 'point')} of ${formatMany(state.sparkPoints, 'point')}.`}
        withAsterisk
        searchable
        data-autofocus
        data={items.filter(({ id }) => featured.has(id)).map(({ id, name }) => ({ value: id, label: name }))}
        {...form.getInputProps('itemId')}
      />
      <ReasonField form={form} />
    </FormDialog>
  );
};

const MOST = 1_000_000;

/** The lower tiers with a pity of their own, with their names. */
const lowerOf = ({ pities }: OnTemplateProps['state']) =>
  pities.map(({ tier, tierName, since }) => ({ tier, name: tierName ?? 'a deleted tier', since }));

/** Sets counters of a player by hand. What the template does not count has no field. */
export const SetCounters = ({ userId, template, state, onClose }: OnTemplateProps) => {
  const { sinceTop, losses, sparkPoints } = state;
  const lower = lowerOf(state);
  const config = template.config as { featuredItemIds?: string[]; sparkCurrency?: number };
  const hasFeatured = (config.featuredItemIds ?? []).length > 0 || losses > 0;
  const hasSpark = config.sparkCurrency !== undefined;
  const form = useForm({
    initialValues: {
      sinceTop: sinceTop as Field,
      losses: losses as Field,
      sparkPoints: sparkPoints as Field,
      pities: lower.map(({ tier, since }) => ({ tier, since: since as Field })),
      reason: '',
    },
    validate: {
      ...{ sinceTop: isGiven, losses: isGiven, sparkPoints: isGiven },
      pities: { since: isGiven },
      reason: validReason,
    },
  });
  const set = useChange({
    run: (api, { reason, pities, ...values }: typeof form.values) => {
      const before: Record<string, number> = { sinceTop, losses, sparkPoints };
      const changed = Object.entries(values).flatMap(([name, value]) =>
        before[name] === value ? [] : [[name, Number(value)] as const],
      );
      const lowerChanged = pities
        .filter(({ since }, place) => since !== lower[place]?.since)
        .map(({ tier, since }) => ({ tier, since: Number(since) }));
      if (changed.length + lowerChanged.length === 0) throw new Error('Nothing was changed.');
      const body = { ...Object.fromEntries(changed), ...(lowerChanged.length > 0 && { pities: lowerChanged }) };
      return api.users.setCounters(userId, template.id, body, because(reason));
    },
    done: () => 'Counters set',
  });
  const top = state.next[0]?.tierName ?? 'the top tier';
  const count = { min: 0, max: MOST, isWhole: true, withAsterisk: true } as const;
  return (
    <FormDialog
      title={`Set counters of ${userId} on ${template.name}`}
      action="Set counters"
      failed="Could not set them"
      form={form}
      change={set}
      onClose={onClose}
    >
      <NumberField {...count} label={`Rolls without ${top}`} data-autofocus {...form.getInputProps('sinceTop')} />
      {lower.map(({ tier, name }, place) => (
        <NumberField
          {...count}
          key={tier}
          label={`Rolls without ${name}`}
          {...form.getInputProps(`pities.${place}.since`)}
        />
      ))}
      {hasFeatured && (
        <NumberField {...count} label={`${top} in a row that were not featured`} {...form.getInputProps('losses')} />
      )}
      {hasSpark && <NumberField {...count} label="Spark points" {...form.getInputProps('sparkPoints')} />}
      <ReasonField form={form} />
    </FormDialog>
  );
};
