/** What was made for a key, kept while it is used and forgotten when too much else was used since. */
export interface RecentlyUsed<K, V> {
  /** What is kept for the key, or what `make` makes of it now. */
  get(key: K): V;
  readonly size: number;
}

/**
 * Keeps at most `limit`. They are in two generations: what is used moves to the younger, and when that holds half of all,
 * the older is dropped. So a value lives for at least half of the limit's worth of others, and using one that is young
 * already costs a single lookup, where an exact order would have to be rewritten each time.
 */
export const createRecentlyUsed = <K, V>(limit: number, make: (key: K) => V): RecentlyUsed<K, V> => {
  const half = Math.max(1, Math.floor(limit / 2));
  let young = new Map<K, V>();
  let old = new Map<K, V>();
  return {
    get: (key) => {
      const known = young.get(key);
      if (known !== undefined) return known;
      const value = old.get(key) ?? make(key);
      if (young.size >= half) {
        old = young;
        young = new Map();
      }
      young.set(key, value);
      return value;
    },
    get size() {
      return young.size + old.size;
    },
  };
};
