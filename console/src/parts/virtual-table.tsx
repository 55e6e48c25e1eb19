import { Card, VisuallyHidden } from '@mantine/core';
import {
  type CSSProperties,
  type Key,
  memo,
  type ReactNode,
  type UIEvent,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { inOrder, type Order, type Value } from './order.ts';
import classes from './virtual-table.module.css';

/** A column of a table whose rows are all of the same height. Must stay the same object, or every row is drawn anew. */
export interface VirtualColumn<T> {
  /** Unique in its table. */
  readonly header: string;
  readonly cell: (row: T) => ReactNode;
  /** Left out if the table cannot be sorted by this column. */
  readonly sortBy?: (row: T) => Value;
  readonly isNumber?: boolean;
  /** Whether narrow screens do without it. */
  readonly isWideOnly?: boolean;
  readonly isHeaderHidden?: boolean;
  /** Shown instead of the header, which then only tells columns apart. */
  readonly head?: ReactNode;
}

const classOf = ({ isNumber, isWideOnly }: VirtualColumn<never>): string | undefined =>
  [isNumber && classes.end, isWideOnly && classes.wideOnly].filter(Boolean).join(' ') || undefined;

interface RowProps<T> {
  readonly row: T;
  readonly columns: readonly VirtualColumn<T>[];
  readonly number: number;
  readonly height: number;
  readonly colour: string | undefined;
}

const Row = memo(({ row, columns, number, height, colour }: RowProps<unknown>) => (
  <tr aria-rowindex={number} style={{ height, '--row-colour': colour } as CSSProperties}>
    {columns.map((column) => (
      <td key={column.header} className={classOf(column as VirtualColumn<never>)}>
        {column.cell(row)}
      </td>
    ))}
  </tr>
));

/** Rows beyond the edges, so that scrolling shows no gaps. */
const MARGIN = 6;

interface VirtualTableProps<T> {
  /** Its name, for screen readers. */
  readonly label: string;
  readonly columns: readonly VirtualColumn<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => Key;
  readonly sortedBy?: Order;
  /** Told of another order, by whoever keeps it; otherwise the table does. */
  readonly onOrder?: (order: Order) => void;
  /** What is shown, such as a search: if that is something else, it begins at the top. */
  readonly view?: string;
  /** What the edge of a row is coloured by. */
  readonly colourOf?: (row: T) => string | undefined;
  /** In pixels. */
  readonly rowHeight?: number;
  /** The height of the table, if it has more rows than fit. */
  readonly maxHeight: string;
}

/** Draws only the rows that are in sight, however many there are. */
export const VirtualTable = <T,>(props: VirtualTableProps<T>) => {
  const { label, columns, rows, keyOf, sortedBy, onOrder, view, colourOf, rowHeight = 36, maxHeight } = props;
  const [ownOrder, setOwnOrder] = useState(sortedBy);
  const order = onOrder === undefined ? ownOrder : sortedBy;
  const setOrder = onOrder ?? setOwnOrder;
  const [first, setFirst] = useState(0);
  const [inSight, setInSight] = useState(30);
  const frame = useRef<HTMLDivElement>(null);
  const sorted = useMemo(() => inOrder(rows, columns, order), [rows, columns, order]);

  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setInSight(Math.ceil(element.clientHeight / rowHeight)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [rowHeight]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when something else is shown.
  useEffect(() => {
    frame.current?.scrollTo({ top: 0 });
    setFirst(0);
  }, [view, order?.header, order?.isDescending]);

  const scroll = ({ currentTarget }: UIEvent) => {
    const top = Math.max(0, Math.floor(currentTarget.scrollTop / rowHeight) - MARGIN);
    // A few rows at a time.
    const next = top - (top % MARGIN);
    if (next !== first) setFirst(next);
  };
  const shown = sorted.slice(first, first + inSight + 3 * MARGIN);
  const below = sorted.length - first - shown.length;
  return (
    // It scrolls, by keyboard too.
    <Card ref={frame} className={classes.frame} style={{ maxHeight }} onScroll={scroll} tabIndex={0} p={0}>
      <table aria-label={label} aria-rowcount={sorted.length + 1} className={classes.table}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => {
              const { header, sortBy, isHeaderHidden, head } = column;
              const className = classOf(column as VirtualColumn<never>);
              if (sortBy === undefined)
                return (
                  <th key={header} className={className}>
                    {head !== undefined ? head : isHeaderHidden ? <VisuallyHidden>{header}</VisuallyHidden> : header}
                  </th>
                );
              const isChosen = order?.header === header;
              const isDescending = isChosen && order.isDescending === true;
              const direction = isDescending ? 'descending' : 'ascending';
              return (
                <th key={header} className={className} aria-sort={isChosen ? direction : 'none'}>
                  <button
                    type="button"
                    className={classes.order}
                    onClick={() => setOrder({ header, isDescending: isChosen && !isDescending })}
                  >
                    {header}
                    <span className={classes.arrow} aria-hidden>
                      {isChosen ? (isDescending ? '↓' : '↑') : '↕'}
                    </span>
                  </button>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {first > 0 && (
            <tr aria-hidden className={classes.space}>
              <td colSpan={columns.length} style={{ height: first * rowHeight }} />
            </tr>
          )}
          {shown.map((row, place) => (
            <Row
              key={keyOf(row)}
              row={row}
              columns={columns as readonly VirtualColumn<unknown>[]}
              number={first + place + 2}
              height={rowHeight}
              colour={colourOf?.(row)}
            />
          ))}
          {below > 0 && (
            <tr aria-hidden className={classes.space}>
              <td colSpan={columns.length} style={{ height: below * rowHeight }} />
            </tr>
          )}
        </tbody>
      </table>
    </Card>
  );
};
