/** The database as the rest of the service sees it: units of work, and what stores declare for them. */
import type { CompiledQuery, Kysely } from 'kysely';
import type { Ask, Hold, KeyOf, KeyTypes, Lookup, SharedLock, Write } from './declarations.ts';
import type { NewEvent } from './events.ts';
import type { DatabaseObserver } from './observer.ts';
import type { Tables } from './tables.ts';

/** Builds and runs undeclared queries, one at a time. */
export type Queries = Kysely<Tables>;

/** Looks up data of one team. */
export interface Finder {
  readonly teamId: string;
  /** The rows of one key. Commands that use the same lookup at the same time share one statement. */
  find<K extends KeyTypes, Row>(lookup: Lookup<K, Row>, key: KeyOf<K>): Promise<readonly Row[]>;
  /**
   * Aborts this run: all its work is discarded, and it runs again from the start once the promise settles. For anything
   * that must not keep a transaction waiting.
   */
  rerunAfter(promise: Promise<unknown>): never;
}

/**
 * A command's unit of work, which is all or nothing. Commands that arrive together run interleaved in one transaction,
 * and each is written as if it ran alone:
 *
 * - It sees what was committed before it began, but not its own writes.
 * - Its writes are sent when it is done. If it throws, they are dropped.
 * - It holds what only one command may use at a time. Commands of a group that want to hold the same key do so one after
 *   the other, and each sees what the ones before it wrote. Row locks keep other processes out.
 * - Whatever else commands of its group write, it may see or not.
 *
 * A command may run several times before one run is kept, so it must have no side effects, and must await nothing but
 * its own lookups. What it finds may not be committed yet: see `remember`.
 */
export interface Work extends Finder {
  /**
   * Runs several lookups at once. Rows found by locking lookups belong to this command until the end of the
   * transaction. Locks are taken in one order and before anything else is read, so the other lookups see what the locks
   * protect.
   */
  hold<R extends readonly unknown[]>(
    ...asks: { readonly [I in keyof R]: Ask<R[I]> }
  ): Promise<{ [I in keyof R]: readonly R[I][] }>;
  /** Keeps other commands of this process from claiming the same name, when there is no row to lock yet. */
  claim(name: string): void;
  write<Row>(write: Write<Row>, ...rows: Row[]): void;
  /**
   * Says what this command changes, for the feed of the team. Events are written with the changes, in the order in which
   * they are recorded.
   */
  record(event: NewEvent): void;
  /** Called once what this command has seen is committed; only then may later commands rely on it. */
  remember(fact: () => void): void;
}

/**
 * A unit of work with a transaction of its own and free-form queries, which see its earlier queries. Declared writes
 * are still sent when the command is done.
 */
export interface Transaction extends Work {
  readonly queries: Queries;
  /** Waits until no other transaction of the team shares the lock, and keeps them out until the end of this one. */
  exclude(lock: SharedLock): Promise<void>;
}

/** Queries that all see the same committed snapshot. */
export interface Reader extends Finder {
  readonly queries: Queries;
}

export type Engine = 'sqlite' | 'postgres';

/** Tables whose ids start with the time. */
export type TimedTable = 'roll_events' | 'events';
/** A table as it is in the database: its columns in order, and the columns of its primary key. */
export interface Table {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly key: readonly string[];
}

export type Value = string | number | null;

/** The whole database at one moment, to be read without a time limit. */
export interface Snapshot {
  readonly queries: Queries;
  /** Undefined if there are no Itemwright tables. */
  schema(): Promise<SchemaState | undefined>;
  /** Undefined if there is no such table. */
  table(name: string): Promise<Table | undefined>;
  /** All rows in key order, in batches; each row is a list of values in column order. */
  rows(table: Table): AsyncIterable<Value[][]>;
  /** The rows of a query, in batches. */
  stream<Row>(query: CompiledQuery<Row>): AsyncIterable<Row[]>;
}

/** A transaction that fills a database. Others cannot write meanwhile; readers wait, or see the previous data. */
export interface Load extends Snapshot {
  insert(table: Table, rows: readonly Value[][]): Promise<void>;
  /** Deletes all rows. */
  clear(): Promise<void>;
  /** Drops everything, and recreates the tables as they were. */
  rebuild(schema: SchemaState): Promise<void>;
  /** Runs the pending migrations. */
  upgrade(): Promise<void>;
}

