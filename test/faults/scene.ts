import type { Events } from './nodes.ts';
import type { Fault } from './schedule.ts';

/** A service on a database, and the faults that can happen to them. */
export interface Scene {
  readonly addresses: () => readonly string[];
  /** The database itself, without a proxy. */
  readonly databaseUrl: () => string;
  readonly events: Events;
  /** The clock of the service: of the node that is ahead of the others. */
  readonly nowMs: () => number;
  /** How often clocks began to jump. */
  readonly clockJumps: () => number;
  /** The processes of the service. */
  readonly pids: () => readonly number[];
  /** Injects a fault, and resolves when it is over. */
  readonly strike: (fault: Fault) => Promise<void>;
  /** Resolves when nothing that was started before can have any further effect. */
  readonly quiet: () => Promise<void>;
  readonly drop: () => Promise<void>;
}
