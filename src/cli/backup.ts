import { createWriteStream, rmSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { LATEST, presentName } from '../database/migrate.ts';
import { TABLES } from '../database/tables.ts';
import { LIMITS } from '../shared/limits.ts';
import { isoTime } from '../shared/time.ts';
import { writeBackup } from './backup-file.ts';
import { type Command, checkSchema, displayUrl, openExisting, withDatabase } from './command.ts';
import { CommandError, formatCount, formatElapsed, required } from './shared.ts';

/** The file contains digests of secrets. */
const OWNER_ONLY = 0o600;

const exists = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined)) !== undefined;

const assertAbsent = async (path: string): Promise<void> => {
  if (await exists(path)) throw new CommandError(`${path} already exists; use --force to overwrite it`);
};

/** A new directory entry survives a power cut only once its directory is synced. */
const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Removes a file if the process is stopped before the work is done, and lets it stop as without this. */
const removedIfStopped = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  const onStop = (signal: NodeJS.Signals) => {
    rmSync(path, { force: true });
    process.removeListener(signal, onStop);
    process.kill(process.pid, signal);
  };
  for (const signal of STOP_SIGNALS) process.on(signal, onStop);
  try {
    return await work();
  } finally {
    for (const signal of STOP_SIGNALS) process.removeListener(signal, onStop);
  }
};

/** Writes a file atomically: it gets its final name only once it is complete and on disk. */
const writeWhole = async <T>(
  path: string,
  { force }: { force: boolean },
  write: (out: NodeJS.WritableStream) => Promise<T>,
): Promise<T> => {
  if (!force) await assertAbsent(path);
  const part = `${path}.${process.pid}.part`;
  try {
    const written = await removedIfStopped(part, () =>
      write(createWriteStream(part, { flags: 'wx', mode: OWNER_ONLY, flush: true })),
    );
    if (!force) await assertAbsent(path);
    await rename(part, path);
    await syncFolder(path);
    return written;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
};

export const backup: Command = {
  argument: 'FILE',
  summary: 'writes a snapshot of the whole database to FILE',
  examples: ['backup items.backup'],
  options: ['force'],
  run: async ({ databaseUrl, argument, options, print }) => {
    const path = required(argument, 'FILE', LIMITS.pathLength);
    const startedMs = performance.now();
    return withDatabase(openExisting(databaseUrl), async (database) => {
      const { tables, rows } = await database.snapshot(async (snapshot) => {
        const { contracted, expanded } = await checkSchema(snapshot, databaseUrl);
        // There may be tables that this version does not know.
        if (expanded > LATEST)
          throw new CommandError(
            `${displayUrl(databaseUrl)} is prepared for a newer version of Itemwright (${expanded}): use that version`,
          );
        const taken = {
          engine: database.engine,
          schema: presentName(expanded),
          contracted: contracted === expanded ? undefined : presentName(contracted),
          takenAt: isoTime(Date.now()),
          tables: TABLES,
        };
        return writeWhole(path, { force: options.force === true }, (out) => writeBackup(snapshot, out, taken));
      });
      const { size } = await stat(path);
      print(
        `${path}: ${displayUrl(databaseUrl)}, ${tables} tables, ${formatCount(rows)} rows, ${formatCount(size)} bytes, in ${formatElapsed(startedMs)}`,
      );
      return true;
    });
  },
};
