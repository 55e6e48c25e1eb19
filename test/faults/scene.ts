import type { Events } from './nodes.ts';
import type { Fault } from './schedule.ts';

/** A service on a database, and all that can befall them. */
export interface Scene {
  readonly addresses: () => readonly string[];
  /** The database itself, with nothing between. */
  readonly databaseUrl: () => string;
  readonly events: Events;
  /** Does something to them, and is done when it is over. */
  readonly strike: (fault: Fault) => Promise<void>;
  /** Done when nothing that was begun before can have an effect any more. */
  readonly quiet: () => Promise<void>;
  readonly drop: () => Promise<void>;
}
