import { closeSync, existsSync, fdatasync, openSync } from 'node:fs';

type Settle = () => void;

interface Watch {
  /** Called after each sync, before anyone waiting for it continues; it may end the process. */
  readonly synced: (tookMs: number) => void;
  readonly failed: (error: Error) => never;
}

/**
 * Syncs the write-ahead log, so that commits survive a power cut. SQLite would do it inside the commit (`synchronous =
 * full`) and block the whole process; here, the next group runs while the disk works. No response is sent before the
 * sync that follows its commit. Commits that wait for the disk share the next sync.
 *
 * After a failed sync it is unknown what is on disk: Linux marks the pages as clean, so the next sync succeeds despite
 * lost data. No waiter continues then, and `failed` must end the process; a restart recovers the log as far as it was
 * synced.
 */
export const createSyncer = (path: string, { synced, failed }: Watch) => {
  let log: number | undefined;
  let waiting: Settle[] = [];
  let underWay: Settle[] | undefined;
  /**
   * Whether something was committed since the last sync began. An existing log may hold commits of a process that was
   * killed before it could sync them, and a response may depend on those.
   */
  let isDirty = existsSync(`${path}-wal`);

  const sync = (): void => {
    isDirty = false;
    const settled = waiting;
    underWay = settled;
    waiting = [];
    log ??= openSync(`${path}-wal`, 'r+');
    const startedMs = performance.now();
    fdatasync(log, (error) => {
      if (error !== null) failed(error);
      synced(performance.now() - startedMs);
      underWay = undefined;
      if (waiting.length > 0) sync();
      for (const settle of settled) settle();
    });
  };

  return {
    committed: (): void => {
      isDirty = true;
    },
    /** Resolves once everything committed so far is on disk. */
    durable: (): Promise<void> => {
      if (!isDirty && underWay === undefined) return Promise.resolve();
      return new Promise((resolve) => {
        // A running sync covers only what was committed before it began.
        const sharing = !isDirty && underWay !== undefined ? underWay : waiting;
        sharing.push(resolve);
        if (underWay === undefined) sync();
      });
    },
    close: (): void => {
      if (log !== undefined) closeSync(log);
    },
  };
};
