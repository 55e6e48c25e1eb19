import { openDatabase, parseDatabaseUrl } from '../database/open.ts';
import { TABLES } from '../database/tables.ts';
import { type Digest, digestOf, firstNonEmptyTable, sameDigest, tableIn } from '../database/transfer.ts';
import type { Database, Load, Snapshot } from '../database/work.ts';
import { LIMITS } from '../shared/limits.ts';
import { type Command, checkSchema, displayUrl, openExisting, pasteableUrl, withDatabase } from './command.ts';
import { CommandError, countOf, formatCount, formatElapsed, required } from './shared.ts';

type Digests = ReadonlyMap<string, Digest>;

/** Part of the hash, for comparison by eye; the whole hash has already been compared. */
const formatDigest = (digest: Digest): string =>
  `${formatCount(digest.rows).padStart(12)}  ${digest.sha256.slice(0, 16)}`;

/** Copies every table, reads it back from the target, and prints both digests. */
const copy = async (from: Snapshot, to: Load, print: (line: string) => void): Promise<Digests> => {
  const digests = new Map<string, Digest>();
  for (const name of TABLES) {
    const source = await tableIn(from, name);
    const known = await tableIn(to, name);
    const columns = source.columns.map((column) => known.columns.find((same) => same.name === column.name) ?? column);
    const target = { ...known, columns };
    const given = await digestOf(from, source, (rows) => to.insert(target, rows));
    const received = await digestOf(to, target);
    print(`${name.padEnd(22)} ${formatDigest(given)}  ${formatDigest(received)}`);
    if (!sameDigest(given, received)) throw new Error(`table ${name} differs after the copy`);
    digests.set(name, given);
  }
  return digests;
};

/** Returns the tables that have changed since they were copied. */
const changedSince = async (snapshot: Snapshot, copied: Digests): Promise<string[]> => {
  const changed: string[] = [];
  for (const [name, digest] of copied)
    if (!sameDigest(digest, await digestOf(snapshot, await tableIn(snapshot, name)))) changed.push(name);
  return changed;
};

/** What a service writes later would be lost. On SQLite, opening the file as its owner has failed by now. */
const assertUnused = async (source: Database, url: string): Promise<void> => {
  const others = await source.others();
  if (others > 0)
    throw new CommandError(
      `nothing was moved: a service or another command is using ${displayUrl(url)} (${countOf(others, 'connection')}); stop it and try again`,
    );
};

export const move: Command = {
  summary: 'copies the whole database to another one, and compares the two',
  help: [
    'The database at URL, SQLite or PostgreSQL, must be empty.',
    'Stop the service first: the move fails if one is running, or if anything is written during the copy.',
  ],
  examples: ['move --to postgres://user:password@host/items'],
  options: ['to'],
  run: async ({ databaseUrl, options, print, isTerminal = false }) => {
    const to = required(options.to, '--to', LIMITS.pathLength);
    if (parseDatabaseUrl(to) === undefined) throw new CommandError('--to must be sqlite:PATH or postgres://…');
    if (to === databaseUrl) throw new CommandError('--to must differ from DATABASE_URL');
    const startedMs = performance.now();
    return withDatabase(openExisting(databaseUrl, { isOwner: true }), async (source) => {
      await assertUnused(source, databaseUrl);
      return source.snapshot(async (snapshot) => {
        const { contracted, expanded } = await checkSchema(snapshot, databaseUrl);
        if (contracted !== expanded)
          throw new CommandError(
            `${displayUrl(databaseUrl)} is being upgraded to ${expanded}; run migrate --contract first`,
          );
        return withDatabase(openDatabase(to), async (target) => {
          await target.migrate();
          await target.load(async (load) => {
            const nonEmpty = await firstNonEmptyTable(load);
            if (nonEmpty !== undefined) throw new CommandError(`${displayUrl(to)} is not empty: ${nonEmpty} has rows`);
            await load.clear();
            print(
              `${''.padEnd(22)} ${'source rows'.padStart(12)}  ${'hash'.padEnd(16)}  ${'target rows'.padStart(12)}  hash`,
            );
            const copied = await copy(snapshot, load, print);
            const changed = await source.snapshot((later) => changedSince(later, copied));
            if (changed.length > 0)
              throw new CommandError(
                `nothing was moved: ${displayUrl(databaseUrl)} was written to during the move (${changed.join(', ')}); stop the service and try again`,
              );
          });
          await target.maintain();
          print(`moved in ${formatElapsed(startedMs)}, all tables match; now start the service with`);
          print(pasteableUrl(to, { isPrivate: isTerminal }));
          return true;
        });
      });
    });
  },
};
