import { setTimeout as delay } from 'node:timers/promises';
import { unavailable } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { type Connection, connect } from './connection.ts';
import { isBusy, rollBack } from './driver.ts';

export interface Prober {
  /** Returns false if there was no chance to write, because a transaction of this process is open. */
  write(failure: unknown): Promise<boolean>;
  close(): void;
}

/** Writes the first page of the file again as it is. */
const rewriteFirstPage = ({ raw }: Connection): void => {
  raw.exec('begin immediate');
  try {
    const version = Number(raw.prepare('pragma user_version').get()?.user_version);
    raw.exec(`pragma user_version = ${version}; commit`);
  } finally {
    rollBack(raw);
  }
};

/**
 * Writes without any effect, on a connection of its own that does not wait for locks: waiting would block the whole
 * process, and whoever holds the lock may hold it for long.
 */
export const createProber = (path: string, isWriting: () => boolean): Prober => {
  let connection: Connection | undefined;
  const open = (): Connection => {
    const opened = connect(path, LIMITS.sqliteReaderCacheKib);
    opened.raw.exec('pragma busy_timeout = 0');
    return opened;
  };
  return {
    write: async (failure) => {
      for (const startedMs = performance.now(); ; await delay(LIMITS.sqliteProbeMs)) {
        try {
          connection ??= open();
          rewriteFirstPage(connection);
          return true;
        } catch (error) {
          const isOver = performance.now() - startedMs > LIMITS.commitMs;
          if (!isBusy(error) || isOver) throw unavailable(error);
          // As long as nothing has failed, a command that is writing is as good as a write.
          if (isWriting() && failure === undefined) return false;
        }
      }
    },
    close: () => connection?.raw.close(),
  };
};
