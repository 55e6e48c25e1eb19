import { existsSync } from 'node:fs';
import { serversOf } from './postgres/address.ts';
import { openPostgres, type PostgresOptions } from './postgres/open.ts';
import { openSqlite } from './sqlite/open.ts';
import type { Database, Engine } from './work.ts';

/** Parses a database URL; undefined if it is invalid. */
export const parseDatabaseUrl = (url: string): { engine: Engine; target: string } | undefined => {
  if (serversOf(url).length > 0) return { engine: 'postgres', target: url };
  const path = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(url)?.[1];
  return path === undefined || path === ':memory:' ? undefined : { engine: 'sqlite', target: path };
};

/** The options apply to PostgreSQL only. */
export const openDatabase = (url: string, options: PostgresOptions = {}): Database => {
  const parsed = parseDatabaseUrl(url);
  if (parsed === undefined) throw new Error(`not a database URL: ${url}`);
  return parsed.engine === 'postgres' ? openPostgres(parsed.target, options) : openSqlite(parsed.target);
};

/** Opens a database that must already exist: opening a missing SQLite file would create it. */
export const openExistingDatabase = (url: string): Database | undefined => {
  const parsed = parseDatabaseUrl(url);
  return parsed?.engine === 'sqlite' && !existsSync(parsed.target) ? undefined : openDatabase(url);
};
