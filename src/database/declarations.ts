/**
 * Lookups and writes that stores declare. The text of their statements does not depend on the number of keys or rows.
 */
import type { Compilable, Expression, Kysely, SelectQueryBuilder } from 'kysely';
import type { Tables } from './tables.ts';

/**
 * Locks that many can share or one can hold exclusively. `grids`: shared by commands that create or place items;
 * exclusive for those that delete an item or change the size of items or spaces.
 */
export type SharedLock = 'grids';

export type ColumnType = 'text' | 'integer' | 'bigint' | 'double precision';
type ValueOf<T extends ColumnType> = T extends 'text' ? string : number;

export type KeyTypes = Readonly<Record<string, ColumnType>>;
export type KeyOf<K extends KeyTypes> = { readonly [N in keyof K]: ValueOf<K[N]> };
type KeyExpressions<K extends KeyTypes> = { readonly [N in keyof K]: Expression<ValueOf<K[N]>> };

export interface Lookup<K extends KeyTypes = KeyTypes, Row = unknown> {
  readonly keys: K;
  /** The table whose rows, if found, stay locked until the end of the transaction. */
  readonly locks: keyof Tables | null;
  /** A lock to share before anything is read. */
  readonly shares: SharedLock | null;
  /** Whether one key may have very many rows. */
  readonly isLong: boolean;
  /** The table, if it finds just the row of a table that has these values in columns of these names. */
  readonly rowOf: keyof Tables | null;
  /** Whether it finds many short rows, but no more than take a moment: PostgreSQL then sends all of them as one value. */
  readonly isPage: boolean;
  /** Builds the query for one key. */
  build(queries: Kysely<Tables>, teamId: Expression<string>, key: KeyExpressions<K>): Compilable<Row> & Expression<Row>;
}

type Build<K extends KeyTypes, Row> = Lookup<K, Row>['build'];

/** Declares a read: the rows of one team for a key. */
export const lookup = <const K extends KeyTypes, Row>(
  keys: K,
  build: Build<K, Row>,
  {
    shares = null,
    isLong = false,
    isPage = false,
  }: { shares?: SharedLock | null; isLong?: boolean; isPage?: boolean } = {},
): Lookup<K, Row> => ({ keys, build, locks: null, shares, isLong, isPage, rowOf: null });

/** Declares the same read with a lock on the rows that it finds in a table, for use with `hold`. */
export const locking = <K extends KeyTypes, Row>(locks: keyof Tables, read: Lookup<K, Row>): Lookup<K, Row> => ({
  ...read,
  locks,
  build: (...given) => (read.build(...given) as SelectQueryBuilder<Tables, keyof Tables, Row>).forUpdate(),
});

type TeamTable = { [T in keyof Tables]: 'team_id' extends keyof Tables[T] ? T : never }[keyof Tables];
type Values<T extends TeamTable, C extends keyof Tables[T]> = {
  readonly [N in C]: NonNullable<Tables[T][N]> | Expression<NonNullable<Tables[T][N]>>;
};

/** Builds a query of the rows that a team has in a table, or of those with these values. Nothing is selected yet. */
export const rowsOf = <T extends TeamTable, C extends Exclude<keyof Tables[T], 'team_id'> = never>(
  table: T,
  { queries, teamId }: { readonly queries: Kysely<Tables>; readonly teamId: string | Expression<string> },
  values: Values<T, C> = {} as Values<T, C>,
): SelectQueryBuilder<Tables, T, object> => {
  // Only the caller knows which table it is.
  let query = queries.selectFrom(table as 'spaces').where('team_id', '=', teamId);
  for (const [column, value] of Object.entries(values)) query = query.where(column as 'id', '=', value as string);
  return query as unknown as SelectQueryBuilder<Tables, T, object>;
};

type KeyColumns<T extends TeamTable> = { readonly [C in Exclude<keyof Tables[T], 'team_id'>]?: ColumnType };

/** Declares a read of some columns of the row with a key, which is named like its columns; of all without a selection. */
export const rowByKey = <
  T extends TeamTable,
  const K extends KeyColumns<T> & KeyTypes,
  C extends keyof Tables[T] & string,
