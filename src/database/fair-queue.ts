import { createFairShare } from '../shared/fair-share.ts';

/** Hands out a limited number of permits to teams, one at a time; teams may have to wait. */
export interface FairQueue {
  /** Resolves once the team has one more permit. */
  take(teamId: string): Promise<void>;
  give(teamId: string): void;
}

/** Waiting teams get their fair share in turns: one permit per team, however many commands each is waiting with. */
export const createFairQueue = (size: number): FairQueue => {
  const share = createFairShare(size);
  /** In the order of their turns. */
  const waiting = new Map<string, (() => void)[]>();

  const serve = (teamId: string, queue: (() => void)[]): void => {
    if (!share.take(teamId)) return;
    const next = queue.shift();
    // Move the team to the back of the line if it is still waiting.
    waiting.delete(teamId);
    if (queue.length > 0) waiting.set(teamId, queue);
    next?.();
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
      // A returned permit may let more than one team proceed, since it counts as free for all of them. Only teams that
      // have permits can be passed over, so this takes no longer however many wait.
      for (const [next, queue] of waiting) {
        if (share.free === 0) return;
        serve(next, queue);
      }
    },
  };
};
