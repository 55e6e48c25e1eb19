import {
  Card,
  Group,
  Pagination,
  Table,
  type TableProps,
  type TableTdProps,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import { type Key, type ReactNode, useMemo, useState } from 'react';
import { inOrder, type Order, type Value } from './order.ts';
import { Note } from './text.tsx';

/** A column. Alignment, width and the like are those of its heading and of its cells. */
export interface Column<T> extends Pick<TableTdProps, 'ta' | 'w' | 'visibleFrom' | 'className' | 'style'> {
  /** Unique in its table. */
  readonly header: string;
  readonly cell: (row: T) => ReactNode;
  /** Left out if the table cannot be sorted by this column. */
  readonly sortBy?: (row: T) => Value;
  /** Whether only screen readers are told the heading. */
  readonly isHeaderHidden?: boolean;
}

/** A column of numbers, which the table can be sorted by. */
export const figures = <T,>(
  header: string,
  read: (row: T) => number,
  format: (value: number) => ReactNode,
  look: Pick<Column<T>, 'visibleFrom'> = {},
): Column<T> => ({ header, ta: 'right', sortBy: read, cell: (row) => format(read(row)), ...look });

/** A column of buttons. */
export const actions = <T,>(cell: (row: T) => ReactNode): Column<T> => ({
  header: 'Actions',
  isHeaderHidden: true,
  w: 48,
  ta: 'right',
  cell,
});

interface HeadProps<T> {
  readonly columns: readonly Column<T>[];
  readonly order?: Order;
  /** Choosing the same column again reverses the order. */
  readonly onOrder?: (order: Order) => void;
}

export const Head = <T,>({ columns, order, onOrder }: HeadProps<T>) => (
  <Table.Thead>
    <Table.Tr>
      {columns.map(({ header, cell: _, sortBy, isHeaderHidden, ...look }) => {
        if (sortBy === undefined)
          return (
            <Table.Th key={header} {...look}>
              {isHeaderHidden ? <VisuallyHidden>{header}</VisuallyHidden> : header}
            </Table.Th>
          );
        const isChosen = order?.header === header;
        const isDescending = isChosen && order.isDescending === true;
        const Icon = !isChosen ? IconArrowsSort : isDescending ? IconArrowDown : IconArrowUp;
        return (
          <Table.Th key={header} {...look} aria-sort={isChosen ? (isDescending ? 'descending' : 'ascending') : 'none'}>
            <UnstyledButton
              fz="inherit"
              fw="inherit"
              w="100%"
              onClick={() => onOrder?.({ header, isDescending: isChosen && !isDescending })}
            >
              <Group gap={4} wrap="nowrap" justify={look.ta === 'right' ? 'flex-end' : 'flex-start'}>
                {header}
                <Icon size={14} opacity={isChosen ? 1 : 0.45} aria-hidden />
              </Group>
            </UnstyledButton>
          </Table.Th>
        );
      })}
    </Table.Tr>
  </Table.Thead>
);

export const Cells = <T,>({ columns, row }: { columns: readonly Column<T>[]; row: T }) =>
  columns.map(({ header, cell, sortBy: _, isHeaderHidden: __, ...look }) => (
    <Table.Td key={header} {...look}>
      {cell(row)}
    </Table.Td>
  ));

interface TableFrameProps extends TableProps {
  /** Its name, for screen readers. */
  readonly label: string;
  /** If there is less room, it scrolls, by keyboard too; narrow screens show fewer columns instead. */
  readonly minWidth?: number;
  readonly isCard?: boolean;
}

export const TableFrame = ({ label, minWidth, isCard = false, ...rest }: TableFrameProps) => {
  const table = <Table aria-label={label} {...(isCard && { horizontalSpacing: 'md' })} {...rest} />;
  const scrolling =
    minWidth === undefined ? (
      table
    ) : (
      <Table.ScrollContainer minWidth={`calc(${minWidth}px * var(--console-wide))`} type="native" tabIndex={0}>
        {table}
      </Table.ScrollContainer>
    );
  return isCard ? <Card padding={0}>{scrolling}</Card> : scrolling;
};

const ROWS_PER_PAGE = 50;

interface DataTableProps<T> extends Omit<TableFrameProps, 'children'> {
  readonly columns: readonly (Column<T> | false)[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => Key;
  /** What it is sorted by at first. */
  readonly sortedBy?: Order;
  /** Shown instead if there are no rows. */
  readonly empty?: ReactNode;
  /** How many rows there are, in words. With it, they are shown page by page. */
  readonly count?: string;
  /** Whether there are more than were read. */
  readonly isTruncated?: boolean;
}

export const DataTable = <T,>(props: DataTableProps<T>) => {
  const { columns: given, rows, keyOf, sortedBy, empty, count, isTruncated = false, ...frame } = props;
  const columns = given.filter((column) => column !== false);
  const [order, setOrder] = useState(sortedBy);
  const [page, setPage] = useState(1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what a column is sorted by never changes.
  const sorted = useMemo(() => inOrder(rows, columns, order), [rows, order]);
  const perPage = count === undefined ? Number.POSITIVE_INFINITY : ROWS_PER_PAGE;
  const pages = Math.max(1, Math.ceil(rows.length / perPage));
  const first = (Math.min(page, pages) - 1) * ROWS_PER_PAGE;
  return (
    <>
      {rows.length === 0 && empty !== undefined ? (
        <Card>{empty}</Card>
      ) : (
        <TableFrame {...frame}>
          <Head columns={columns} order={order} onOrder={setOrder} />
          <Table.Tbody>
            {sorted.slice(first, first + perPage).map((row) => (
              <Table.Tr key={keyOf(row)}>
                <Cells columns={columns} row={row} />
              </Table.Tr>
            ))}
          </Table.Tbody>
        </TableFrame>
      )}
      {count !== undefined && (
        <Group justify="space-between">
          <Note role="status">
            {count}
            {isTruncated && ' (the oldest; there are more than the console loads)'}
          </Note>
          {pages > 1 && (
            <Pagination
              total={pages}
              value={Math.min(page, pages)}
              onChange={setPage}
              size="sm"
              getControlProps={(control) => ({ 'aria-label': `${control} page` })}
              getItemProps={(number) => ({ 'aria-label': `Page ${number}` })}
            />
          )}
        </Group>
      )}
    </>
  );
};
