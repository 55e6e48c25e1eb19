import { existsSync } from 'node:fs';
import { MIGRATION_TABLES } from './migrate.ts';
import { serversOf } from './postgres/address.ts';
import { openPostgres, type PostgresOptions } from './postgres/open.ts';
import { mayHaveTable } from './sqlite/driver.ts';
import { openSqlite, type SqliteOptions } from './sqlite/open.ts';
import type { Database, Engine } from './work.ts';

/** Parses a database URL; undefined if it is invalid. */
export const parseDatabaseUrl = (url: string): { engine: Engine; target: string } | undefined => {
  if (serversOf(url).length > 0) return { engine: 'postgres', target: url };
  const path = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(url)?.[1];
  return path === undefined || path === ':memory:' ? undefined : { engine: 'sqlite', target: path };
};

/** Each engine takes the options that it knows. */
export type OpenOptions = PostgresOptions & SqliteOptions;

export const openDatabase = (url: string, options: OpenOptions = {}): Database => {
  const parsed = parseDatabaseUrl(url);
  if (parsed === undefined) throw new Error(`not a database URL: ${url}`);
  return parsed.engine === 'postgres' ? openPostgres(parsed.target, options) : openSqlite(parsed.target, options);
};

/** Opens a database that must already exist: opening an SQLite file would create it, or prepare it to become one. */
export const openExistingDatabase = (url: string, options: OpenOptions = {}): Database | undefined => {
  const parsed = parseDatabaseUrl(url);
  const isMissing =
    parsed?.engine === 'sqlite' && !(existsSync(parsed.target) && mayHaveTable(parsed.target, MIGRATION_TABLES[0]));
  return isMissing ? undefined : openDatabase(url, options);
};
