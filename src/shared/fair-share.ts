/** A limited resource that teams share. */
export interface FairShare {
  /** Takes an amount for a team, if it may have that much now. */
  take(teamId: string, amount?: number): boolean;
  give(teamId: string, amount?: number): void;
  readonly free: number;
}

/**
 * A team may take another unit as long as it has fewer than are still free. So a single team gets half of the total,
 * two get a third each, and however many take as much as they can, something is left for the next.
 */
export const createFairShare = (total: number): FairShare => {
  const taken = new Map<string, number>();
  let free = total;
  return {
    take: (teamId, amount = 1) => {
      const mine = (taken.get(teamId) ?? 0) + amount;
      // As if it took them one by one.
      if (mine > free - amount + 1) return false;
      taken.set(teamId, mine);
      free -= amount;
      return true;
    },
    give: (teamId, amount = 1) => {
      const left = (taken.get(teamId) ?? 0) - amount;
      if (left > 0) taken.set(teamId, left);
      else taken.delete(teamId);
      free += amount;
    },
    get free() {
      return free;
    },
  };
};
