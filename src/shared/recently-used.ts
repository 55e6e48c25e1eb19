/** A cache of values that are created on demand and dropped when they have not been used for a while. */
export interface RecentlyUsed<K, V> {
  /** Returns the cached value of a key, or creates it. */
  get(key: K): V;
  readonly size: number;
}

/**
 * Keeps at most `limit` values in two generations: a value that is used moves to the young one, and when that has half
 * of the limit, the old one is dropped. So a value survives at least half of the limit's worth of other values, and
 * using a young value costs a single lookup, where an exact LRU order would have to be updated each time.
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
