import { closeSync, openSync, readSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { LIMITS } from '../../shared/limits.ts';

/** The log begins with a header, and so does each page in it: https://www.sqlite.org/fileformat.html#the_write_ahead_log */
const LOG = { headerBytes: 32, pageSize: 8, salts: 16 };
const PAGE = { headerBytes: 24, salts: 8 };

/**
 * Whether a log has at least so many pages. It keeps its length when it is begun anew, but gets other salts, which each
 * page repeats.
 */
const hasPages = (log: number, count: number): boolean => {
  const header = Buffer.alloc(LOG.headerBytes);
  const last = Buffer.alloc(PAGE.headerBytes);
  if (readSync(log, header, 0, header.length, 0) < header.length) return false;
  const at = header.length + (count - 1) * (last.length + header.readUInt32BE(LOG.pageSize));
  if (readSync(log, last, 0, last.length, at) < last.length) return false;
  return header.readBigUInt64BE(LOG.salts) === last.readBigUInt64BE(PAGE.salts);
};

/**
 * Copies the write-ahead log into the database file once it has grown. SQLite would do it inside a commit, and block the
 * whole process while it copies and the disk works; here, a thread does. Nothing depends on when it is done, and whatever
 * fails is tried again.
 */
export const createCheckpointer = (path: string) => {
  let log: number | undefined;
  let working: Promise<void> | undefined;
  let restsUntilMs = 0;

  const isDue = (): boolean => {
    log ??= openSync(`${path}-wal`, 'r');
    return hasPages(log, LIMITS.sqliteCheckpointPages);
  };

  const runThread = (): Promise<void> =>
    new Promise((resolve) => {
      const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), { workerData: path });
      worker.on('error', () => {});
      worker.on('exit', () => resolve());
    });

  const checkpoint = async (): Promise<void> => {
    try {
      if (isDue()) await runThread();
    } catch {
      // Too many files or threads are open. If that lasts, commits do it in the end.
    }
  };

  return {
    /** To be called after commits. */
    check: (): void => {
      if (working !== undefined || performance.now() < restsUntilMs) return;
      working = checkpoint().finally(() => {
        restsUntilMs = performance.now() + LIMITS.sqliteCheckpointRestMs;
        working = undefined;
      });
    },
    close: async (): Promise<void> => {
      await working;
      if (log !== undefined) closeSync(log);
    },
  };
};
