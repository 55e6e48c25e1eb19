import { setImmediate as nextTurn } from 'node:timers/promises';
import { LIMITS } from './limits.ts';

/**
 * Anything that runs on the event loop delays every other request, so long work checks from time to time whether to
 * yield. All work in one turn of the event loop shares one budget: ten short commands delay others as much as one long
 * one.
 */
let startedMs: number | undefined;

/** Whether this turn of the event loop has used up its budget. */
const isOver = (): boolean => {
  const nowMs = performance.now();
  if (startedMs === undefined) {
    startedMs = nowMs;
    setImmediate(() => {
      startedMs = undefined;
    });
  }
  return nowMs - startedMs >= LIMITS.turnMs;
};

/** To be called between the steps of long work: yields to the event loop if this turn has taken long enough. */
export const takeTurns = (): Promise<void> | undefined => (isOver() ? nextTurn() : undefined);

/** Whoever has a secret, and whoever has none. */
type Party = 'teams' | 'visitors';

/** Work that waits for a turn with time left. */
const waiting: Record<Party, (() => void)[]> = { teams: [], visitors: [] };
let next: Party = 'teams';
let isScheduled = false;
let hasConnected = false;
let workedMs = 0;

/**
 * Node accepts one connection per turn. A thousand that arrive at once would each wait for the work of those before, and
 * so would a game server that connects in the meantime; so while they come, work waits, but not for long.
 */
export const noteConnection = (): void => {
  hasConnected = true;
};

/** The parties take turns, so that neither waits longer because the other has more to do. */
const takeNext = (): (() => void) | undefined => {
  const party = next;
  next = party === 'teams' ? 'visitors' : 'teams';
  return waiting[party].shift() ?? waiting[next].shift();
};

const schedule = (): void => {
  if (isScheduled || waiting.teams.length + waiting.visitors.length === 0) return;
  isScheduled = true;
  setImmediate(workOff);
};

/** Some of it is done in every turn, even if long work has used up the time of each. */
const workOff = (): void => {
  isScheduled = false;
  const nowMs = performance.now();
  const waitsForConnections = hasConnected && nowMs - workedMs < LIMITS.connectMs;
  hasConnected = false;
  if (waitsForConnections) {
    schedule();
    return;
  }
  const untilMs = nowMs + LIMITS.leastTurnMs;
  for (let work = takeNext(); work !== undefined; work = takeNext()) {
    work();
    if (isOver() && performance.now() >= untilMs) break;
  }
  workedMs = performance.now();
  schedule();
};

/** Starts work at once, or in a later turn if this one has taken long enough; for each party, first come, first served. */
export const startInTurn = (party: Party, work: () => void): void => {
  if (waiting[party].length === 0 && !isOver()) {
    work();
    return;
  }
  waiting[party].push(work);
  schedule();
};

/** Runs long work step by step, yielding in between, and returns its result. */
export const inTurns = async <T>(work: Generator<unknown, T>): Promise<T> => {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await takeTurns();
  }
};

/** Runs work one at a time per key, in the order in which it is given. */
export type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export const createQueues = (): InTurn => {
  const turns = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const mine = (turns.get(key) ?? Promise.resolve()).then(work, work);
    turns.set(key, mine);
    const forget = (): void => {
      if (turns.get(key) === mine) turns.delete(key);
    };
    mine.then(forget, forget);
    return mine;
  };
};
