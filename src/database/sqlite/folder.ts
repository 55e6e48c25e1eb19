import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Errors on systems that cannot sync a folder, where nothing more can be done. */
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
 * Creates a folder and its missing parents so that they survive a power cut: a folder is an entry in its parent, which
 * has to be synced. SQLite does this for its files, but not for their folder.
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
