import { Button, Checkbox, Group, Input, MultiSelect, NumberInput, SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schemas } from '../../interface/client.ts';
import { Note } from '../../parts/note.tsx';
import { Section } from '../../parts/section.tsx';
import {
  fieldOf,
  NewRow,
  OptionFilter,
  RateTable,
  RemoveRow,
  SoftPityTable,
  type TemplateForm,
  TierSelect,
} from './form-fields.tsx';
import { SYSTEMS } from './systems.ts';
import { newKey, type TemplateType } from './template-values.ts';

interface SectionProps {
  readonly shared: TemplateForm;
  readonly type: TemplateType;
  readonly items: readonly Schemas['Item'][];
}

/** The look of several fields that belong together. */
const GROUP = { gap: 'xs', p: 'sm', bg: 'var(--console-sunken)', bdrs: 'md', role: 'group' } as const;

const tiersIn = ({ form }: TemplateForm): string[] => form.values.tiers.map(({ tier }) => tier);

/** A quick start: adds every option of a classifier as a tier. */
const WholeClassifiers = ({ shared }: { shared: TemplateForm }) => {
  const classifiers = Map.groupBy(shared.options.values(), ({ classifierName }) => classifierName);
  return (
    <Group gap="xs">
      {[...classifiers].map(([name, options]) => (
        <Button
          key={name}
          variant="default"
          size="xs"
          onClick={() =>
            shared.form.setFieldValue(
              'tiers',
              options.map(({ id, multiplier }) => ({ key: newKey(), tier: id, rate: multiplier })),
            )
          }
        >
          All of {name}
        </Button>
      ))}
    </Group>
  );
};

export const TierSection = ({ shared }: SectionProps) => (
  <Section
    title="Tiers"
    about="Rates are relative to their sum. Within a tier, items are chosen by weight. Without tiers, all items are in one pool."
  >
    <RateTable
      shared={shared}
      path="tiers"
      rows={shared.form.values.tiers}
      valueName="Rate"
      isRelative
      newRate={1}
      addLabel="Add a tier"
    />
    {shared.form.values.tiers.length === 0 && !shared.isReadOnly && <WholeClassifiers shared={shared} />}
  </Section>
);

const LowerPities = ({ shared }: { shared: TemplateForm }) => {
  const { form, isReadOnly, options } = shared;
  return (
    <Stack gap="md">
      {form.values.pities.map(({ key, tier, softPity, higherResets }, place) => {
        const name = options.get(tier)?.name ?? `pity ${place + 1}`;
        return (
          <Stack key={key} {...GROUP} aria-label={`Pity of ${name}`}>
            <Group gap="xs" wrap="nowrap" align="flex-start">
              <TierSelect
                shared={shared}
                path={`pities.${place}.tier`}
                label={`Tier of pity ${place + 1}`}
                among={tiersIn(shared)}
              />
              <NumberInput
                w={120}
                aria-label={`Threshold of ${name}`}
                prefix="by roll "
                min={1}
                allowDecimal={false}
                {...fieldOf(shared, `pities.${place}.threshold`)}
              />
              <RemoveRow shared={shared} path="pities" place={place} label={`Remove the pity of ${name}`} />
            </Group>
            <SoftPityTable shared={shared} path={`pities.${place}.softPity`} rows={softPity} of={name} />
            <Checkbox
              label="A rarer result resets it"
              checked={higherResets}
              disabled={isReadOnly}
              onChange={(event) => form.setFieldValue(`pities.${place}.higherResets`, event.currentTarget.checked)}
            />
          </Stack>
        );
      })}
      <NewRow shared={shared} path="pities" row={{ tier: '', threshold: 10, softPity: [], higherResets: false }}>
        Add a pity for a lower tier
      </NewRow>
    </Stack>
  );
};