export interface Database {
  readonly engine: Engine;
  /** How long background work should wait before it asks for something of all teams again. */
  readonly acrossTeamsMs: number;
  /** Runs a command together with those of the same team that arrive at the same time. */
  write<T>(teamId: string, command: (work: Work) => Promise<T>): Promise<T>;
  /** Runs a command in a transaction of its own. */
  transaction<T>(teamId: string, command: (tx: Transaction) => Promise<T>): Promise<T>;
  read<T>(teamId: string, query: (reader: Reader) => Promise<T>): Promise<T>;
  /** Like `read`, on connections reserved for short queries that every request waits for. */
  readUrgent<T>(teamId: string, query: (reader: Reader) => Promise<T>): Promise<T>;
  /**
   * Brings the schema up to date, one process at a time; a failed migration leaves nothing behind. Nodes of earlier
   * versions are refused from then on.
   */
  migrate(migrations?: Migrations): Promise<void>;
  /** Runs only the first half of the next migration. A new database is migrated completely. */
  expand(): Promise<void>;
  /** Throws if it was seen that this version cannot serve the schema; see `Fence`. */
  assertSchema(): void;
  /** Whether a migration was seen to be completed: from then on, no node of an earlier version writes. */
  hasCompleted(migration: string): boolean;
  /** Looks whether this version can serve the schema, and fails if not. */
  checkSchema(): Promise<void>;
  /** Fails if the server does not allow as many connections as this many processes may open. */
  checkConnections(processes: number): Promise<void>;
  /** How many connections other processes of Itemwright use; 0 on SQLite, where whoever must be alone opens it as owner. */
  others(): Promise<number>;
  /** Fails if the database does not respond, or writes do not get through. */
  ready(): Promise<void>;
  /** For how long the oldest commit has been waiting; 0 if none is. */
  oldestCommitMs(): number;
  /** Reads the whole database at one moment, while others keep reading and writing. */
  snapshot<T>(use: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /** Fills the database in one transaction, which is rolled back if `use` fails. Others wait. */
  load<T>(use: (load: Load) => Promise<T>): Promise<T>;
  /** Does the engine's regular maintenance. */
  maintain(): Promise<void>;
  /** Deletes the rows with ids from before a moment, in steps, while `shouldContinue` returns true. */
  removeBefore(table: TimedTable, beforeMs: number, shouldContinue: () => boolean): Promise<void>;
  /** Sets what is called when events of a team were committed here, replacing any other. */
  onEvents(listener: (teamId: string) => void): void;
  /** Sets the observer, replacing any other. */
  observe(observer: DatabaseObserver): void;
  close(): Promise<void>;
}

type Held<H> = H extends Hold<infer T> ? T : null;

/** Takes all locks of a command, at once and in one order, so that commands do not wait for each other in a circle. */
export const holdAll = async <H extends readonly (Hold<unknown> | null)[]>(
  work: Work,
  ...holds: H
): Promise<{ [I in keyof H]: Held<H[I]> }> => {
  const rows = await work.hold(...holds.flatMap((hold) => hold?.asks ?? []));
  let start = 0;
  const held = holds.map(async (hold) => {
    if (hold === null) return null;
    start += hold.asks.length;
    return hold.read(rows.slice(start - hold.asks.length, start));
  });
  return (await Promise.all(held)) as { [I in keyof H]: Held<H[I]> };
};

/** For reads outside any unit of work. */
export type Read = Database['read'];

/** For commands outside any unit of work, which must not wait for them but run again afterwards: see `rerunAfter`. */
export type RunCommand = Database['write'];

/** For transactions outside any other. */
export type RunTransaction = Database['transaction'];

/** For work that belongs to no team, such as the first start. */
export const NO_TEAM = '';

/** A change of the schema. It gets the engine, since the two spell a few column types differently. */
export type SchemaChange = (schema: Kysely<unknown>, engine: Engine) => Promise<void>;
/**
 * A change in two halves. After the first, nodes of the version before go on, together with those of this one; the second
 * removes what only the former need.
 */
export interface HalvedMigration {
  readonly expand: SchemaChange;
  readonly contract: SchemaChange;
}
/** One numbered step of the schema. The first fourteen have one half, for which all nodes must stop. */
export type Migration = SchemaChange | HalvedMigration;
export type Migrations = Readonly<Record<string, Migration>>;

/** The names of the last migrations that were run: completely, and at least the first half. */
export interface SchemaState {
  readonly contracted: string;
  readonly expanded: string;
}

/** Thrown by a command that another transaction has overtaken, to be run again from the start. */
export class Collision extends Error {}
