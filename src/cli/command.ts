import { fitOf } from '../database/migrate.ts';
import { type OpenOptions, openExistingDatabase } from '../database/open.ts';
import { placeOf } from '../database/postgres/address.ts';
import type { Database, SchemaState, Snapshot } from '../database/work.ts';
import { CommandError, type CommandSyntax, type Options } from './shared.ts';

/** The arguments a command was called with. */
export interface Call {
  readonly databaseUrl: string;
  readonly argument: string | undefined;
  readonly options: Options;
  /** Whether standard output is a terminal, rather than a log. */
  readonly isTerminal?: boolean;
  /** Prints a line to standard output. */
  print(line: string): void;
}

/** A command that works on the database. */
export interface Command extends CommandSyntax {
  /** Returns false if the command ran but found problems. */
  run(call: Call): Promise<boolean>;
}

/** Closes the database when done, even on failure. */
export const withDatabase = async <T>(database: Database, use: (database: Database) => Promise<T>): Promise<T> => {
  try {
    return await use(database);
  } finally {
    await database.close();
  }
};

/** A database URL without the password, for display. */
export const displayUrl = (url: string): string => {
  const place = placeOf(url);
  return place === undefined ? url : `postgres://${place}`;
};

const PASSWORD = '***';

/** Hides the password, wherever a URL may have one. */
const withoutPassword = (url: string): string =>
  url
    .replace(/^(postgres(?:ql)?:\/\/[^/?#@:]*:)[^/?#]*(?=@)/, `$1${PASSWORD}`)
    .replaceAll(/([?&]password=)[^&#]*/g, `$1${PASSWORD}`);

/** Quotes a text for a shell, if it needs that. */
const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** A setting of the database to paste into a shell; where others may read it, such as in a log, without the password. */
export const pasteableUrl = (url: string, { isPrivate }: { isPrivate: boolean }): string =>
  `DATABASE_URL=${shellWord(isPrivate ? url : withoutPassword(url))}`;

const noDatabase = (url: string): CommandError =>
  new CommandError(`no Itemwright database at ${displayUrl(url)}; the service creates it when it starts`);

/** Opens an existing database without creating or migrating it. */
export const openExisting = (url: string, options: OpenOptions = {}): Database => {
  const database = openExistingDatabase(url, options);
  if (database === undefined) throw noDatabase(url);
  return database;
};

/** Rejects schemas that this version does not know, since it would read them only in part. */
export const checkSchema = async (snapshot: Snapshot, url: string): Promise<SchemaState> => {
  const schema = await snapshot.schema();
  if (schema === undefined) throw noDatabase(url);
  const fit = fitOf(schema);
  if (fit === 'older')
    throw new CommandError(
      `${displayUrl(url)} was created by an older version of Itemwright (${schema.contracted}): use that version, or start this version on it once to migrate`,
    );
  if (fit === 'newer')
    throw new CommandError(`${displayUrl(url)} was created by a newer version of Itemwright (${schema.contracted})`);
  return schema;
};
