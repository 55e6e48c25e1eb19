/**
 * What a session is for:
 * - `group`: a group of commands, which must not wait long for other transactions;
 * - `apart`: a command run outside the groups because it may have to wait;
 * - `transaction`: a transaction with free-form queries;
 * - `read`: reads only;
 * - `urgent`: a short read that every request waits for.
 */
export type Purpose = 'group' | 'apart' | 'transaction' | 'read' | 'urgent';

/**
 * Why commands run again: another transaction got in the way (`collision`) or kept a group waiting for a lock (`lock`),
 * another command of this process held what they need (`held`), or something had to be loaded first (`loading`).
 */
export type RerunReason = 'collision' | 'lock' | 'held' | 'loading';

/** Receives database events. It is called for every group, so it must be fast. */
export interface DatabaseObserver {
  /** A connection was obtained after `waitedMs`. */
  opened(purpose: Purpose, waitedMs: number): void;
  /** A group of commands started in one transaction. */
  grouped(commands: number): void;
  reran(reason: RerunReason, commands: number): void;
  /** The write-ahead log was synced (SQLite only). */
  synced(tookMs: number): void;
}

const noop = (): void => {};

/** The current observer of a database; initially one that does nothing. */
export interface Observed {
  by: DatabaseObserver;
  /** Called when events of a team were committed here. */
  eventsOf: (teamId: string) => void;
}

export const unobserved = (): Observed => ({
  by: { opened: noop, grouped: noop, reran: noop, synced: noop },
  eventsOf: noop,
});
