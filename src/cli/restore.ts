import { openDatabase } from '../database/open.ts';
import { ageOf, type Digest, digestOf, firstFilled, isSame, tableIn } from '../database/transfer.ts';
import type { Load, Table } from '../database/work.ts';
import { LIMITS } from '../limits.ts';
import { type Contents, readBackup } from './backup-file.ts';
import { type Command, CommandError, counted, nameOf, required, seconds, withDatabase } from './command.ts';

/** A table with the columns that a backup has of it, in their order there. */
const tableOf = async (load: Load, name: string, columns: readonly string[]): Promise<Table> => {
  const table = await tableIn(load, name);
  const found = columns.map((name) => table.columns.find((column) => column.name === name));
  if (found.includes(undefined)) throw new Error(`the backup has columns of ${name} that the database does not know`);
  return { ...table, columns: found as Table['columns'] };
};

/** Puts the rows of a file into empty tables, and reads each table again to see that it is as the file has it. */
const fill = async (load: Load, path: string, say: (line: string) => void): Promise<void> => {
  let into: Table | undefined;
  await readBackup(path, {
    table: async ({ table, columns }) => {
      into = await tableOf(load, table, columns);
    },
    rows: (rows) => load.insert(into as Table, rows),
    end: async (name: string, digest: Digest) => {
      if (!isSame(digest, await digestOf(load, into as Table)))
        throw new Error(`table ${name} came out otherwise than it is in ${path}`);
      say(`${name.padEnd(22)} ${counted(digest.rows).padStart(12)}`);
    },
  });
};

const refuseNewer = (path: string, { header }: Contents): void => {
  if (ageOf(header.schema) === 'newer')
    throw new CommandError(`${path} was made by a newer version of Itemwright (${header.schema})`);
};

export const restore: Command = {
  usage: 'FILE [--replace]',
  help: [
    'fills the database, which must be empty, with what FILE holds',
    '--replace removes what is there first; requests wait meanwhile',
  ],
  takesArgument: true,
  options: ['replace'],
  run: async ({ databaseUrl, argument, options, say }) => {
    const path = required(argument, 'FILE', LIMITS.pathLength);
    const startedMs = performance.now();
    // Nothing is touched before the whole file has been read once.
    const contents = await readBackup(path);
    refuseNewer(path, contents);
    return withDatabase(openDatabase(databaseUrl), async (database) => {
      await database.migrate();
      await database.load(async (load) => {
        const filled = options.replace ? undefined : await firstFilled(load);
        if (filled !== undefined)
          throw new CommandError(
            `${nameOf(databaseUrl)} is not empty (it has ${filled}); --replace removes all that is there`,
          );
        const isOlder = ageOf(contents.header.schema) === 'older';
        if (isOlder) await load.rebuild(contents.header.schema);
        else await load.clear();
        await fill(load, path, say);
        if (isOlder) await load.upgrade();
      });
      await database.maintain();
      say(
        `restored ${counted(contents.rows)} rows, taken ${contents.header.takenAt} of ${contents.header.engine}, in ${seconds(startedMs)}`,
      );
      return true;
    });
  },
};
