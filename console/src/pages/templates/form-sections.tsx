import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { Section } from '../../parts/section.tsx';
import { Note } from '../../parts/text.tsx';
import {
  fieldOf,
  ItemSelect,
  Labelled,
  NewRow,
  NumberField,
  OptionFilter,
  Pair,
  RateTable,
  RemoveRow,
  SoftPityTable,
  TierSelect,
  useTemplateForm,
} from './form-fields.tsx';
import { SYSTEMS } from './systems.ts';
import { newKey, type TemplateType } from './template-values.ts';

/** The look of several fields that belong together. */
const GROUP = { gap: 'xs', p: 'sm', bg: 'var(--console-sunken)', bdrs: 'md', role: 'group' } as const;

const hasSoftPity = (type: TemplateType): boolean => type === 'gacha' || type === 'idle';

/** A quick start: adds every option of a classifier as a tier. */
const WholeClassifiers = () => {
  const { form, options } = useTemplateForm();
  const add = (tiers: readonly { readonly id: string; readonly multiplier: number }[]) =>
    form.setFieldValue(
      'baseRates',
      tiers.map(({ id, multiplier }) => ({ key: newKey(), tier: id, rate: multiplier })),
    );
  return (
    <Group gap="xs">
      {[...Map.groupBy(options.values(), ({ classifierName }) => classifierName)].map(([name, members]) => (
        <Button key={name} variant="default" size="xs" onClick={() => add(members)}>
          All of {name}
        </Button>
      ))}
    </Group>
  );
};

const TierSection = () => {
  const { form, isReadOnly } = useTemplateForm();
  const rows = form.values.baseRates;
  return (
    <Section
      title="Tiers"
      about="Rates are relative to their sum. Within a tier, items are chosen by weight. Without tiers, all items are in one pool."
    >
      <RateTable path="baseRates" rows={rows} addLabel="Add a tier" isAny />
      {rows.length === 0 && !isReadOnly && <WholeClassifiers />}
    </Section>
  );
};

const LowerPities = () => {
  const shared = useTemplateForm();
  return (
    <Stack gap="md">
      {shared.form.values.pities.map(({ key, tier, softPity }, place) => {
        const name = shared.options.get(tier)?.name ?? `pity ${place + 1}`;
        const path = `pities.${place}`;
        return (
          <Stack key={key} {...GROUP} aria-label={`Pity of ${name}`}>
            <Group gap="xs" wrap="nowrap" align="flex-start">
              <TierSelect path={`${path}.tier`} label={`Tier of pity ${place + 1}`} />
              <NumberField
                path={`${path}.threshold`}
                w={120}
                aria-label={`Threshold of ${name}`}
                prefix="by roll"
                min={1}
                isWhole
              />
              <RemoveRow path="pities" place={place} label={`Remove the pity of ${name}`} />
            </Group>
            <SoftPityTable path={`${path}.softPity`} rows={softPity} of={name} />
            <Checkbox label="A rarer result resets it" {...fieldOf(shared, `${path}.higherResets`, 'checkbox')} />
          </Stack>
        );
      })}
      <NewRow path="pities" row={{ tier: '', threshold: 10, softPity: [], higherResets: false }}>
        Add one, such as 10 for Epic
      </NewRow>
    </Stack>
  );
};

const PitySection = () => {
  const shared = useTemplateForm();
  const { roll, rolls } = SYSTEMS[shared.type];
  return (
    <Section
      title="Pity"
      about={`What protects players from long streaks of bad luck. The top tier is the rarest; ${rolls} without it are counted.`}
    >
      <NumberField
        path="pityThreshold"
        label="Hard pity"
        description={`The ${roll} by which the top tier is certain.`}
        placeholder="none"
        max={1000}
        isWhole
        maw={260}
      />
      {hasSoftPity(shared.type) && (
        <>
          <Labelled label="Soft pity">
            <SoftPityTable path="softPity" rows={shared.form.values.softPity} of="the top tier" />
          </Labelled>
          <TierSelect path="pityTier" label="Tier that pity is for" isLabelHidden={false} placeholder="the rarest" />
          <Labelled label="Hard pity of lower tiers">
            <LowerPities />
          </Labelled>
          <TextInput
            label="Pity group"
            description="Templates of the same group share a player's counters."
            {...fieldOf(shared, 'pityGroup')}
          />
        </>
      )}
    </Section>
  );
};

