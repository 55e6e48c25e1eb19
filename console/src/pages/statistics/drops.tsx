import { Card, Group, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import { asSentence, type Schemas } from '../../api/client.ts';
import type { RollFilter } from '../../api/requests.ts';
import { useLiveOptions } from '../../catalog/reads.ts';
import { type Column, DataTable, figures } from '../../parts/data-table.tsx';
import { formatAverage, formatColumnShare, formatCount, formatMany } from '../../parts/format.ts';
import { Empty } from '../../parts/loaded.tsx';
import { type OptionsById, Swatch, tierColour } from '../../parts/options.tsx';
import { Detail, Note, Strong } from '../../parts/text.tsx';
import type { DropRow, TierRow } from './rows.ts';

interface FiltersProps {
  readonly filter: RollFilter;
  readonly onChange: (filter: RollFilter) => void;
  readonly templates: readonly Schemas['Template'][];
}

export const DropFilters = ({ filter, onChange, templates }: FiltersProps) => (
  <Card padding="md">
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      <Select
        label="Rolled by"
        placeholder="everything"
        clearable
        clearButtonProps={{ 'aria-label': 'Clear the template' }}
        data={templates.map(({ id, name }) => ({ value: id, label: name }))}
        value={filter.templateId ?? null}
        onChange={(templateId) => onChange({ ...filter, templateId: templateId ?? undefined })}
      />
      {(['from', 'to'] as const).map((end) => (
        <TextInput
          key={end}
          type="date"
          label={`${asSentence(end)} (UTC)`}
          value={filter[end] ?? ''}
          onChange={(event) => onChange({ ...filter, [end]: event.currentTarget.value || undefined })}
        />
      ))}
    </SimpleGrid>
  </Card>
);

const tierColumns = (options: OptionsById): readonly Column<TierRow>[] => [
  {
    header: 'Tier',
    cell: ({ tier }) => (
      <Group gap={8} wrap="nowrap">
        <Swatch colour={tierColour(options, tier)} />
        <Strong>{options.get(tier)?.name ?? 'A deleted tier'}</Strong>
      </Group>
    ),
  },
  figures('Came', ({ hits }) => hits, formatCount),
  figures('Expected', ({ expected }) => expected, formatAverage),
  figures('Share', ({ hits, rolls }) => hits / rolls, formatColumnShare, { visibleFrom: 'sm' }),
  figures('Promised', ({ expected, rolls }) => expected / rolls, formatColumnShare, { visibleFrom: 'sm' }),
];

/** What was expected is left out if nothing is known about it. */
const itemColumns = (hasExpected: boolean): readonly (Column<DropRow> | false)[] => [
  {
    header: 'Item',
    sortBy: ({ itemName }) => itemName,
    cell: ({ itemName }) => (
      <Text inherit fw={600}>
        {itemName}
      </Text>
    ),
  },
  figures('Drops', ({ drops }) => drops, formatCount),
  figures('Share', ({ share }) => share, formatColumnShare, { visibleFrom: 'sm' }),
  hasExpected && {
    header: 'Expected',
    ta: 'right',
    sortBy: ({ compared }) => compared?.expected ?? -1,
    cell: ({ drops, compared }) =>
      compared === undefined ? (
        '–'
      ) : (
        <>
          {formatAverage(compared.expected)}
          {compared.hits !== drops && <Detail span> for {formatCount(compared.hits)} of them</Detail>}
        </>
      ),
  },
];

interface DropsProps {
  readonly tiers: readonly TierRow[];
  readonly items: readonly DropRow[];
  /** Number of rolled items, and how many of them are compared with their odds. */
  readonly rolled: number;
  readonly compared: number;
  readonly hasDates: boolean;
}

/** Why there is nothing to compare with, or not for everything. */
const aboutExpected = ({ rolled, compared, hasDates }: DropsProps): string => {
  if (hasDates) return ' What was expected is known for all days together: clear the dates to see it.';
  if (compared >= rolled) return '';
  return ` ${formatCount(compared)} of them can be compared: not offers with a seed, rolls on some of the items, and rolls from before this was counted.`;
};

/**
 * What players got, next to what was promised for the very same rolls: each had odds of its own, by the counters that it
 * met and the configuration at that time. The rate of the long run would not be like for like.
 */
export const Drops = (props: DropsProps) => {
  const { tiers, items, rolled, hasDates } = props;
  const options = useLiveOptions();
  if (items.length === 0)
    return (
      <Empty title="No rolls found" icon={IconChartBar}>
        There are no rolls for this period and template.
      </Empty>
    );
  const hasExpected = !hasDates && items.some(({ compared }) => compared !== undefined);
  return (
    <Stack gap="sm">
      <Note role="status">
        {formatMany(rolled, 'item')} rolled.{aboutExpected(props)}
      </Note>
      {!hasDates && tiers.length > 0 && (
        <DataTable
          label="Drops by tier"
          columns={tierColumns(options)}
          rows={tiers}
          keyOf={({ tier }) => tier}
          verticalSpacing={7}
          isCard
        />
      )}
      <DataTable
        label="Drops"
        columns={itemColumns(hasExpected)}
        rows={items}
        keyOf={({ itemId }) => itemId}
        sortedBy={{ header: 'Drops', isDescending: true }}
        minWidth={480}
        verticalSpacing={7}
        isCard
      />
      {hasExpected && (
        <Detail>
          Expected is what the odds give on average for exactly these rolls: each with the configuration and the
          counters that it met; for items, given the results of their tier. Only the evidence above tells chance from a
          fault.
        </Detail>
      )}
    </Stack>
  );
};
