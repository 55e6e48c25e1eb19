import { ServiceError } from '../errors.ts';
import { LIMITS } from '../limits.ts';

/** Decides whether one more request is taken, and is told when it is done. */
export interface Pressure {
  /** A refusal where there is too much to do already, or where the team has had its share of this second. */
  admit(teamId: string, nowMs: number): ServiceError | undefined;
  release(): void;
}

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/**
 * More than the service can carry is refused at once: a queue without end would only make everybody wait, and then run
 * out of memory. With a rate limit each team has a bucket that fills by so many requests a second, up to one second's
 * worth.
 */
export const createPressure = (requestsPerSecond: number): Pressure => {
  let underWay = 0;
  const buckets = new Map<string, Bucket>();

  const withinRate = (teamId: string, rate: number, nowMs: number): boolean => {
    let bucket = buckets.get(teamId);
    if (bucket === undefined) {
      if (buckets.size >= LIMITS.rateLimitedTeams) buckets.delete(buckets.keys().next().value as string);
      bucket = { tokens: rate, filledAtMs: nowMs };
      buckets.set(teamId, bucket);
    }
    bucket.tokens = Math.min(rate, bucket.tokens + ((nowMs - bucket.filledAtMs) / 1000) * rate);
    bucket.filledAtMs = nowMs;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  };

  return {
    admit: (teamId, nowMs) => {
      if (underWay >= LIMITS.requestsUnderWay) return new ServiceError('SERVICE_UNAVAILABLE', [], { reason: 'load' });
      if (requestsPerSecond < Number.POSITIVE_INFINITY && !withinRate(teamId, requestsPerSecond, nowMs))
        return new ServiceError('TOO_MANY_REQUESTS', [], { reason: 'rate' });
      underWay += 1;
      return undefined;
    },
    release: () => {
      underWay -= 1;
    },
  };
};