>(
  table: T,
  keys: K,
  columns?: readonly C[],
): Lookup<K, Pick<Tables[T], C>> => ({
  ...lookup(keys, (queries, teamId, key) => {
    const rows = rowsOf(table, { queries, teamId }, key as never) as unknown as SelectQueryBuilder<
      Tables,
      'spaces',
      object
    >;
    const found = columns === undefined ? rows.selectAll() : rows.select(columns as never);
    return found as unknown as ReturnType<Lookup<K, Pick<Tables[T], C>>['build']>;
  }),
  rowOf: table,
});

/** A lookup with the key to look up. */
export interface Ask<Row> {
  readonly lookup: Lookup<KeyTypes, Row>;
  readonly key: Readonly<Record<string, string | number>>;
}

export const ask = <K extends KeyTypes, Row>(lookup: Lookup<K, Row>, key: KeyOf<K>): Ask<Row> => ({ lookup, key });

/** Something to lock, and what it is once it is locked. Nothing is asked for before it is given to `holdAll`. */
export interface Hold<T> {
  readonly asks: readonly Ask<unknown>[];
  read(rows: readonly (readonly unknown[])[]): T | Promise<T>;
}

export const holding = <R extends readonly unknown[], T>(
  asks: { readonly [I in keyof R]: Ask<R[I]> },
  read: (...rows: { [I in keyof R]: readonly R[I][] }) => T | Promise<T>,
): Hold<T> => ({ asks, read: (rows) => read(...(rows as { [I in keyof R]: readonly R[I][] })) });

type Mode = 'insert' | 'ensure' | 'upsert' | 'update' | 'delete';

export interface Write<Row> {
  readonly mode: Mode;
  readonly table: keyof Tables;
  /** All columns except `team_id`, with their types. */
  readonly columns: readonly (readonly [name: string, type: ColumnType])[];
  /** The columns that identify a row. */
  readonly key: readonly string[];
  /** Without one, each entry is a row. */
  readonly merge?: Merge<Row, object>;
}

/** How entries that the commands of a group write become rows. */
export interface Merge<Entry, Row> {
  /** Entries with the same key share a row; an entry without a key has its own. */
  key(entry: Entry): string | null;
  row(entries: readonly [Entry, ...Entry[]]): Row;
}

/** Whether a write needs its rows to exist: a missing row is a collision. */
export const requiresRows = ({ mode }: Write<unknown>): boolean => mode === 'update' || mode === 'delete';

/** Rows of one team for one write. */
export interface Rows {
  readonly teamId: string;
  readonly write: Write<unknown>;
  readonly rows: readonly unknown[];
}

type Columns<T extends keyof Tables> = { readonly [C in Exclude<keyof Tables[T], 'team_id'>]?: ColumnType };
type RowOf<T extends keyof Tables, C> = Pick<Tables[T], keyof C & keyof Tables[T]>;

const declare =
  (mode: Mode) =>
  <T extends keyof Tables, const C extends Columns<T>>(
    table: T,
    columns: C,
    { key = [] }: { readonly key?: readonly (keyof C & string)[] } = {},
  ): Write<RowOf<T, C>> => ({ mode, table, columns: Object.entries(columns) as [string, ColumnType][], key });

/** Declares rows to insert; an existing row is a collision. */
export const insertInto = declare('insert');
/** Declares rows to insert, each made of what one or more commands of a group wrote. */
export const mergeInto = <T extends keyof Tables, const C extends Columns<T>, Entry>(
  table: T,
  columns: C,
  merge: Merge<Entry, RowOf<T, C>>,
): Write<Entry> => ({ ...insertInto(table, columns), merge });
/** Declares rows to insert unless their key exists. */
export const ensureIn = declare('ensure');
/** Declares rows to insert, or to overwrite if their key exists. */
export const upsertInto = declare('upsert');
/** Declares rows to update; a missing row is a collision. */
export const updateIn = declare('update');
/** Declares rows to delete; a missing row is a collision. */
export const deleteFrom = declare('delete');
