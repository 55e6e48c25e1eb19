import { Box, Button, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { formatRatio, isWorthSaying } from '../../../../src/engine/evidence/words.ts';
import { formatColumnShare, formatCount } from '../../parts/format.ts';
import classes from './evidence-table.module.css';
import { RangeBar } from './range-bar.tsx';
import { type Known, RowName } from './row-name.tsx';
import { actualRate, type EvidenceRow, promisedRate, type RowGroup } from './streams.ts';

/** Items are many, and those that matter come first. */
const ITEMS_AT_FIRST = 5;
const COLUMNS = 5;

const HEADINGS = {
  tier: { title: 'Tiers', about: undefined },
  pity: { title: 'While pity raises the odds', about: 'Only rolls whose odds a pity counter had changed.' },
  featured: { title: 'Featured share', about: 'Only top-tier results that chance decided, not the guarantee.' },
  item: {
    title: 'Items',
    about: 'Their share of the results in their tier. Those with evidence come first, then the most frequent.',
  },
} as const;

interface RowProps {
  readonly row: EvidenceRow;
  readonly known: Known;
  /** Whether the configuration as a whole has evidence against it: a row alone proves nothing. */
  readonly isSuspect: boolean;
}

const Row = ({ row, known, isSuspect }: RowProps) => {
  const speaks = isWorthSaying(row.evidence);
  const evidence = speaks ? formatRatio(row.evidence) : 'none';
  return (
    <Table.Tr>
      <Table.Td>
        <RowName row={row} known={known} />
        <Box hiddenFrom="sm" mt={4}>
          <RangeBar row={row} />
          {speaks && <Text size="xs">evidence {evidence}</Text>}
        </Box>
      </Table.Td>
      <Table.Td ta="right">{formatColumnShare(promisedRate(row))}</Table.Td>
      <Table.Td ta="right">
        {formatColumnShare(actualRate(row))}
        <Text size="xs" c="dimmed">
          {formatCount(row.hits)} of {formatCount(row.rolls)}
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <RangeBar row={row} />
      </Table.Td>
      <Table.Td ta="right" visibleFrom="sm">
        <Text size="sm" c={speaks ? undefined : 'dimmed'} fw={speaks && isSuspect ? 650 : undefined}>
          {evidence}
        </Text>
      </Table.Td>
    </Table.Tr>
  );
};

interface GroupRowsProps {
  readonly group: RowGroup;
  readonly known: Known;
  readonly isSuspect: boolean;
  readonly isOpen: boolean;
}

const GroupRows = ({ group: { kind, rows }, known, isSuspect, isOpen }: GroupRowsProps) => {
  const { title, about } = HEADINGS[kind];
  const shown = kind === 'item' && !isOpen ? rows.slice(0, ITEMS_AT_FIRST) : rows;
  return (
    <Table.Tbody>
      <Table.Tr className={classes.group}>
        <Table.Th colSpan={COLUMNS} scope="rowgroup">
          {title}
          {about !== undefined && (
            <Text span size="xs" c="dimmed" fw={400} ml={8}>
              {about}
            </Text>
          )}
        </Table.Th>
      </Table.Tr>
      {shown.map((row, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item may be in several parts of a pool.
        <Row key={`${row.id} ${place}`} row={row} known={known} isSuspect={isSuspect} />
      ))}
    </Table.Tbody>
  );
};

interface EvidenceTableProps {
  readonly label: string;
  readonly groups: readonly RowGroup[];
  readonly known: Known;
  readonly isSuspect: boolean;
}

/** Promised and actual rates of everything that a configuration decides. */
export const EvidenceTable = ({ label, groups, known, isSuspect }: EvidenceTableProps) => {
  const [isOpen, setOpen] = useState(false);
  const items = groups.find(({ kind }) => kind === 'item')?.rows.length ?? 0;
  return (
    <Stack gap="xs">
      <Table.ScrollContainer minWidth="calc(640px * var(--console-wide))" type="native" tabIndex={0}>
        <Table verticalSpacing={6} className={classes.table} aria-label={label}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Result</Table.Th>
              <Table.Th ta="right">Promised</Table.Th>
              <Table.Th ta="right">Actual</Table.Th>
              <Table.Th visibleFrom="sm">True rate (95 %)</Table.Th>
              <Table.Th ta="right" visibleFrom="sm">
                Evidence
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          {groups.map((group) => (
            <GroupRows key={group.kind} group={group} known={known} isSuspect={isSuspect} isOpen={isOpen} />
          ))}
        </Table>
      </Table.ScrollContainer>
      {items > ITEMS_AT_FIRST && (
        <Button
          variant="subtle"
          size="compact-sm"
          ml={-8}
          style={{ alignSelf: 'flex-start' }}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? 'Show fewer items' : `Show all ${formatCount(items)} items`}
        </Button>
      )}
    </Stack>
  );
};
