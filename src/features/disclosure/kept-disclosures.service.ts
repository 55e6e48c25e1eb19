import { LIMITS } from '../../shared/limits.ts';

/** What is kept of a template. */
export interface Kept {
  /** Characters and bytes of all texts of it. */
  readonly length: () => number;
}

/** What was disclosed recently, as much as fits into memory. */
export interface KeptDisclosures<T extends Kept> {
  /** What is kept of a key; made anew if there is nothing, or if what is kept is not current. */
  get(key: string, isCurrent: (kept: T) => boolean, make: () => T): T;
  /** To be called when texts were added: others are dropped if there is too much. */
  weigh(): void;
}

export const createKeptDisclosures = <T extends Kept>(): KeptDisclosures<T> => {
  // The first is the one that was used longest ago.
  const byKey = new Map<string, T>();
  return {
    get: (key, isCurrent, make) => {
      const known = byKey.get(key);
      const kept = known !== undefined && isCurrent(known) ? known : make();
      byKey.delete(key);
      byKey.set(key, kept);
      if (byKey.size > LIMITS.keptDisclosures) byKey.delete(byKey.keys().next().value as string);
      return kept;
    },
    weigh: () => {
      let total = byKey.values().reduce((sum, kept) => sum + kept.length(), 0);
      for (const [key, kept] of byKey) {
        if (total <= LIMITS.keptDisclosuresLength) return;
        total -= kept.length();
        byKey.delete(key);
      }
    },
  };
};
