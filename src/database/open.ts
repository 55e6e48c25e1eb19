import { existsSync } from 'node:fs';
import { serversOf } from './postgres/address.ts';
import { openPostgres, type PostgresOptions } from './postgres/open.ts';
import { openSqlite } from './sqlite/open.ts';
import type { Database, Engine } from './work.ts';

/** What a database url means, or undefined where it means nothing. */
export const parseDatabaseUrl = (url: string): { engine: Engine; target: string } | undefined => {
  if (serversOf(url).length > 0) return { engine: 'postgres', target: url };
  const path = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(url)?.[1];
  return path === undefined || path === ':memory:' ? undefined : { engine: 'sqlite', target: path };
};

/** The options concern engines that have connections; one that has none leaves them aside. */
export const openDatabase = (url: string, options: PostgresOptions = {}): Database => {
  const parsed = parseDatabaseUrl(url);
  if (parsed === undefined) throw new Error(`not a database url: ${url}`);
  return parsed.engine === 'postgres' ? openPostgres(parsed.target, options) : openSqlite(parsed.target);
};

/** The same for one that must be there: opening a file of SQLite would else make it. */
export const openExistingDatabase = (url: string): Database | undefined => {
  const parsed = parseDatabaseUrl(url);
  return parsed?.engine === 'sqlite' && !existsSync(parsed.target) ? undefined : openDatabase(url);
};
