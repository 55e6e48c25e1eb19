import type { Lookup, Rows, SharedLock } from './declarations.ts';
import type { FairQueue } from './fair-queue.ts';
import type { Purpose } from './observer.ts';
import type { Queries } from './work.ts';

/** Keys of one lookup, each a list of values in the order in which the lookup declares them. */
export interface Question {
  readonly teamId: string;
  readonly lookup: Lookup;
  readonly keys: readonly (readonly (string | number)[])[];
}

/** One transaction on one connection; each engine has its own. */
export interface Session {
  readonly queries: Queries;
  /** Begins the transaction. Whether it began shows in what comes next; nothing is written before it is known. */
  begin(): void;
  /** For each question, the rows of each key. They are asked in the given order. */
  ask(questions: readonly Question[]): Promise<readonly (readonly (readonly unknown[])[])[]>;
  /** Done once all rows are known to be written. */
  send(writes: readonly Rows[]): Promise<void>;
  exclude(teamId: string, lock: SharedLock): Promise<void>;
  /** Done once others see what was written. */
  commit(): Promise<void>;
  /** Done once all that was committed by now, here or elsewhere, outlasts a power cut. It never fails. */
  durable(): Promise<void>;
  /** Rolls back what was not committed, and gives the connection back. */
  end(): void;
}

/** What units of work need of an engine. */
export interface Driver {
  /** Where a team waits for its turn before it opens a session. */
  readonly queues: Readonly<Record<Purpose, FairQueue>>;
  open(purpose: Purpose): Promise<Session>;
  /** Whether an error may be due to another transaction, so that the same command may succeed when it runs again. */
  isCollision(error: unknown): boolean;
  /** Whether a group waited longer for another transaction than it may. */
  isBlocked(error: unknown): boolean;
  /** An error that is the machine's fault as a refusal that asks to come again; any other error as it is. */
  translate(error: unknown): unknown;
}
