/** What stores declare: lookups and writes, each with a text that does not depend on the number of keys or rows. */
import type { Compilable, Expression, Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/**
 * Locks that many may share and one can have alone. `grids`: whoever gives or places things shares it, and whoever deletes
 * an item, or changes the size of items or spaces, excludes the others.
 */
export type SharedLock = 'grids';

export type ColumnType = 'text' | 'integer' | 'bigint' | 'double precision';
type ValueOf<T extends ColumnType> = T extends 'text' ? string : number;

export type KeyTypes = Readonly<Record<string, ColumnType>>;
export type KeyOf<K extends KeyTypes> = { readonly [N in keyof K]: ValueOf<K[N]> };
type KeyExpressions<K extends KeyTypes> = { readonly [N in keyof K]: Expression<ValueOf<K[N]>> };

export interface Lookup<K extends KeyTypes = KeyTypes, Row = unknown> {
  readonly keys: K;
  /** The table whose rows, where they are found, stay locked until the end of the transaction. */
  readonly locks: keyof Tables | null;
  /** A lock to share before anything is read. */
  readonly shares: SharedLock | null;
  /** Whether one key may have very many rows. */
  readonly isLong: boolean;
  /** The query for one key. */
  build(queries: Kysely<Tables>, teamId: Expression<string>, key: KeyExpressions<K>): Compilable<Row> & Expression<Row>;
}

type Build<K extends KeyTypes, Row> = Lookup<K, Row>['build'];

/** Declares a read: for one key of one team, the rows that belong to it. */
export const lookup = <const K extends KeyTypes, Row>(
  keys: K,
  build: Build<K, Row>,
  { shares = null, isLong = false }: { shares?: SharedLock | null; isLong?: boolean } = {},
): Lookup<K, Row> => ({ keys, build, locks: null, shares, isLong });

/** The same for a query that locks the rows of a table which it finds (`forUpdate`), to be held. */
export const lockingLookup = <const K extends KeyTypes, Row>(
  locks: keyof Tables,
  keys: K,
  build: Build<K, Row>,
): Lookup<K, Row> => ({ keys, build, locks, shares: null, isLong: false });

/** One lookup with the key to ask it for. */
export interface Ask<Row> {
  readonly lookup: Lookup<KeyTypes, Row>;
  readonly key: Readonly<Record<string, string | number>>;
}

export const ask = <K extends KeyTypes, Row>(lookup: Lookup<K, Row>, key: KeyOf<K>): Ask<Row> => ({ lookup, key });

type Mode = 'insert' | 'ensure' | 'upsert' | 'update' | 'delete';

export interface Write<Row> {
  readonly mode: Mode;
  readonly table: keyof Tables;
  /** All columns but the team's, with their types. */
  readonly columns: readonly (readonly [name: string, type: ColumnType])[];
  /** Which of the columns name a row. */
  readonly key: readonly string[];
  /** Makes the rows to write of what the commands of a group have left; without it each left a row. */
  gather?(left: readonly Row[]): readonly object[];
}

/** Whether a write names rows that must be there: one that is not is a collision. */
export const namesRows = ({ mode }: Write<unknown>): boolean => mode === 'update' || mode === 'delete';

/** Rows of one team for one write. */
export interface Rows {
  readonly teamId: string;
  readonly write: Write<unknown>;
  readonly rows: readonly unknown[];
}

type Columns<T extends keyof Tables> = { readonly [C in Exclude<keyof Tables[T], 'team_id'>]?: ColumnType };
type RowOf<T extends keyof Tables, C> = Pick<Tables[T], keyof C & keyof Tables[T]>;

interface WriteOptions<C, Row, Left> {
  readonly key?: readonly (keyof C & string)[];
  readonly gather?: (left: readonly Left[]) => readonly Row[];
}

const declare =
  (mode: Mode) =>
  <T extends keyof Tables, const C extends Columns<T>, Left = RowOf<T, C>>(
    table: T,
    columns: C,
    { key = [], gather }: WriteOptions<C, RowOf<T, C>, Left> = {},
  ): Write<Left> => ({ mode, table, columns: Object.entries(columns) as [string, ColumnType][], key, gather });

/** Declares rows to insert; one that is there already is a collision. */
export const insertInto = declare('insert');
/** Declares rows to insert where there are none of the same key. */
export const ensureIn = declare('ensure');
/** Declares rows to insert, or to overwrite where there are some of the same key. */
export const upsertInto = declare('upsert');
/** Declares rows to change; one that is not there is a collision. */
export const updateIn = declare('update');
/** Declares rows to delete; one that is not there is a collision. */
export const deleteFrom = declare('delete');
