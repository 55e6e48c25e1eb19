import { chmodSync, closeSync, openSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { LIMITS } from '../../limits.ts';
import { makeFolder } from './folder.ts';

/** The file holds players and digests of secrets: nobody but its owner reads it. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** What SQLite keeps a database in: the file, its write-ahead log, and the index of that. */
const PARTS = ['', '-wal', '-shm'];

/**
 * Where the file really is. SQLite follows a link, also one that points at nothing yet, and puts the log beside its target;
 * so must whoever looks for the log. Folders that are missing are made.
 */
const followLinks = (path: string, links = 0): string => {
  if (links > LIMITS.sqliteFileLinks) throw new Error(`${path} is a link that never ends`);
  makeFolder(dirname(path), FOLDER_MODE);
  const folder = realpathSync(dirname(path));
  const real = join(folder, basename(path));
  let target: string;
  try {
    target = readlinkSync(real);
  } catch {
    // Not a link, or nothing at all.
    return real;
  }
  return followLinks(resolve(folder, target), links + 1);
};

/** SQLite gives its other files the mode of the first. One of ours that others could read is closed to them. */
const closeToOthers = (path: string): void => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || (found.mode & 0o077) === 0 || found.uid !== process.getuid?.()) return;
  try {
    chmodSync(path, FILE_MODE);
  } catch {
    // A file system without modes.
  }
};

/** Makes sure that there is a file which only its owner reads, and tells where it really is. */
export const prepareFile = (path: string): string => {
  const real = followLinks(path);
  try {
    // Only where there is none: to open and close a file that SQLite has open would give up its locks.
    closeSync(openSync(real, 'wx', FILE_MODE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  for (const part of PARTS) closeToOthers(real + part);
  return real;
};

const identityOf = (path: string): string | undefined => {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return undefined;
  }
};

/**
 * Tells which of the files of an open database is no longer found under its name, if any. What is written to a file that
 * was removed, moved or replaced goes nowhere, and nobody else would notice.
 */
export const createFileWatch = (path: string): { missing(): string | undefined } => {
  const known = new Map<string, string>();
  const isMissing = (name: string): boolean => {
    const identity = identityOf(name);
    const before = known.get(name);
    // The log and its index come with the first use of the database.
    if (before === undefined && identity !== undefined) known.set(name, identity);
    return before !== undefined && before !== identity;
  };
  const names = PARTS.map((part) => path + part);
  const missing = (): string | undefined => names.find(isMissing);
  missing();
  return { missing };
};
