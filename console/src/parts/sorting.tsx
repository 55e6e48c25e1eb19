import { Group, Table, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import { type ReactNode, useMemo, useState } from 'react';

type Value = string | number;

export interface Sorting<K extends string> {
  readonly column: K;
  readonly isDescending: boolean;
  readonly sortBy: (column: K) => void;
}

const compare = (left: Value, right: Value): number =>
  typeof left === 'number' && typeof right === 'number'
    ? left - right
    : String(left).localeCompare(String(right), 'en', { numeric: true, sensitivity: 'base' });

/** Rows sorted by a column; choosing the same column again reverses the order. */
export const useSorting = <T, K extends string>(
  rows: readonly T[],
  columns: Record<K, (row: T) => Value>,
  first: NoInfer<K>,
  startsDescending = false,
): { sorted: T[]; sorting: Sorting<K> } => {
  const [{ column, isDescending }, setState] = useState<{ column: K; isDescending: boolean }>({
    column: first,
    isDescending: startsDescending,
  });
  const read = columns[column];
  // biome-ignore lint/correctness/useExhaustiveDependencies: column functions are stable.
  const sorted = useMemo(() => {
    const ascending = [...rows].sort((left, right) => compare(read(left), read(right)));
    return isDescending ? ascending.reverse() : ascending;
  }, [rows, column, isDescending]);
  const sortBy = (chosen: K) =>
    setState((state) =>
      state.column === chosen
        ? { column: chosen, isDescending: !state.isDescending }
        : { column: chosen, isDescending: false },
    );
  return { sorted, sorting: { column, isDescending, sortBy } };
};

interface SortHeaderProps<K extends string> {
  readonly sorting: Sorting<K>;
  readonly column: K;
  readonly children: ReactNode;
  readonly isNumeric?: boolean;
  readonly visibleFrom?: string;
}

export const SortHeader = <K extends string>(props: SortHeaderProps<K>) => {
  const { sorting, column, children, isNumeric = false, visibleFrom } = props;
  const isChosen = sorting.column === column;
  const Icon = !isChosen ? IconArrowsSort : sorting.isDescending ? IconArrowDown : IconArrowUp;
  return (
    <Table.Th
      aria-sort={isChosen ? (sorting.isDescending ? 'descending' : 'ascending') : 'none'}
      visibleFrom={visibleFrom}
    >
      <UnstyledButton fz="inherit" fw="inherit" onClick={() => sorting.sortBy(column)} w="100%">
        <Group gap={4} wrap="nowrap" justify={isNumeric ? 'flex-end' : 'flex-start'}>
          {children}
          <Icon size={14} opacity={isChosen ? 1 : 0.45} aria-hidden />
        </Group>
      </UnstyledButton>
    </Table.Th>
  );
};