const FeaturedSection = () => {
  const { type } = useTemplateForm();
  return (
    <Section title="Featured items">
      <ItemSelect path="featuredItemIds" label="Featured" none="Choose items" />
      {hasSoftPity(type) && (
        <Pair>
          <NumberField
            path="featuredShare"
            label="Featured share"
            description="Of the top tier; 50 % is a 50/50."
            placeholder="by weight"
            suffix="%"
            max={100}
          />
          <NumberField
            path="guaranteeAfterLosses"
            label="Guarantee"
            description="After so many losses in a row, the next is featured."
            placeholder="none"
            min={1}
            max={10}
            isWhole
          />
        </Pair>
      )}
      <Pair>
        <NumberField
          path="rateUpMultiplier"
          label="Rate-up"
          description="Multiplies the weights of featured items."
          placeholder="1"
          prefix="×"
        />
        <NumberField
          path="sparkCurrency"
          label="Spark"
          description={`The number of ${SYSTEMS[type].rolls} after which players may choose a featured item.`}
          placeholder="none"
          isWhole
        />
      </Pair>
    </Section>
  );
};

const PackSection = () => {
  const shared = useTemplateForm();
  return (
    <Section
      title="Slots"
      about="A pack contains its slots in order. A slot without its own rates uses those of the tiers."
    >
      {shared.form.values.slots.map(({ key, count, rates }, place) => (
        <Stack key={key} {...GROUP} aria-label={`Slot ${place + 1}`}>
          <Group justify="space-between" align="flex-start">
            <NumberField
              path={`slots.${place}.count`}
              w={150}
              aria-label={`Cards in slot ${place + 1}`}
              suffix={Number(count) === 1 ? 'card' : 'cards'}
              min={1}
              max={20}
              isWhole
            />
            <RemoveRow path="slots" place={place} label={`Remove slot ${place + 1}`} />
          </Group>
          <RateTable path={`slots.${place}.rates`} rows={rates} addLabel="Add a rate for this slot" />
          <OptionFilter
            path={`slots.${place}.classifierOptionIds`}
            label={`Only items with these options, in slot ${place + 1}`}
          />
        </Stack>
      ))}
      <NewRow path="slots" row={{ count: 1, rates: [], classifierOptionIds: [] }}>
        Add a slot
      </NewRow>
      <Checkbox label="No item twice in a pack" {...fieldOf(shared, 'unique', 'checkbox')} />
    </Section>
  );
};

const OfferSection = () => (
  <Section title="Offer">
    <NumberField
      path="choices"
      label="Choices"
      description="Number of different items."
      placeholder="3"
      min={1}
      max={20}
      isWhole
      maw={260}
    />
    <Labelled label="Scaling by depth">
      <Note>The rate of a tier is multiplied by its factor once per depth.</Note>
      <RateTable
        path="depthScaling"
        rows={useTemplateForm().form.values.depthScaling}
        addLabel="Add a factor"
        isFactor
      />
    </Labelled>
  </Section>
);

const IdleSection = () => (
  <Section title="Accrual">
    <Pair>
      <NumberField path="rollsPerHour" label="Rolls per hour" withAsterisk />
      <NumberField path="maxHours" label="Maximum hours" placeholder="24" />
    </Pair>
  </Section>
);

const PoolSection = () => {
  const shared = useTemplateForm();
  return (
    <Section title="Pool and time" about="By default the pool contains all items, and the template is always open.">
      <OptionFilter path="pool.classifierOptionIds" label="Only items with these options" />
      <ItemSelect path="pool.itemIds" label="Only these items" none="any" />
      <Pair>
        <TextInput type="datetime-local" label="Opens" {...fieldOf(shared, 'startsAt')} />
        <TextInput type="datetime-local" label="Closes" {...fieldOf(shared, 'endsAt')} />
      </Pair>
    </Section>
  );
};

/** The sections of each system, in the order in which a designer thinks of them. */
export const SECTIONS: Record<TemplateType, readonly (() => ReactNode)[]> = {
  gacha: [TierSection, PitySection, FeaturedSection, PoolSection],
  card_pack: [TierSection, PackSection, PitySection, FeaturedSection, PoolSection],
  roguelike: [TierSection, OfferSection, PitySection, FeaturedSection, PoolSection],
  idle: [IdleSection, TierSection, PitySection, FeaturedSection, PoolSection],
};
