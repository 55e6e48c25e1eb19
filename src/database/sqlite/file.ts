import { chmodSync, closeSync, openSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { LIMITS } from '../../shared/limits.ts';
import { makeFolder } from './folder.ts';

/** The file contains user data and digests of secrets: only its owner may read it. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** The files of an SQLite database: the main file, its write-ahead log, and the index of the log. */
const PARTS = ['', '-wal', '-shm'];

/**
 * The real location of the file. SQLite follows links, even to a file that does not exist yet, and puts the log beside
 * the target, where we look for it. Missing folders are created.
 */
const followLinks = (path: string, links = 0): string => {
  if (links > LIMITS.sqliteFileLinks) throw new Error(`${path} has too many levels of links`);
  makeFolder(dirname(path), FOLDER_MODE);
  const folder = realpathSync(dirname(path));
  const real = join(folder, basename(path));
  let target: string;
  try {
    target = readlinkSync(real);
  } catch {
    // Not a link, or no such file.
    return real;
  }
  return followLinks(resolve(folder, target), links + 1);
};

/** SQLite gives its other files the mode of the first. Files of ours that others could read are restricted. */
const closeToOthers = (path: string): void => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || (found.mode & 0o077) === 0 || found.uid !== process.getuid?.()) return;
  try {
    chmodSync(path, FILE_MODE);
  } catch {
    // A file system without modes.
  }
};

/**
 * Restricts the files of an open database to their owner. Before it is open, the file might be anything that somebody
 * named by mistake.
 */
export const restrictFiles = (path: string): void => {
  for (const part of PARTS) closeToOthers(path + part);
};

/** Ensures that a file exists, for its owner only if it is new. */
export const createFile = (path: string): void => {
  try {
    // Only if it does not exist: opening and closing a file that SQLite has open would drop its locks.
    closeSync(openSync(path, 'wx', FILE_MODE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
};

/** Ensures that the file of a database exists, and returns its real path. */
export const prepareFile = (path: string): string => {
  const real = followLinks(path);
  createFile(real);
  if (!statSync(real).isFile()) throw new Error(`${path} is not a file`);
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
 * Detects when a file of an open database has been removed, moved or replaced. Writes to such a file are lost, and
 * nothing else would notice.
 */
export const createFileWatch = (path: string): { missing(): string | undefined } => {
  const known = new Map<string, string>();
  const isMissing = (name: string): boolean => {
    const identity = identityOf(name);
    const before = known.get(name);
    // The log and its index are created on first use of the database.
    if (before === undefined && identity !== undefined) known.set(name, identity);
    return before !== undefined && before !== identity;
  };
  const names = PARTS.map((part) => path + part);
  const missing = (): string | undefined => names.find(isMissing);
  missing();
  return { missing };
};
