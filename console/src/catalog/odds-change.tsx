import { Group, Stack, Text, Title } from '@mantine/core';
import { IconArrowDownRight, IconArrowUpRight, IconMinus } from '@tabler/icons-react';
import { useFirst } from '../parts/buttons.tsx';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { formatMany, formatNumber, formatShare } from '../parts/format.ts';
import { Detail, Note } from '../parts/text.tsx';
import type { PoolOdds } from './api.ts';
import classes from './odds-change.module.css';

const ITEMS_AT_FIRST = 8;

interface Pair {
  readonly before: number | null;
  readonly after: number | null;
}

/** The relative change of a share, as people say it: +12 %, × 2. */
const relative = ({ before, after }: Pair): string => {
  if (before === after) return 'same';
  if (before === null) return 'new';
  if (after === null) return 'gone';
  if (before === 0) return 'from 0';
  const factor = after / before;
  if (factor >= 2) return `× ${formatNumber(Number(factor.toPrecision(3)))}`;
  const percent = Math.abs(factor - 1) * 100;
  const digits = percent < 1 ? 2 : 3;
  return `${factor > 1 ? '+' : '−'}${formatNumber(Number(percent.toPrecision(digits)))}\u00a0%`;
};

/** Which way a share goes, by an arrow and a colour, and by how much. */
const Direction = ({ pair }: { pair: Pair }) => {
  const shift = (pair.after ?? 0) - (pair.before ?? 0);
  const Icon = shift === 0 ? IconMinus : shift > 0 ? IconArrowUpRight : IconArrowDownRight;
  const colour =
    shift === 0 ? 'var(--mantine-color-dimmed)' : shift > 0 ? 'var(--console-more)' : 'var(--console-less)';
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end" c={colour}>
      <Icon size={15} aria-hidden style={{ flex: 'none' }} />
      <Text span size="sm" fw={600} style={{ whiteSpace: 'nowrap' }}>
        {relative(pair)}
      </Text>
    </Group>
  );
};

const share = (value: number | null): string => (value === null ? '–' : formatShare(value));

interface Row extends Pair {
  readonly id: string;
  readonly name: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { header: 'Before', w: '20%', ta: 'right', visibleFrom: 'xs', cell: ({ before }) => share(before) },
  {
    header: 'After',
    className: classes.after,
    cell: ({ before, after }) => (
      <>
        {share(after)}
        {before !== null && (
          <Detail hiddenFrom="xs" style={{ whiteSpace: 'nowrap' }}>
            was {share(before)}
          </Detail>
        )}
      </>
    ),
  },
  { header: 'Change', className: classes.change, cell: (row) => <Direction pair={row} /> },
];

const ShareTable = ({ label, heading, rows }: { label: string; heading: string; rows: readonly Row[] }) => (
  <DataTable
    label={label}
    columns={[{ header: heading, style: { overflowWrap: 'anywhere' }, cell: ({ name }) => name }, ...COLUMNS]}
    rows={rows}
    keyOf={({ id }) => id}
    verticalSpacing={4}
    horizontalSpacing={6}
    fz="sm"
    layout="fixed"
    className={classes.table}
  />
);

interface FigureProps {
  readonly label: string;
  readonly pair: Pair | null;
  /** What it means if there is no number. */
  readonly none: string;
  /** Whether there was nothing before. */
  readonly isNew: boolean;
}

const Figure = ({ label, pair, none, isNew }: FigureProps) => {
  if (pair === null || pair.before === pair.after) return null;
  const words = (value: number | null) => (value === null ? none : formatNumber(Number(value.toPrecision(4))));
  return (
    <Text size="sm">
      {label}: {!isNew && `${words(pair.before)} → `}
      <b>{words(pair.after)}</b>
    </Text>
  );
};

/** What changes in one pool: its tiers, then its items by the size of the change. */
export const PoolChange = ({ odds }: { odds: PoolOdds }) => {
  const { name, tiers, items, moreItems, featuredMean, worst } = odds;
  const { shown, button } = useFirst(items, ITEMS_AT_FIRST, 'items');
  const named = tiers.filter(({ tier }) => tier !== null);
  const areTiersSame = named.every(({ before, after }) => before === after);
  const isNew = [...tiers, ...items].every(({ before }) => before === null);
  return (
    <Stack gap="xs" component="section" aria-label={`Odds of ${name}`}>
      <Title order={3}>{name}</Title>
      {named.length > 0 && areTiersSame && <Note>The shares of the tiers stay the same.</Note>}
      {!areTiersSame && (
        <ShareTable
          label={`Tiers of ${name}, before and after`}
          heading="Tier"
          rows={named.map(({ tier, name: called, before, after }) => ({
            id: tier ?? '',
            name: called ?? tier ?? '',
            before,
            after,
          }))}
        />
      )}
      {items.length > 0 && (
        <ShareTable
          label={`Items of ${name}, before and after`}
          heading="Item"
          rows={shown.map(({ itemId, itemName, before, after }) => ({ id: itemId, name: itemName, before, after }))}
        />
      )}
      {button}
      {moreItems > 0 && <Note>{formatMany(moreItems, 'more item changes', 'more items change')} by less.</Note>}
      <Figure label="Mean rolls until a featured item" pair={featuredMean} none="never" isNew={isNew} />
      <Figure label="Most rolls until the rarest tier" pair={worst} none="no limit" isNew={isNew} />
    </Stack>
  );
};
