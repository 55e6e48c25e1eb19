/** What the rest of the service knows of the database: units of work, and what stores declare for them. */
import type { CompiledQuery, Kysely } from 'kysely';
import type { Ask, KeyOf, KeyTypes, Lookup, SharedLock, Write } from './declarations.ts';
import type { DatabaseObserver } from './observer.ts';
import type { Tables } from './tables.ts';

/** Builds and runs queries that are not declared, one at a time. */
export type Queries = Kysely<Tables>;

/** Whatever can look things up in one team's data. */
export interface Finder {
  readonly teamId: string;
  /** The rows of one key. Commands that ask the same lookup at the same time share one statement. */
  find<K extends KeyTypes, Row>(lookup: Lookup<K, Row>, key: KeyOf<K>): Promise<readonly Row[]>;
  /**
   * Gives up for now: all that was done is dropped, and everything runs again from the start once the promise is settled.
   * For whatever must not keep a transaction waiting.
   */
  rerunAfter(promise: Promise<unknown>): never;
}

/**
 * A command's unit of work: all of it is kept, or nothing. Commands that arrive together run interleaved in one
 * transaction, and each is written as if it were alone:
 *
 * - It sees what was committed before it began, never what it writes itself, nor what the others of its group write.
 * - What it writes is sent when all commands of the group are done. One that throws is dropped with what it wrote.
 * - What only one may have at a time it holds. No two commands of a group hold the same key: the later one runs again in
 *   the next group. Other processes are kept out by row locks.
 *
 * A command may run more than once before one run is kept, so it must do nothing but ask, write and compute; and it must
 * wait for nothing but its own questions.
 */
export interface Work extends Finder {
  /**
   * Asks several lookups in one go. Rows of those that lock are this command's alone until the end of the transaction;
   * locks are taken in one order and before anything else is read, so the other lookups see what the locks protect.
   */
  hold<R extends readonly unknown[]>(
    ...asks: { readonly [I in keyof R]: Ask<R[I]> }
  ): Promise<{ [I in keyof R]: readonly R[I][] }>;
  /** Keeps other commands of this process from claiming the same name; for what has no row to lock yet. */
  claim(name: string): void;
  write<Row>(write: Write<Row>, ...rows: Row[]): void;
}

/**
 * A unit of work that has its transaction to itself and may query freely, in which it sees what it has done. What is
 * written by declaration is sent when the command is done, as in any unit of work.
 */
export interface Transaction extends Work {
  readonly queries: Queries;
  /** Waits until no other transaction shares the named lock of the team, and keeps them out until the end. */
  exclude(lock: SharedLock): Promise<void>;
}

/** Queries that all see one and the same committed state. */
export interface Reader extends Finder {
  readonly queries: Queries;
}

export type Engine = 'sqlite' | 'postgres';

/** Tables whose rows are named by ids that begin with the time. */
export type TimedTable = 'roll_events';
/** A table as the database has it: its columns in their order, and those of its primary key. */
export interface Table {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly key: readonly string[];
}

export type Value = string | number | null;

/** Everything as it was at one moment, for whoever reads all of it and takes as long as that takes. */
export interface Snapshot {
  readonly queries: Queries;
  /** The last migration that was run; undefined where there are no tables of ours. */
  schema(): Promise<string | undefined>;
  /** Undefined where there is no such table. */
  table(name: string): Promise<Table | undefined>;
  /** All rows in the order of the key, some at a time; each is a list of values in the order of the columns. */
  rows(table: Table): AsyncIterable<Value[][]>;
  /** What a query finds, some rows at a time. */
  stream<Row>(query: CompiledQuery<Row>): AsyncIterable<Row[]>;
}

/** One transaction to fill a database with. Nobody writes beside it; who reads waits, or sees what was there before. */
export interface Load extends Snapshot {
  insert(table: Table, rows: readonly Value[][]): Promise<void>;
  /** Removes all rows. */
  clear(): Promise<void>;
  /** Drops everything, and makes the tables as they were after a migration. */
  rebuild(migration: string): Promise<void>;
  /** Runs the migrations that are missing. */
  upgrade(): Promise<void>;
}

export interface Database {
  readonly engine: Engine;
  /** Runs a command together with those of the same team that arrive at the same time. */
  write<T>(teamId: string, command: (work: Work) => Promise<T>): Promise<T>;
  /** Runs a command in a transaction of its own. */
  transaction<T>(teamId: string, command: (tx: Transaction) => Promise<T>): Promise<T>;
  read<T>(teamId: string, query: (reader: Reader) => Promise<T>): Promise<T>;
  /** The same on connections that nothing else uses: for a short query that every request waits for. */
  readUrgent<T>(teamId: string, query: (reader: Reader) => Promise<T>): Promise<T>;
  /** Brings the schema up to date, one process at a time; a migration that fails leaves nothing behind. */
  migrate(migrations?: Migrations): Promise<void>;
  /** Fails where the server has not as many connections to give as so many processes may open. */
  checkConnections(processes: number): Promise<void>;
  /** Fails where the database does not answer, or does not accept writes. */
  ready(): Promise<void>;
  /** Reads all there is at one moment. Others read and write meanwhile. */
  snapshot<T>(use: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /** Fills the database in one transaction, which is undone as a whole if `use` fails. Others wait. */
  load<T>(use: (load: Load) => Promise<T>): Promise<T>;
  /** Does what the engine wants done from time to time. */
  maintain(): Promise<void>;
  /** Removes rows of a table whose ids tell when they were made: as many of those from before a moment as it finds. */
  removeBefore(table: TimedTable, beforeMs: number, goesOn: () => boolean): Promise<void>;
  /** Tells an observer, and no longer any other, what goes on from now on. */
  observe(observer: DatabaseObserver): void;
  close(): Promise<void>;
}

/** For those who read outside of any unit of work, and never write. */
export type Read = Database['read'];

/** What concerns no team in particular, such as the first start. */
export const NO_TEAM = '';

/** One numbered step of the schema. It is told the engine, since the two spell a few column types differently. */
export type Migration = (schema: Kysely<unknown>, engine: Engine) => Promise<void>;
export type Migrations = Readonly<Record<string, Migration>>;

/** A command found that another transaction had overtaken it, and asks to be run again from the start. */
export class Collision extends Error {}
