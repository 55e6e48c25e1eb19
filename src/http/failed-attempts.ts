import { isIPv6 } from 'node:net';
import { LIMITS } from '../shared/limits.ts';
import { createBuckets } from './buckets.ts';

/** Limits how many wrong secrets can be tried. */
export interface FailedAttempts {
  /**
   * Counts an attempt as failed. Returns a function to call if it did not fail, or undefined if there were too many.
   */
  begin(ip: string, teamId: string, nowMs: number): (() => void) | undefined;
  /** Notes that a secret of the team was verified. */
  succeeded(teamId: string): void;
}

/** Whoever has one IPv6 address has all with the same first half, so they count as one. */
export const addressOf = (ip: string): string => {
  if (!isIPv6(ip)) return ip.slice(0, LIMITS.addressLength);
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = ip.split('::', 2);
  const first = head === '' ? [] : head.split(':');
  const last = tail ? tail.split(':') : [];
  const zeros = Array(Math.max(0, 8 - first.length - last.length)).fill('0');
  return [...first, ...zeros, ...last].slice(0, 4).join(':');
};

/**
 * Attempts on a team that is known to exist count per team and address, so that they do not affect others at the same
 * address, perhaps behind the same proxy. All other attempts count per address.
 */
export const createFailedAttempts = (): FailedAttempts => {
  const onTeam = createBuckets(LIMITS.failedAttemptsOnTeam, LIMITS.throttledAddresses);
  const fromAddress = createBuckets(LIMITS.failedAttemptsFromAddress, LIMITS.throttledAddresses);
  const teams = new Set<string>();
  return {
    begin: (ip, teamId, nowMs) => {
      const address = addressOf(ip);
      const [buckets, key] = teams.has(teamId) ? [onTeam, `${address} ${teamId}`] : [fromAddress, address];
      return buckets.take(key, nowMs) ? () => buckets.give(key) : undefined;
    },
    succeeded: (teamId) => {
      // Keep the most recent teams.
      teams.delete(teamId);
      teams.add(teamId);
      if (teams.size > LIMITS.cachedTeams) teams.delete(teams.values().next().value as string);
    },
  };
};
