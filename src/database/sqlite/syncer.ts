import { closeSync, existsSync, fdatasync, openSync } from 'node:fs';

type Settle = () => void;

interface Watch {
  /** After each sync, before anybody who waits for it is answered; it may end the process. */
  readonly synced: (tookMs: number) => void;
  readonly failed: (error: Error) => never;
}

/**
 * Syncs the write-ahead log, which is what makes a commit outlast a power cut. SQLite would do it inside the commit
 * (`synchronous = full`) and keep the whole process waiting; done here, the next group runs while the disk works. Nobody
 * is answered before the sync that follows their commit is done. Commits that wait for the disk share the next sync.
 *
 * After a failed sync nobody knows what is on the disk: Linux takes the pages for clean, so that the next sync succeeds
 * over a hole. Nobody who waits is answered then, and `failed` must end the process; a restart recovers from the log as
 * far as it was synced.
 */
export const createSyncer = (path: string, { synced, failed }: Watch) => {
  let log: number | undefined;
  let waiting: Settle[] = [];
  let underWay: Settle[] | undefined;
  /**
   * Whether something was committed that no sync has begun for. A log that is found may hold commits of a process that was
   * killed before it could sync them, and an answer may rest on those.
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
    /** Done once everything that is committed by now is on the disk. */
    durable: (): Promise<void> => {
      if (!isDirty && underWay === undefined) return Promise.resolve();
      return new Promise((resolve) => {
        // A sync that is under way covers only what was committed before it began.
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
