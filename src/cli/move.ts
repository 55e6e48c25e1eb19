import { openDatabase, parseDatabaseUrl } from '../database/open.ts';
import { TABLES } from '../database/tables.ts';
import { type Digest, digestOf, firstFilled, isSame, tableIn } from '../database/transfer.ts';
import type { Load, Snapshot } from '../database/work.ts';
import { LIMITS } from '../limits.ts';
import {
  type Command,
  CommandError,
  checkSchema,
  counted,
  nameOf,
  openToRead,
  required,
  seconds,
  withDatabase,
} from './command.ts';

type Digests = ReadonlyMap<string, Digest>;

/** Enough of a hash to compare by eye; all of it was compared already. */
const shown = (digest: Digest): string => `${counted(digest.rows).padStart(12)}  ${digest.sha256.slice(0, 16)}`;

/** Copies every table, reads it again on the other side, and tells both. */
const copy = async (from: Snapshot, to: Load, say: (line: string) => void): Promise<Digests> => {
  const digests = new Map<string, Digest>();
  for (const name of TABLES) {
    const source = await tableIn(from, name);
    const known = await tableIn(to, name);
    const columns = source.columns.map((column) => known.columns.find((same) => same.name === column.name) ?? column);
    const target = { ...known, columns };
    const given = await digestOf(from, source, (rows) => to.insert(target, rows));
    const received = await digestOf(to, target);
    say(`${name.padEnd(22)} ${shown(given)}  ${shown(received)}`);
    if (!isSame(given, received)) throw new Error(`table ${name} came out otherwise than it was`);
    digests.set(name, given);
  }
  return digests;
};

/** The tables that are not as they were when they were copied. */
const changedSince = async (snapshot: Snapshot, copied: Digests): Promise<string[]> => {
  const changed: string[] = [];
  for (const [name, digest] of copied)
    if (!isSame(digest, await digestOf(snapshot, await tableIn(snapshot, name)))) changed.push(name);
  return changed;
};

export const move: Command = {
  usage: '--to URL',
  help: [
    'copies all there is to the empty database at URL, of either kind, and compares the two',
    'stop the service before: what is written meanwhile is not copied, and the move is refused',
  ],
  takesArgument: false,
  options: ['to'],
  run: async ({ databaseUrl, options, say }) => {
    const to = required(options.to, '--to', LIMITS.pathLength);
    if (parseDatabaseUrl(to) === undefined) throw new CommandError('--to must be sqlite:PATH or postgres://…');
    if (to === databaseUrl) throw new CommandError('--to is where it is already');
    const startedMs = performance.now();
    return withDatabase(openToRead(databaseUrl), (source) =>
      source.snapshot(async (snapshot) => {
        await checkSchema(snapshot, databaseUrl);
        return withDatabase(openDatabase(to), async (target) => {
          await target.migrate();
          await target.load(async (load) => {
            const filled = await firstFilled(load);
            if (filled !== undefined) throw new CommandError(`${nameOf(to)} is not empty: it has ${filled}`);
            await load.clear();
            say(
              `${''.padEnd(22)} ${'rows here'.padStart(12)}  ${'hash'.padEnd(16)}  ${'rows there'.padStart(12)}  hash`,
            );
            const copied = await copy(snapshot, load, say);
            const changed = await source.snapshot((later) => changedSince(later, copied));
            if (changed.length > 0)
              throw new CommandError(
                `nothing was moved: ${nameOf(databaseUrl)} was written to meanwhile (${changed.join(', ')}); stop the service and move again`,
              );
          });
          await target.maintain();
          say(
            `moved in ${seconds(startedMs)}, all tables equal; now start the service with DATABASE_URL=${nameOf(to)}`,
          );
          return true;
        });
      }),
    );
  },
};
