import type { Kysely, Transaction as KyselyTransaction } from 'kysely';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';
import type { Tables } from './tables.ts';

/** A command's own unit of work. Services take this and never the whole database, so that no query can escape it. */
export type Transaction = KyselyTransaction<Tables> & { readonly unitOfWork: 'write' };

/** Queries on what is committed. A transaction reads too, so whatever only reads takes this. */
export type Reader = Kysely<Tables>;

export interface Database {
  readonly engine: 'sqlite' | 'postgres';
  /**
   * Runs a command that changes things: all of it is kept, or nothing. The command may run more than once before one
   * run is kept, so it must do nothing but query.
   */
  write<T>(command: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Runs one statement, which is a transaction by itself: a single journey to the server and back. Only for engines on
   * which one statement can write to several tables.
   */
  readonly alone?: <T>(statement: (queries: Reader) => Promise<T>) => Promise<T>;
  /** Runs queries that all see one and the same committed state. */
  read<T>(query: (reader: Reader) => Promise<T>): Promise<T>;
  /** Brings the schema up to date, one process at a time; a migration that fails leaves nothing behind. */
  migrate(migrations?: Migrations): Promise<void>;
  close(): Promise<void>;
}

/** One numbered step of the schema. It is told the engine, since the two spell a few column types differently. */
export type Migration = (schema: Kysely<unknown>, engine: Database['engine']) => Promise<void>;
export type Migrations = Record<string, Migration>;

/** What a database url means, or undefined where it means nothing. */
export const parseDatabaseUrl = (url: string): { engine: Database['engine']; target: string } | undefined => {
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return { engine: 'postgres', target: url };
  const path = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(url)?.[1];
  return path === undefined || path === ':memory:' ? undefined : { engine: 'sqlite', target: path };
};

export const openDatabase = (url: string): Database => {
  const parsed = parseDatabaseUrl(url);
  if (parsed === undefined) throw new Error(`not a database url: ${url}`);
  return parsed.engine === 'postgres' ? openPostgres(parsed.target) : openSqlite(parsed.target);
};
