import { type SelectQueryBuilder, sql } from 'kysely';
import { LIMITS } from '../shared/limits.ts';
import { takeTurns } from '../shared/turns.ts';

/** The position of a row in a list. All lists are sorted by creation time, oldest first, then by id. */
export interface Position {
  readonly createdAtMs: number;
  readonly id: string;
}

export interface Page {
  readonly limit: number;
  readonly after?: Position;
}

/** One page of a list, and the position of the last row if more pages follow. */
export interface Paged<T> {
  readonly rows: T[];
  readonly next?: Position;
}

/** Sorts and limits a query of rows with `created_at` and `id`. It selects one row more than the page has. */
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

/** Drops the extra row, which only shows that there are more. */
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

/**
 * Serializes the rows of a page in batches. The page ends early once it has the most bytes a response may have: one row
 * may be a thousand times as large as another.
 */
export const textPage = async <R extends { created_at: number; id: string }>(
  { rows, next }: Paged<R>,
  textsOf: (some: readonly R[]) => Promise<readonly string[]> | readonly string[],
  rowsAtOnce: number = LIMITS.rowsPerDetails,
): Promise<Paged<string>> => {
  const texts: string[] = [];
  let bytes = 0;
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    if (start > 0) await takeTurns();
    for (const text of await textsOf(rows.slice(start, start + rowsAtOnce))) {
      bytes += Buffer.byteLength(text);
      const last = rows[texts.length - 1];
      if (bytes > LIMITS.responseBytes && last !== undefined)
        return { rows: texts, next: { createdAtMs: last.created_at, id: last.id } };
      texts.push(text);
    }
  }
  return { rows: texts, next };
};

/** Encodes a position as an opaque string for clients. */
export const encodeCursor = ({ createdAtMs, id }: Position): string =>
  Buffer.from(JSON.stringify([createdAtMs, id])).toString('base64url');

/** Returns undefined if the cursor is invalid. */
export const decodeCursor = (cursor: string): Position | undefined => {
  try {
    const [createdAtMs, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Number.isSafeInteger(createdAtMs) && typeof id === 'string' && !id.includes('\0')
      ? { createdAtMs, id }
      : undefined;
  } catch {
    return undefined;
  }
};
