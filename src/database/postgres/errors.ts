import { ServiceError, unavailable } from '../../errors.ts';

/**
 * What another transaction may have caused: a serialisation failure, a deadlock, or a key that was taken or removed
 * between a command's check and its write (23001 is what PostgreSQL 18 calls a row kept by `on delete restrict`). Run
 * again, the command sees what the other did and answers accordingly.
 */
const COLLISION_CODES = new Set(['40001', '40P01', '23505', '23503', '23001']);

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;

export const isCollision = (error: unknown): boolean => COLLISION_CODES.has(codeOf(error) ?? '');

/** A lock was not to be had in time. */
const LOCK_NOT_AVAILABLE = '55P03';

export const isBlocked = (error: unknown): boolean => codeOf(error) === LOCK_NOT_AVAILABLE;

/** The server is away, starting, stopping or full, or a statement waited too long. */
const isUnavailable = (code: string | undefined, error: Error): boolean =>
  code === undefined
    ? /connection|timeout|terminated|not queryable/i.test(error.message)
    : code === LOCK_NOT_AVAILABLE ||
      /^(08|53|57|58)/.test(code) ||
      /^E(CONN|PIPE|HOSTUNREACH|NETUNREACH|TIMEDOUT|NOTFOUND|AI_AGAIN)/.test(code);

export const translate = (error: unknown): unknown => {
  if (!(error instanceof Error) || error instanceof ServiceError) return error;
  return isUnavailable(codeOf(error), error) ? unavailable(error) : error;
};
