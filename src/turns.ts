import { setImmediate as nextTurn } from 'node:timers/promises';
import { LIMITS } from './limits.ts';

/**
 * Whatever runs on the event loop keeps every other request waiting, so long work asks from time to time whether it has had
 * its turn. All work of a turn shares one allowance: ten commands that each take a little hold others up as much as one that
 * takes long.
 */
let startedMs: number | undefined;

/** Whether this turn of the event loop has taken as long as one may. */
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

/** To be called between the steps of long work: others have their turn now, if this one has taken long enough. */
export const takeTurns = (): Promise<void> | undefined => (isOver() ? nextTurn() : undefined);

/** Runs the steps of long work, with turns for others in between, and gives what the work returns. */
export const inTurns = async <T>(work: Generator<unknown, T>): Promise<T> => {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await takeTurns();
  }
};
