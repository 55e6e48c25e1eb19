import { ServiceError } from '../shared/errors.ts';
import { LIMITS } from '../shared/limits.ts';
import type { Read, Reader } from './work.ts';

/**
 * Reads for visitors, of whatever team. All of them together have a few places, beside which teams read as ever: a flood
 * of visitors waits for itself, and beyond a limit it is rejected.
 */
export interface PublicReads {
  readonly read: Read;
  /**
   * Finds one thing of a team. Visitors who ask for the same share a read, if it has not begun when they ask: so what
   * they get is never older than their request. What was not found is remembered for a second.
   */
  find<T>(teamId: string, name: string, query: (reader: Reader) => Promise<T>): Promise<T>;
}

/** A number of places, and a limited number of others who wait for one, first come, first served. */
const createPlaces = (places: number, mostWaiting: number) => {
  const waiting: (() => void)[] = [];
  let free = places;
  return {
    take: async (): Promise<void> => {
      if (free > 0) free -= 1;
      else if (waiting.length >= mostWaiting) throw new ServiceError('SERVICE_UNAVAILABLE', [], { reason: 'load' });
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    give: (): void => {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
};

/** Remembers for a moment what does not exist; of too much, what was remembered first is forgotten. */
const createAbsences = (monotonicMs: () => number) => {
  const untilMs = new Map<string, number>();
  return {
    add: (name: string): void => {
      // The order is that of time.
      untilMs.delete(name);
      untilMs.set(name, monotonicMs() + LIMITS.rememberedAbsenceMs);
      if (untilMs.size > LIMITS.rememberedAbsences) untilMs.delete(untilMs.keys().next().value as string);
    },
    has: (name: string): boolean => {
      const until = untilMs.get(name);
      if (until === undefined) return false;
      if (until > monotonicMs()) return true;
      untilMs.delete(name);
      return false;
    },
  };
};

/** Unlike a text put together, it cannot be the key of another team: anyone may ask for any id. */
const keyOf = (...names: readonly string[]): string => JSON.stringify(names);

const isNotFound = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.code === 'NOT_FOUND';

export const createPublicReads = (
  read: Read,
  doesTeamExist: (reader: Reader) => Promise<boolean>,
  monotonicMs: () => number,
): PublicReads => {
  const { take, give } = createPlaces(LIMITS.publicReads, LIMITS.waitingPublicReads);
  const absences = createAbsences(monotonicMs);
  /** Reads that have not begun. */
  const upcoming = new Map<string, Promise<unknown>>();

  const inPlace: Read = async (teamId, query) => {
    await take();
    try {
      return await read(teamId, query);
    } finally {
      give();
    }
  };

  const findOnce = <T>(teamId: string, key: string, query: (reader: Reader) => Promise<T>): Promise<T> => {
    const found: Promise<T> = inPlace(teamId, async (reader) => {
      begun();
      try {
        return await query(reader);
      } catch (error) {
        if (isNotFound(error)) absences.add((await doesTeamExist(reader)) ? key : keyOf(teamId));
        throw error;
      }
    }).finally(() => begun());
    const begun = (): void => {
      if (upcoming.get(key) === found) upcoming.delete(key);
    };
    upcoming.set(key, found);
    return found;
  };

  return {
    read: inPlace,
    find: async <T>(teamId: string, name: string, query: (reader: Reader) => Promise<T>) => {
      const key = keyOf(teamId, name);
      if (absences.has(keyOf(teamId)) || absences.has(key)) throw new ServiceError('NOT_FOUND');
      return (upcoming.get(key) as Promise<T> | undefined) ?? findOnce(teamId, key, query);
    },
  };
};
