import { openExistingDatabase, parseDatabaseUrl } from '../database/open.ts';
import { ageOf } from '../database/transfer.ts';
import type { Database, Snapshot } from '../database/work.ts';
import { LIMITS } from '../limits.ts';

/** What a person did wrong, or what the command found: told in a line, without a stack. */
export class CommandError extends Error {}

export interface Options {
  readonly team?: string;
  readonly role?: string;
  readonly name?: string;
  readonly id?: string;
  readonly to?: string;
  readonly force?: boolean;
  readonly replace?: boolean;
}

/** How a command was called. */
export interface Call {
  readonly databaseUrl: string;
  readonly argument: string | undefined;
  readonly options: Options;
  /** Prints a line on standard output. */
  say(line: string): void;
}

export interface Command {
  /** What follows the name of the command, such as `FILE [--force]`. */
  readonly usage: string;
  /** Lines that say what it does. */
  readonly help: readonly string[];
  readonly takesArgument: boolean;
  readonly options: readonly (keyof Options)[];
  /** Answers false where it did its work but what it found is not well. */
  run(call: Call): Promise<boolean>;
}

export const required = (value: string | undefined, what: string, most: number = LIMITS.nameLength): string => {
  if (value === undefined || value === '') throw new CommandError(`${what} is missing`);
  if (value.length > most) throw new CommandError(`${what} has more than ${most} characters`);
  return value;
};

/** Uses a database and closes it, whatever happens. */
export const withDatabase = async <T>(database: Database, use: (database: Database) => Promise<T>): Promise<T> => {
  try {
    return await use(database);
  } finally {
    await database.close();
  }
};

/** A database as a person may see it: no password. */
export const nameOf = (url: string): string => {
  const parsed = parseDatabaseUrl(url);
  if (parsed?.engine !== 'postgres') return url;
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
};

/** Opens a database that is only read, and neither made nor migrated. */
export const openToRead = (url: string): Database => {
  const database = openExistingDatabase(url);
  if (database === undefined) throw new CommandError(`there is no database at ${nameOf(url)}`);
  return database;
};

/** Refuses tables that this version does not know, which it would read only in part. */
export const checkSchema = async (snapshot: Snapshot, url: string): Promise<void> => {
  const schema = await snapshot.schema();
  if (schema === undefined) throw new CommandError(`there is no database of Itemwright at ${nameOf(url)}`);
  const age = ageOf(schema);
  if (age === 'older')
    throw new CommandError(
      `${nameOf(url)} was made by an older version of Itemwright (${schema}): use that version, or start this one on it once`,
    );
  if (age === 'newer') throw new CommandError(`${nameOf(url)} was made by a newer version of Itemwright (${schema})`);
};

/** A number with commas, such as 1,000,000. */
export const counted = (count: number): string => count.toLocaleString('en-US');

export const seconds = (sinceMs: number): string => `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;
