import { createFairShare } from '../fair-share.ts';

/** Hands out so many of something, one at a time, to teams that may have to wait for it. */
export interface FairQueue {
  /** Done once the team has one more. */
  take(teamId: string): Promise<void>;
  give(teamId: string): void;
}

/** Those who wait for a fair share get theirs in turns: one for each team, whatever number of commands it waits with. */
export const createFairQueue = (size: number): FairQueue => {
  const share = createFairShare(size);
  /** In the order of their turns. */
  const waiting = new Map<string, (() => void)[]>();

  const serve = (teamId: string, queue: (() => void)[]): boolean => {
    if (!share.take(teamId)) return false;
    const next = queue.shift();
    // To the end of the line, if there is more.
    waiting.delete(teamId);
    if (queue.length > 0) waiting.set(teamId, queue);
    next?.();
    return true;
  };

  return {
    take: (teamId) => {
      const queue = waiting.get(teamId);
      if (queue === undefined && share.take(teamId)) return Promise.resolve();
      return new Promise((resolve) => {
        if (queue === undefined) waiting.set(teamId, [resolve]);
        else queue.push(resolve);
      });
    },
    give: (teamId) => {
      share.give(teamId);
      // What was given back may be enough for more than one, since it counts as free for everybody.
      for (const [next, queue] of [...waiting]) serve(next, queue);
    },
  };
};