export const PitySection = ({ shared, type }: SectionProps) => {
  const hasSoftPity = type === 'gacha' || type === 'idle';
  const { rolls } = SYSTEMS[type];
  return (
    <Section
      title="Pity"
      about={`Guarantees the top tier after a number of ${rolls} without it. The top tier is the rarest.`}
    >
      <NumberInput
        label={`Top tier by ${SYSTEMS[type].roll} number`}
        placeholder="never"
        min={0}
        max={1000}
        allowDecimal={false}
        maw={260}
        {...fieldOf(shared, 'pityThreshold')}
      />
      {hasSoftPity && (
        <>
          <Stack gap={4}>
            <Input.Label component="div">Soft pity of the top tier</Input.Label>
            <SoftPityTable shared={shared} path="softPity" rows={shared.form.values.softPity} of="the top tier" />
          </Stack>
          <TierSelect
            shared={shared}
            path="pityTier"
            label="Top tier, if not the rarest"
            isLabelHidden={false}
            placeholder="the rarest"
            among={tiersIn(shared)}
          />
          <Stack gap={4}>
            <Input.Label component="div">Pity of lower tiers</Input.Label>
            <LowerPities shared={shared} />
          </Stack>
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

const itemChoices = (items: readonly Schemas['Item'][]) => items.map(({ id, name }) => ({ value: id, label: name }));

export const FeaturedSection = ({ shared, type, items }: SectionProps) => (
  <Section title="Featured items">
    <MultiSelect
      label="Featured"
      placeholder={shared.form.values.featuredItemIds.length === 0 ? 'Choose items' : ''}
      searchable
      limit={100}
      data={itemChoices(items)}
      clearButtonProps={{ 'aria-label': 'Clear featured items' }}
      {...fieldOf(shared, 'featuredItemIds')}
    />
    {(type === 'gacha' || type === 'idle') && (
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <NumberInput
          label="Share of the top tier"
          description="Of featured items."
          placeholder="by weight"
          suffix=" %"
          min={0}
          max={100}
          {...fieldOf(shared, 'featuredShare')}
        />
        <NumberInput
          label="Guaranteed after"
          description="Top results without one."
          placeholder="no guarantee"
          min={1}
          max={10}
          allowDecimal={false}
          {...fieldOf(shared, 'guaranteeAfterLosses')}
        />
      </SimpleGrid>
    )}
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <NumberInput
        label="Rate up"
        description="Multiplies their weights."
        placeholder="× 1"
        prefix="× "
        min={0}
        {...fieldOf(shared, 'rateUpMultiplier')}
      />
      <NumberInput
        label="Spark"
        description={`In points; each ${SYSTEMS[type].roll} earns one.`}
        placeholder="no spark"
        min={0}
        allowDecimal={false}
        {...fieldOf(shared, 'sparkCurrency')}
      />
    </SimpleGrid>
  </Section>
);

export const PackSection = ({ shared }: SectionProps) => {
  const { form, isReadOnly } = shared;
  return (
    <Section
      title="Slots"
      about="A pack contains its slots in order. A slot without its own rates uses those of the tiers."
    >
      {form.values.slots.map(({ key, rates }, place) => (
        <Stack key={key} {...GROUP} aria-label={`Slot ${place + 1}`}>
          <Group justify="space-between" align="flex-start">
            <NumberInput
              w={150}
              aria-label={`Cards in slot ${place + 1}`}
              suffix={Number(form.values.slots[place]?.count) === 1 ? ' card' : ' cards'}
              min={1}
              max={20}
              allowDecimal={false}
              {...fieldOf(shared, `slots.${place}.count`)}
            />
            <RemoveRow shared={shared} path="slots" place={place} label={`Remove slot ${place + 1}`} />
          </Group>
          <RateTable
            shared={shared}
            path={`slots.${place}.rates`}
            rows={rates}
            valueName="Rate"
            isRelative
            newRate={1}
            among={tiersIn(shared)}
            addLabel="Add a rate for this slot"
          />
          <OptionFilter
            shared={shared}
            path={`slots.${place}.classifierOptionIds`}
            label={`Only items with these options, in slot ${place + 1}`}
          />
        </Stack>
      ))}
      <NewRow shared={shared} path="slots" row={{ count: 1, rates: [], classifierOptionIds: [] }}>
        Add a slot
      </NewRow>
      <Checkbox
        label="No item twice in a pack"
        checked={form.values.unique}
        disabled={isReadOnly}
        error={shared.faults.unique}
        onChange={(event) => form.setFieldValue('unique', event.currentTarget.checked)}
      />
    </Section>
  );
};

export const OfferSection = ({ shared }: SectionProps) => (
  <Section title="Offer">
    <NumberInput
      label="Choices"
      description="Number of different items."
      placeholder="3"
      min={1}
      max={20}
      allowDecimal={false}
      maw={260}
      {...fieldOf(shared, 'choices')}
    />
    <Stack gap={4}>
      <Input.Label component="div">Scaling by depth</Input.Label>
      <Note>The rate of a tier is multiplied by its factor once per depth.</Note>
      <RateTable
        shared={shared}
        path="depthScaling"
        rows={shared.form.values.depthScaling}
        valueName="Factor"
        isRelative={false}
        newRate={1.1}
        among={tiersIn(shared)}
        addLabel="Add a factor"
      />
    </Stack>
  </Section>
);

export const IdleSection = ({ shared }: SectionProps) => (
  <Section title="Accrual">
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <NumberInput label="Rolls per hour" min={0} withAsterisk {...fieldOf(shared, 'rollsPerHour')} />
      <NumberInput label="Maximum hours" placeholder="24" min={0} {...fieldOf(shared, 'maxHours')} />
    </SimpleGrid>
  </Section>
);

export const PoolSection = ({ shared, items }: SectionProps) => (
  <Section title="Pool and time" about="By default the pool contains all items, and the template is always open.">
    <OptionFilter shared={shared} path="poolOptionIds" label="Only items with these options" />
    <MultiSelect
      label="Only these items"
      placeholder={shared.form.values.poolItemIds.length === 0 ? 'any' : ''}
      searchable
      limit={100}
      data={itemChoices(items)}
      clearButtonProps={{ 'aria-label': 'Clear the items of the pool' }}
      {...fieldOf(shared, 'poolItemIds')}
    />
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <TextInput type="datetime-local" label="Opens" {...fieldOf(shared, 'startsAt')} />
      <TextInput type="datetime-local" label="Closes" {...fieldOf(shared, 'endsAt')} />
    </SimpleGrid>
  </Section>
);

/** The sections of each system, in the order in which a designer thinks of them. */
export const SECTIONS: Record<TemplateType, readonly ((props: SectionProps) => ReactNode)[]> = {
  gacha: [TierSection, PitySection, FeaturedSection, PoolSection],
  card_pack: [TierSection, PackSection, PitySection, FeaturedSection, PoolSection],
  roguelike: [TierSection, OfferSection, PitySection, FeaturedSection, PoolSection],
  idle: [IdleSection, TierSection, PitySection, FeaturedSection, PoolSection],
};
