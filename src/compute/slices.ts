import { setImmediate } from 'node:timers/promises';
import type { Steps } from '../engine/steps.ts';
import { LIMITS } from '../limits.ts';

/** Does work a few milliseconds at a time, so that requests pass in between. */
export const inSlices = async <T>(steps: Steps<T>): Promise<T> => {
  for (;;) {
    const until = performance.now() + LIMITS.sliceMs;
    do {
      const { done, value } = steps.next();
      if (done) return value;
    } while (performance.now() < until);
    await setImmediate();
  }
};
