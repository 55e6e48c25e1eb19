/**
 * What a session is for: a group of commands, which must wait for no other transaction for long; one that runs apart from
 * the groups since it may have to; one that queries freely; one that only reads; or one that only reads a little, for what
 * every request waits for.
 */
export type Purpose = 'group' | 'apart' | 'transaction' | 'read' | 'urgent';

/**
 * Why commands run again: another transaction was in their way, or kept a group waiting for a lock; another command of
 * this process has what they need; or something had to be loaded first.
 */
export type RerunReason = 'collision' | 'lock' | 'held' | 'loading';

/** Whoever wants to know what goes on in the database. It is called for every group, so it must be quick. */
export interface DatabaseObserver {
  /** A connection was had after so long. */
  opened(purpose: Purpose, waitedMs: number): void;
  /** So many commands run in one transaction. */
  grouped(commands: number): void;
  reran(reason: RerunReason, commands: number): void;
  /** The log was synced, which took so long. Only SQLite's is ours to sync. */
  synced(tookMs: number): void;
}

const nothing = (): void => {};

/** Who watches a database now; at first nobody does. */
export interface Observed {
  by: DatabaseObserver;
}

export const unobserved = (): Observed => ({
  by: { opened: nothing, grouped: nothing, reran: nothing, synced: nothing },
});
