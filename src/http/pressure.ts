import { ServiceError } from '../errors.ts';
import { createFairShare } from '../fair-share.ts';
import { LIMITS } from '../limits.ts';
import { createBuckets } from './buckets.ts';

/** Decides what is taken on, and is told when it is done. */
export interface Pressure {
  /** Whether a body of so many bytes may arrive; it is received until it is whole, or its caller leaves. */
  receive(teamId: string, bytes: number): boolean;
  received(teamId: string, bytes: number): void;
  /** A refusal where there is too much to do already, or where the team has had its share of this second. */
  admit(teamId: string, nowMs: number): ServiceError | undefined;
  release(teamId: string): void;
}

/**
 * More than the service can carry is refused at once: a queue without end would only make everybody wait, and then run
 * out of memory. No team can have everything. With a rate limit each team has a bucket that fills by so many requests a
 * second, up to one second's worth.
 */
export const createPressure = (requestsPerSecond: number): Pressure => {
  const slots = createFairShare(LIMITS.requestsUnderWay);
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
