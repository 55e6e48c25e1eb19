import { fitOf } from '../database/migrate.ts';
import { openDatabase } from '../database/open.ts';
import { type Digest, digestOf, firstNonEmptyTable, sameDigest, schemaAge, tableIn } from '../database/transfer.ts';
import type { Load, Snapshot, Table } from '../database/work.ts';
import { LIMITS } from '../shared/limits.ts';
import { type Contents, readBackup } from './backup-file.ts';
import { type Command, displayUrl, withDatabase } from './command.ts';
import { CommandError, formatCount, formatElapsed, required } from './shared.ts';

/** A table with the columns of a backup, in the order of the backup. */
const tableOf = async (load: Load, name: string, columns: readonly string[]): Promise<Table> => {
  const table = await tableIn(load, name);
  const found = columns.map((name) => table.columns.find((column) => column.name === name));
  if (found.includes(undefined)) throw new Error(`the backup has columns of ${name} that the database does not have`);
  return { ...table, columns: found as Table['columns'] };
};

/** Loads a backup into empty tables, and reads each table back to verify it. */
const fill = async (load: Load, path: string, print: (line: string) => void): Promise<void> => {
  let into: Table | undefined;
  await readBackup(path, {
    table: async ({ table, columns }) => {
      into = await tableOf(load, table, columns);
    },
    rows: (rows) => load.insert(into as Table, rows),
    end: async (name: string, digest: Digest) => {
      if (!sameDigest(digest, await digestOf(load, into as Table)))
        throw new Error(`table ${name} differs from ${path} after the restore`);
      print(`${name.padEnd(22)} ${formatCount(digest.rows).padStart(12)}`);
    },
  });
};

const assertNotNewer = (path: string, { header }: Contents): void => {
  if (schemaAge(header.schema) === 'newer')
    throw new CommandError(`${path} was created by a newer version of Itemwright (${header.schema})`);
};

export const restore: Command = {
  argument: 'FILE',
  summary: 'loads a backup into the database, which must be empty',
  help: ['With --replace, requests to a running service wait until it is done.'],
  examples: ['restore items.backup'],
  options: ['replace'],
  run: async ({ databaseUrl, argument, options, print }) => {
    const path = required(argument, 'FILE', LIMITS.pathLength);
    const startedMs = performance.now();
    // Read the whole file once before changing anything.
    const contents = await readBackup(path);
    assertNotNewer(path, contents);
    return withDatabase(openDatabase(databaseUrl), async (database) => {
      const requireEmpty = async (snapshot: Snapshot): Promise<void> => {
        const nonEmpty = options.replace ? undefined : await firstNonEmptyTable(snapshot);
        if (nonEmpty !== undefined)
          throw new CommandError(
            `${displayUrl(databaseUrl)} is not empty (${nonEmpty} has rows); use --replace to delete all existing data`,
          );
      };
      // Nodes of an earlier version may be using it.
      await database.snapshot(async (snapshot) => {
        const schema = await snapshot.schema();
        if (schema !== undefined && fitOf(schema) === 'served') await requireEmpty(snapshot);
      });
      await database.migrate();
      await database.load(async (load) => {
        await requireEmpty(load);
        const { schema, contracted = schema } = contents.header;
        const isOlder = schemaAge(contracted) === 'older';
        if (isOlder) await load.rebuild({ contracted, expanded: schema });
        else await load.clear();
        await fill(load, path, print);
        if (isOlder) await load.upgrade();
      });
      await database.maintain();
      print(
        `restored ${formatCount(contents.rows)} rows from a ${contents.header.engine} backup of ${contents.header.takenAt} in ${formatElapsed(startedMs)}`,
      );
      return true;
    });
  },
};
