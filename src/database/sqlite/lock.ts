import type { DatabaseSync } from 'node:sqlite';
import { isBusy, openFile } from './driver.ts';
import { createFile } from './file.ts';

const inUse = (path: string): Error =>
  Object.assign(new Error(`a service is already running on ${path}`), { code: 'EBUSY' });

/**
 * Makes this process the only one that owns a database, until it closes the lock or ends, however it ends. It holds the
 * lock of a second, empty database beside the first: the system releases that of a killed process, and whoever only
 * uses the first is not affected. An owner that is about to end is waited for.
 */
export const lockAsOwner = (path: string): DatabaseSync => {
  const lockPath = `${path}-lock`;
  createFile(lockPath);
  const lock = openFile(lockPath);
  try {
    // Nothing is ever written, so there is no need for a journal, not even an empty one.
    lock.exec('pragma journal_mode = memory; begin exclusive');
    return lock;
  } catch (error) {
    lock.close();
    throw isBusy(error) ? inUse(path) : error;
  }
};
