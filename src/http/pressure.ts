import { ServiceError } from '../shared/errors.ts';
import { createFairShare } from '../shared/fair-share.ts';
import { LIMITS } from '../shared/limits.ts';
import { createBuckets } from './buckets.ts';

/** Limits the load that the service accepts. */
export interface Pressure {
  /** Whether a body of this many bytes may be received; `received` releases them. */
  receive(teamId: string, bytes: number): boolean;
  received(teamId: string, bytes: number): void;
  /** Returns an error if the service is overloaded, or the team has exceeded its rate limit. */
  admit(teamId: string, nowMs: number): ServiceError | undefined;
  release(teamId: string): void;
}

/**
 * Excess load is rejected at once: an unbounded queue would only make everyone wait, and then run out of memory. No
 * team can use up everything. With a rate limit, each team has a token bucket with one second's worth of requests.
 */
export const createPressure = (requestsPerSecond: number): Pressure => {
  const slots = createFairShare(LIMITS.concurrentRequests);
  const bodies = createFairShare(LIMITS.arrivingBytes);
  const rate = { burst: requestsPerSecond, perSecond: requestsPerSecond };
  const requests =
    requestsPerSecond < Number.POSITIVE_INFINITY ? createBuckets(rate, LIMITS.rateLimitedTeams) : undefined;

  return {
    receive: bodies.take,
    received: bodies.give,
    admit: (teamId, nowMs) => {
      if (!slots.take(teamId)) return new ServiceError('SERVICE_UNAVAILABLE', [], { reason: 'load' });
      if (requests?.take(teamId, nowMs) === false) {
        slots.give(teamId);
        return new ServiceError('TOO_MANY_REQUESTS', [], { reason: 'rate' });
      }
      return undefined;
    },
    release: (teamId) => slots.give(teamId),
  };
};
