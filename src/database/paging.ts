import { type SelectQueryBuilder, sql } from 'kysely';

/** Where a row stands in the order of every list: oldest first, then by id. */
export interface Position {
  readonly createdAtMs: number;
  readonly id: string;
}

export interface Page {
  readonly limit: number;
  readonly after?: Position;
}

/** One page of a list, and where the next begins if there is one. */
export interface Paged<T> {
  readonly rows: T[];
  readonly next?: Position;
}

/** Orders a query of rows that have `created_at` and `id`, and cuts one row more than the page out of it. */
export const onPage = <DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  table: string,
  { limit, after }: Page,
): SelectQueryBuilder<DB, TB, O> => {
  const createdAt = sql.ref(`${table}.created_at`);
  const id = sql.ref(`${table}.id`);
  const ordered = query
    .orderBy(createdAt)
    .orderBy(id)
    .limit(limit + 1);
  return after === undefined
    ? ordered
    : ordered.where(sql<boolean>`(${createdAt}, ${id}) > (${after.createdAtMs}, ${after.id})`);
};

/** Drops the one row too many, which only tells that more follow. */
export const paged = <R extends { created_at: number; id: string }>(rows: R[], { limit }: Page): Paged<R> => {
  if (rows.length <= limit) return { rows };
  const kept = rows.slice(0, limit);
  const last = kept[limit - 1] as R;
  return { rows: kept, next: { createdAtMs: last.created_at, id: last.id } };
};

export const mapPage = <A, B>({ rows, next }: Paged<A>, map: (row: A) => B): Paged<B> => ({
  rows: rows.map(map),
  next,
});
