import { Box, Stack, Table, Text } from '@mantine/core';
import { formatRatio, isWorthSaying } from '../../../../src/engine/evidence/words.ts';
import { useFirst } from '../../parts/buttons.tsx';
import { Cells, type Column, Head, TableFrame } from '../../parts/data-table.tsx';
import { formatColumnShare, formatCount } from '../../parts/format.ts';
import { Detail } from '../../parts/text.tsx';
import classes from './evidence-table.module.css';
import { RangeBar } from './range-bar.tsx';
import { type Known, RowName } from './row-name.tsx';
import { actualRate, type EvidenceRow, promisedRate, type RowGroup } from './streams.ts';

/** Items are many, and those that matter come first. */
const ITEMS_AT_FIRST = 5;

const HEADINGS = {
  tier: { title: 'Tiers', about: undefined },
  pity: { title: 'While pity raises the odds', about: 'Only rolls whose odds a pity counter had changed.' },
  featured: { title: 'Featured share', about: 'Only top-tier results that chance decided, not the guarantee.' },
  item: {
    title: 'Items',
    about: 'Their share of the results in their tier. Those with evidence come first, then the most frequent.',
  },
} as const;

const evidenceOf = ({ evidence }: EvidenceRow): string => (isWorthSaying(evidence) ? formatRatio(evidence) : 'none');

const columnsOf = (known: Known, isSuspect: boolean): readonly Column<EvidenceRow>[] => [
  {
    header: 'Result',
    cell: (row) => (
      <>
        <RowName row={row} known={known} />
        <Box hiddenFrom="sm" mt={4}>
          <RangeBar row={row} />
          {isWorthSaying(row.evidence) && <Text size="xs">evidence {evidenceOf(row)}</Text>}
        </Box>
      </>
    ),
  },
  { header: 'Promised', ta: 'right', cell: (row) => formatColumnShare(promisedRate(row)) },
  {
    header: 'Actual',
    ta: 'right',
    cell: (row) => (
      <>
        {formatColumnShare(actualRate(row))}
        <Detail>
          {formatCount(row.hits)} of {formatCount(row.rolls)}
        </Detail>
      </>
    ),
  },
  { header: 'True rate (95 %)', visibleFrom: 'sm', cell: (row) => <RangeBar row={row} /> },
  {
    header: 'Evidence',
    ta: 'right',
    visibleFrom: 'sm',
    cell: (row) => {
      const speaks = isWorthSaying(row.evidence);
      return (
        <Text size="sm" c={speaks ? undefined : 'dimmed'} fw={speaks && isSuspect ? 650 : undefined}>
          {evidenceOf(row)}
        </Text>
      );
    },
  },
];

interface EvidenceTableProps {
  readonly label: string;
  readonly groups: readonly RowGroup[];
  readonly known: Known;
  /** Whether the configuration as a whole has evidence against it: a row alone proves nothing. */
  readonly isSuspect: boolean;
}

/** Promised and actual rates of everything that a configuration decides. */
export const EvidenceTable = ({ label, groups, known, isSuspect }: EvidenceTableProps) => {
  const columns = columnsOf(known, isSuspect);
  const items = groups.find(({ kind }) => kind === 'item')?.rows ?? [];
  const { shown, button } = useFirst(items, ITEMS_AT_FIRST, 'items', { ml: -8 });
  return (
    <Stack gap="xs">
      <TableFrame label={label} minWidth={640} verticalSpacing={6} className={classes.table}>
        <Head columns={columns} />
        {groups.map(({ kind, rows }) => (
          <Table.Tbody key={kind}>
            <Table.Tr className={classes.group}>
              <Table.Th colSpan={columns.length} scope="rowgroup">
                {HEADINGS[kind].title}
                {HEADINGS[kind].about !== undefined && (
                  <Detail span fw={400} ml={8}>
                    {HEADINGS[kind].about}
                  </Detail>
                )}
              </Table.Th>
            </Table.Tr>
            {(kind === 'item' ? shown : rows).map((row, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: an item may be in several parts of a pool.
              <Table.Tr key={`${row.id} ${place}`}>
                <Cells columns={columns} row={row} />
              </Table.Tr>
            ))}
          </Table.Tbody>
        ))}
      </TableFrame>
      {button}
    </Stack>
  );
};
