import {
  Badge,
  Box,
  Button,
  Card,
  Group,
  Select,
  SimpleGrid,
  Stack,
  Table,
  Text,
  TextInput,
  Tooltip,
} from '@mantine/core';
import { IconChartBar, IconDownload } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { Schemas } from '../../interface/client.ts';
import {
  type RollFilter,
  useDropRates,
  useItemOdds,
  useRollStatistics,
  useTemplateOdds,
  useTemplates,
} from '../../interface/queries.ts';
import { Empty } from '../../parts/empty.tsx';
import { formatColumnShare, formatCount, formatMany } from '../../parts/format.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { SortHeader, useSorting } from '../../parts/sorting.tsx';
import { TableCard } from '../../parts/table-card.tsx';
import { Interval } from './interval.tsx';
import { csvOf, type DropRow, rowsOf } from './rows.ts';

const COLUMNS = {
  name: ({ itemName }: DropRow) => itemName,
  drops: ({ drops }: DropRow) => drops,
  actual: ({ actual }: DropRow) => actual,
  expected: ({ expected }: DropRow) => expected ?? -1,
  verdict: ({ verdict }: DropRow) => verdict ?? '',
};

const VERDICTS = {
  fits: { label: 'as expected', colour: 'green', about: 'The expected rate is inside the interval.' },
  differs: {
    label: 'differs',
    colour: 'orange',
    about:
      'More than chance explains. About five in a hundred correct items are marked this way too, and so are items whose odds were changed in the meantime.',
  },
  'too few': {
    label: 'too few rolls',
    colour: 'gray',
    about: 'Fewer than five actual or expected drops: too few to tell.',
  },
} as const;

const download = (name: string, text: string): void => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
};

const VerdictBadge = ({ verdict }: { verdict: DropRow['verdict'] }) => {
  if (verdict === undefined) return '–';
  const { about, colour, label } = VERDICTS[verdict];
  return (
    <Tooltip label={about}>
      <Badge variant="dot" color={colour}>
        {label}
      </Badge>
    </Tooltip>
  );
};

interface DropTableProps {
  readonly rows: readonly DropRow[];
  /** Whether there are odds to compare with. */
  readonly isCompared: boolean;
}

const DropTable = ({ rows, isCompared }: DropTableProps) => {
  const { sorted, sorting } = useSorting(rows, COLUMNS, 'drops', true);
  const greatest = Math.max(...rows.map(({ high, expected = 0 }) => Math.max(high, expected)));
  return (
    <TableCard label="Drop rates" minWidth={isCompared ? 760 : 520}>
      <Table.Thead>
        <Table.Tr>
          <SortHeader sorting={sorting} column="name">
            Item
          </SortHeader>
          <SortHeader sorting={sorting} column="drops" isNumeric visibleFrom={isCompared ? 'sm' : undefined}>
            Drops
          </SortHeader>
          <SortHeader sorting={sorting} column="actual" isNumeric>
            Actual
          </SortHeader>
          {isCompared && (
            <SortHeader sorting={sorting} column="expected" isNumeric>
              Expected
            </SortHeader>
          )}
          <Table.Th visibleFrom="sm">95 % interval</Table.Th>
          {isCompared && (
            <SortHeader sorting={sorting} column="verdict" visibleFrom="sm">
              Verdict
            </SortHeader>
          )}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {sorted.map((row) => (
          <Table.Tr key={row.itemId}>
            <Table.Td>
              <Text size="sm" fw={600}>
                {row.itemName}
              </Text>
              {isCompared && (
                <Box hiddenFrom="sm" mt={2}>
                  <VerdictBadge verdict={row.verdict} />
                </Box>
              )}
            </Table.Td>
            <Table.Td ta="right" visibleFrom={isCompared ? 'sm' : undefined}>
              {formatCount(row.drops)}
            </Table.Td>
            <Table.Td ta="right">{formatColumnShare(row.actual)}</Table.Td>
            {isCompared && (
              <Table.Td ta="right">{row.expected === undefined ? '–' : formatColumnShare(row.expected)}</Table.Td>
            )}
            <Table.Td visibleFrom="sm">
              <Interval row={row} greatest={greatest} />
            </Table.Td>
            {isCompared && (
              <Table.Td visibleFrom="sm">
                <VerdictBadge verdict={row.verdict} />
              </Table.Td>
            )}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </TableCard>
  );
};

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
      <TextInput
        type="date"
        label="From (UTC)"
        value={filter.from ?? ''}
        onChange={(event) => onChange({ ...filter, from: event.currentTarget.value || undefined })}
      />
      <TextInput
        type="date"
        label="To (UTC)"
        value={filter.to ?? ''}
        onChange={(event) => onChange({ ...filter, to: event.currentTarget.value || undefined })}
      />
    </SimpleGrid>
  </Card>
);

/**
 * The expected odds of one source of rolls. There are none for all sources together: templates have odds of their own.
 */
const useExpected = (templateId: string | undefined, hasTemplateRolls: boolean) => {
  const plain = useItemOdds();
  const template = useTemplateOdds(templateId);
  return useMemo(() => {
    if (templateId !== undefined)
      return (
        template.data &&
        new Map(template.data.items.map((row) => [row.itemId, { name: row.itemName, share: row.effective }]))
      );
    if (hasTemplateRolls) return undefined;
    return plain.data && new Map(plain.data.map((row) => [row.itemId, { name: row.itemName, share: row.odds }]));
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
  const expected = useExpected(filter.templateId, hasTemplateRolls);
  const rows = useMemo(() => rowsOf(rates.data ?? [], expected), [rates.data, expected]);
  const differing = rows.filter(({ verdict }) => verdict === 'differs').length;
  // A 95 % interval misses the true value one time in twenty.
  const byChance = Math.round(
    rows.filter(({ verdict }) => verdict !== undefined && verdict !== 'too few').length * 0.05,
  );
  return (
    <Page
      title="Statistics"
      about="Actual drops compared with the current odds."
      curl={{ path: `/roll-events/drop-rates${queryOf(filter)}` }}
      actions={
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          disabled={rows.length === 0}
          onClick={() => download(`drop-rates-${filter.templateId ?? 'all'}.csv`, csvOf(rows))}
        >
          Download CSV
        </Button>
      }
    >
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
                <Text size="sm" c="dimmed" role="status">
                  {formatMany(statistics.data?.totalRolls ?? 0, 'item')} rolled.{' '}
                  {expected === undefined && filter.templateId === undefined
                    ? 'Select a template to compare with its odds.'
                    : `${formatCount(differing)} of ${formatCount(rows.length)} ${differing === 1 ? 'differs' : 'differ'} from the odds by more than chance explains${byChance > 0 ? `; about ${formatCount(byChance)} would by chance alone` : ''}.`}
                </Text>
                <Text size="xs" c="dimmed" visibleFrom="sm">
                  dot: actual{expected !== undefined && ' · red mark: expected'}
                </Text>
              </Group>
              <DropTable rows={rows} isCompared={expected !== undefined} />
            </Stack>
          )
        }
      </Loaded>
    </Page>
  );
};
