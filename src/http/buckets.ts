export interface Rate {
  /** How much there is at first, and at most. */
  readonly burst: number;
  readonly perSecond: number;
}

/** A bucket of tokens for each key, which fills by so many a second. */
export interface Buckets {
  /** Takes a token out of the bucket of a key; false where there is none. */
  take(key: string, nowMs: number): boolean;
  give(key: string): void;
}

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/** Keeps at most so many buckets; the one that was made first goes when there is another. Times must not go backwards. */
export const createBuckets = ({ burst, perSecond }: Rate, most: number): Buckets => {
  const buckets = new Map<string, Bucket>();
  return {
    take: (key, nowMs) => {
      let bucket = buckets.get(key);
      if (bucket === undefined) {
        if (buckets.size >= most) buckets.delete(buckets.keys().next().value as string);
        bucket = { tokens: burst, filledAtMs: nowMs };
        buckets.set(key, bucket);
      }
      bucket.tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.filledAtMs) / 1000) * perSecond);
      bucket.filledAtMs = nowMs;
      if (bucket.tokens < 1) return false;
      bucket.tokens -= 1;
      return true;
    },
    give: (key) => {
      const bucket = buckets.get(key);
      if (bucket !== undefined) bucket.tokens = Math.min(burst, bucket.tokens + 1);
    },
  };
};
