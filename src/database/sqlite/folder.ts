import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** What systems say that cannot sync a folder. There is nothing else that could be done. */
const UNSUPPORTED = new Set(['EINVAL', 'ENOTSUP', 'EPERM']);

const syncFolder = (path: string): void => {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } catch (error) {
    if (!UNSUPPORTED.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    closeSync(folder);
  }
};

/**
 * Makes a folder, and those above it, so that a power cut cannot take them away with all that is in them: a folder is a name
 * in the one above, which has to be synced. SQLite does as much for the names of its files, not for the folder.
 */
export const makeFolder = (path: string, mode: number): void => {
  const made = mkdirSync(path, { recursive: true, mode });
  if (made === undefined) return;
  const highest = dirname(resolve(made));
  let folder = resolve(path);
  do {
    folder = dirname(folder);
    syncFolder(folder);
  } while (folder !== highest);
};
