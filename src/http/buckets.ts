export interface Rate {
  /** The initial and maximum number of tokens. */
  readonly burst: number;
  readonly perSecond: number;
}

/** A token bucket per key. */
export interface Buckets {
  /** Takes a token from the bucket of a key; returns false if it is empty. */
  take(key: string, nowMs: number): boolean;
  give(key: string): void;
}

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/** Keeps at most `most` buckets, dropping the oldest. `nowMs` must not decrease. */
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
