import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const syncFolder = (path: string): void => {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
};

/**
 * Makes a folder, and those above it, so that a power cut cannot take them away again with all that is in them: a folder is
 * a name in the one above, which has to be synced. SQLite does the same for files in the folder, but for no folder.
 */
export const makeFolder = (path: string): void => {
  const made = mkdirSync(path, { recursive: true });
  // Windows cannot sync a folder.
  if (made === undefined || process.platform === 'win32') return;
  const highest = dirname(resolve(made));
  let folder = resolve(path);
  do {
    folder = dirname(folder);
    syncFolder(folder);
  } while (folder !== highest);
};
