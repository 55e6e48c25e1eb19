/** How tables are sorted. */

export type Value = string | number;

export interface Order {
  readonly header: string;
  readonly isDescending?: boolean;
}

/** One for all: making one takes longer than comparing thousands of texts. */
const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

const compare = (left: Value, right: Value): number =>
  typeof left === 'number' && typeof right === 'number' ? left - right : collator.compare(String(left), String(right));

interface Sortable<T> {
  readonly header: string;
  readonly sortBy?: (row: T) => Value;
}

export const inOrder = <T>(
  rows: readonly T[],
  columns: readonly Sortable<T>[],
  order: Order | undefined,
): readonly T[] => {
  const read = columns.find(({ header }) => header === order?.header)?.sortBy;
  if (read === undefined) return rows;
  const ascending = rows.toSorted((left, right) => compare(read(left), read(right)));
  return order?.isDescending ? ascending.reverse() : ascending;
};
