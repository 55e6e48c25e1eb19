import type { Lookup, Rows, SharedLock } from './declarations.ts';
import type { FairQueue } from './fair-queue.ts';
import type { Purpose } from './observer.ts';
import type { Queries } from './work.ts';

/** Keys of one lookup, each a list of values in the order that the lookup declares. */
export interface Question {
  readonly teamId: string;
  readonly lookup: Lookup;
  readonly keys: readonly (readonly (string | number)[])[];
}

/** One transaction on one connection; each engine has its own implementation. */
export interface Session {
  readonly queries: Queries;
  /**
   * Begins the transaction. A failure surfaces in the next operation; nothing is written until the transaction has
   * begun.
   */
  begin(): void;
  /** Returns the rows of each key, per question. Questions are asked in the given order. */
  ask(questions: readonly Question[]): Promise<readonly (readonly (readonly unknown[])[])[]>;
  /** Resolves once all rows have been written. */
  send(writes: readonly Rows[]): Promise<void>;
  exclude(teamId: string, lock: SharedLock): Promise<void>;
  /** Resolves once the writes are visible to others. */
  commit(): Promise<void>;
  /** Resolves once everything committed so far, here or elsewhere, survives a power cut. Never rejects. */
  durable(): Promise<void>;
  /** Rolls back whatever was not committed, and releases the connection. */
  end(): void;
}

/** What units of work need from an engine. */
export interface Driver {
  /** Where a team waits for its turn before it opens a session. */
  readonly queues: Readonly<Record<Purpose, FairQueue>>;
  open(purpose: Purpose, teamId: string): Promise<Session>;
  /** Whether another transaction may have caused the error, so that the command may succeed if it runs again. */
  isCollision(error: unknown): boolean;
  /** Whether a group waited too long for another transaction. */
  isBlocked(error: unknown): boolean;
  /** Turns infrastructure errors into a 503; returns any other error unchanged. */
  translate(error: unknown): unknown;
}
