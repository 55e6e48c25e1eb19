import type { Read, RunTransaction } from '../../database/work.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { Catalogs } from '../compiled-catalog/compiled-catalog.service.ts';
import { type Cursor, cursorText, lastPosition, readSlice, type Slice, sequenceEvents } from './events.service.ts';

/** New events, read once for everybody who waited at the same place. */
export interface News {
  read(after: Cursor): Promise<Slice>;
}

interface Waiting {
  readonly position: number;
  readonly wake: (news: News) => void;
}

interface Parts {
  readonly read: Read;
  /** To give events their places; undefined if they have them when they are committed. */
  readonly transaction: RunTransaction | undefined;
  readonly onEvents: (listener: (teamId: string) => void) => void;
}

/** What a node knows about the feed of a team that it writes to, or that somebody waits for here. */
interface Watched {
  readonly teamId: string;
  readonly waiting: Set<Waiting>;
  looking: NodeJS.Timeout | undefined;
  /** Whether events were committed here that the last pass may not have seen. */
  isDue: boolean;
  passing: Promise<void> | undefined;
  /** Whoever waits for the end of the next pass. */
  settling: (() => void)[];
  passedMs: number;
}

export interface FeedWatch {
  /** Waits for events after a position. Undefined if there are none in time, or the signal aborts. */
  news(teamId: string, position: number, ms: number, signal: AbortSignal): Promise<News | undefined>;
  /** Gives what was committed here its place first, unless another node is doing so. */
  settle(teamId: string): Promise<void>;
  stop(): void;
}

/**
 * Gives events their places as soon as they are committed here, and wakes whoever waits for them. Whoever waits holds
 * neither a connection nor a transaction: once for all of a team, the node looks whether other nodes have added events.
 */
export const createFeedWatch = ({ read, transaction, onEvents }: Parts, catalogs: Catalogs): FeedWatch => {
  const teams = new Map<string, Watched>();
  let isStopped = false;

  const watchedOf = (teamId: string): Watched => {
    let watched = teams.get(teamId);
    if (watched === undefined) {
      watched = {
        teamId,
        waiting: new Set(),
        looking: undefined,
        isDue: false,
        passing: undefined,
        settling: [],
        passedMs: Number.NEGATIVE_INFINITY,
      };
      teams.set(teamId, watched);
    }
    return watched;
  };

  const forget = (watched: Watched): void => {
    if (watched.waiting.size === 0 && watched.passing === undefined && teams.get(watched.teamId) === watched) {
      clearTimeout(watched.looking);
      teams.delete(watched.teamId);
    }
  };

  const newsOf = (teamId: string): News => {
    const slices = new Map<string, Promise<Slice>>();
    return {
      read: (after) => {
        const key = cursorText(after);
        let slice = slices.get(key);
        if (slice === undefined) {
          slice = read(teamId, (reader) => readSlice(reader, catalogs, after, { limit: LIMITS.eventsPerPage }));
          slices.set(key, slice);
        }
        return slice;
      },
    };
  };

  /** After a restore, the last position may also be an earlier one. */
  const wake = (watched: Watched, position: number): void => {
    const news = newsOf(watched.teamId);
    for (const one of [...watched.waiting]) if (one.position !== position) one.wake(news);
  };

  const look = async (watched: Watched): Promise<void> => {
    try {
      wake(watched, await read(watched.teamId, lastPosition));
    } catch {
      // Looks again.
    }
    watched.looking = undefined;
    lookLater(watched);
  };

  const lookLater = (watched: Watched, ms: number = LIMITS.eventsLookMs): void => {
    if (isStopped || watched.waiting.size === 0) forget(watched);
    else watched.looking ??= setTimeout(() => look(watched), ms).unref();
  };

  const sequence = async (watched: Watched): Promise<number | undefined> =>
    transaction === undefined
      ? watched.waiting.size > 0
        ? read(watched.teamId, lastPosition)
        : undefined
      : transaction(watched.teamId, sequenceEvents);

  const pass = async (watched: Watched): Promise<void> => {
    watched.isDue = false;
    watched.passedMs = performance.now();
    const settled = watched.settling.splice(0);
    try {
      const position = await sequence(watched);
      if (position !== undefined) wake(watched, position);
      // Another node gives places at the moment, and may not see what was committed here.
      else if (transaction !== undefined) watched.isDue = true;
    } catch {
      // Every node gives places to what has waited for a while.
    }
    for (const settle of settled) settle();
  };

  const passSoon = (watched: Watched): Promise<void> => {
    watched.passing ??= (async () => {
      while (watched.isDue && !isStopped) {
        const restMs = watched.passedMs + LIMITS.eventsPassMs - performance.now();
        if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs).unref());
        await pass(watched);
      }
      watched.passing = undefined;
      for (const settle of watched.settling.splice(0)) settle();
      // Until then, it is known when the last pass was.
      setTimeout(() => forget(watched), LIMITS.eventsPassMs).unref();
    })();
    return watched.passing;
  };

  onEvents((teamId) => {
    if (isStopped) return;
    const watched = watchedOf(teamId);
    watched.isDue = true;
    passSoon(watched);
  });

  return {
    news: (teamId, position, ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted || isStopped) return resolve(undefined);
        const watched = watchedOf(teamId);
        const end = (news?: News): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', onAbort);
          watched.waiting.delete(waiting);
          resolve(news);
        };
        const onAbort = (): void => end();
        const waiting: Waiting = { position, wake: end };
        const timer = Number.isFinite(ms) ? setTimeout(end, ms).unref() : undefined;
        signal.addEventListener('abort', onAbort);
        watched.waiting.add(waiting);
        // Something may have been added since the caller looked.
        lookLater(watched, 0);
      }),
    settle: async (teamId) => {
      const watched = teams.get(teamId);
      // Not for the last pass: while others write, there is always another one.
      if (transaction !== undefined && watched?.passing !== undefined)
        await new Promise<void>((resolve) => watched.settling.push(resolve));
    },
    stop: () => {
      isStopped = true;
      for (const { looking } of teams.values()) clearTimeout(looking);
    },
  };
};
