import { Card, Group, Select, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconChartBar, IconDownload } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { asSentence, type Schemas } from '../../api/client.ts';
import {
  type RollFilter,
  useDropRates,
  useItemOdds,
  useRollStatistics,
  useTemplateOdds,
  useTemplates,
} from '../../api/requests.ts';
import { IconButton } from '../../parts/buttons.tsx';
import { type Column, DataTable, figures } from '../../parts/data-table.tsx';
import { formatColumnShare, formatCount, formatMany } from '../../parts/format.ts';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { Detail, Note } from '../../parts/text.tsx';
import { EvidenceCard } from './evidence-card.tsx';
import { csvOf, type DropRow, rowsOf } from './rows.ts';

/** The odds are left out if there are none to show next to the drops. */
const columnsOf = (hasOdds: boolean): readonly (Column<DropRow> | false)[] => [
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
  figures('Share', ({ share }) => share, formatColumnShare),
  hasOdds &&
    figures(
      'Odds now',
      ({ odds }) => odds ?? -1,
      (odds) => (odds < 0 ? '–' : formatColumnShare(odds)),
    ),
];

interface FiltersProps {
  readonly filter: RollFilter;
  readonly onChange: (filter: RollFilter) => void;
  readonly templates: readonly Schemas['Template'][];
}

const Filters = ({ filter, onChange, templates }: FiltersProps) => (
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

/**
 * The current odds of one source of rolls. There are none for all sources together: templates have odds of their own.
 */
const useCurrentOdds = (templateId: string | undefined, hasTemplateRolls: boolean) => {
  const plain = useItemOdds();
  const template = useTemplateOdds(templateId);
  return useMemo(() => {
    if (templateId !== undefined)
      return (
        template.data &&
        new Map(template.data.items.map((row) => [row.itemId, { name: row.itemName, odds: row.effective }]))
      );
    if (hasTemplateRolls) return undefined;
    return plain.data && new Map(plain.data.map((row) => [row.itemId, { name: row.itemName, odds: row.odds }]));
  }, [templateId, template.data, plain.data, hasTemplateRolls]);
};

const queryOf = (filter: RollFilter): string => {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined) as [string, string][];
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
};

export const Statistics = () => {
  const [filter, setFilter] = useState<RollFilter>({});
  const templates = useTemplates();
  const rates = useDropRates(filter);
  const statistics = useRollStatistics(filter);
  const hasTemplateRolls = Object.keys(statistics.data?.rollsByTemplate ?? {}).length > 0;
  const current = useCurrentOdds(filter.templateId, hasTemplateRolls);
  const rows = useMemo(() => rowsOf(rates.data ?? [], current), [rates.data, current]);
  return (
    <Page
      title="Statistics"
      about="What players got, and whether it fits the odds."
      curl={{ path: `/roll-events/drop-rates${queryOf(filter)}` }}
      actions={
        <IconButton
          icon={IconDownload}
          disabled={rows.length === 0}
          onClick={() => saveFile(`drop-rates-${filter.templateId ?? 'all'}.csv`, csvOf(rows), 'text/csv')}
        >
          Download CSV
        </IconButton>
      }
    >
      <EvidenceCard />
      <Title order={2}>Drops</Title>
      <Filters filter={filter} onChange={setFilter} templates={templates.data?.rows ?? []} />
      <Loaded query={rates} lines={8}>
        {() =>
          rows.length === 0 ? (
            <Empty title="No rolls found" icon={IconChartBar}>
              There are no rolls for this period and template.
            </Empty>
          ) : (
            <Stack gap="sm">
              <Group justify="space-between">
                <Note role="status">
                  {formatMany(statistics.data?.totalRolls ?? 0, 'item')} rolled.
                  {current === undefined &&
                    filter.templateId === undefined &&
                    ' Select a template to see its odds, too.'}
                </Note>
                {current !== undefined && (
                  <Detail visibleFrom="sm">Odds now may differ from those at the time of the rolls.</Detail>
                )}
              </Group>
              <DataTable
                label="Drops"
                columns={columnsOf(current !== undefined)}
                rows={rows}
                keyOf={({ itemId }) => itemId}
                sortedBy={{ header: 'Drops', isDescending: true }}
                minWidth={480}
                isCard
              />
            </Stack>
          )
        }
      </Loaded>
    </Page>
  );
};
