import pg from 'pg';
import { ServiceError, unavailable } from '../../shared/errors.ts';

/**
 * Errors that another transaction may have caused: a serialization failure, a deadlock, or a key that was inserted or
 * deleted between a command's check and its write (PostgreSQL 18 uses 23001 for `on delete restrict`). When the command
 * runs again, it sees what the other did and responds accordingly.
 */
const COLLISION_CODES = new Set(['40001', '40P01', '23505', '23503', '23001']);

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;

/**
 * The PostgreSQL routines that raise an error when a partition is added or dropped between planning and running a
 * statement: planned again, it finds the right one. Messages depend on the language of the server, and the codes are
 * too general.
 */
const PARTITION_ROUTINES = new Set([
  'ExecPartitionCheckEmitError',
  'ExecFindPartition',
  'relation_open',
  'RelationIdGetRelation',
  'get_partition_parent',
  'ExecOpenScanRelation',
]);

const isPartitionError = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && PARTITION_ROUTINES.has(error.routine ?? '');

export const isCollision = (error: unknown): boolean =>
  COLLISION_CODES.has(codeOf(error) ?? '') || isPartitionError(error);

/** A lock was not acquired in time. */
const LOCK_NOT_AVAILABLE = '55P03';

export const isBlocked = (error: unknown): boolean => codeOf(error) === LOCK_NOT_AVAILABLE;

/** A lock was not acquired in time, or two transactions waited for each other. */
export const isLockFailure = (error: unknown): boolean => isBlocked(error) || codeOf(error) === '40P01';

/** The server is read-only: a standby, or configured so. */
export const READ_ONLY = '25006';

export class ReadOnlyServer extends Error {
  readonly code = READ_ONLY;

  constructor() {
    super('the server accepts no writes');
  }
}

const DISK_FULL = '53100';

export const isDiskFull = (error: unknown): boolean => codeOf(error) === DISK_FULL;

/** A transaction was idle, or ran, longer than the server allows. */
const TRANSACTION_TIMEOUTS = ['25P03', '25P04'];

const UNAVAILABLE_CODES = new Set([LOCK_NOT_AVAILABLE, READ_ONLY, ...TRANSACTION_TIMEOUTS]);

/** Whether the server itself reports that it did not execute the statement, and is still available. */
export const isServerError = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.severity === 'ERROR';

/** It is unknown whether a transaction was committed, so its commands must not be rerun automatically. */
export class UnknownOutcome extends Error {
  readonly code = '08007';

  constructor(cause: unknown) {
    super('it is unknown whether the transaction was committed', { cause });
  }
}

/** The connection broke, or the machine is out of resources: Node's errors, not ours. */
const isSystemError = (code: string): boolean => /^E(?!RR_)[A-Z]+$|^ERR_(STREAM|SSL|TLS|SOCKET)_/.test(code);

/** The server is down, starting, stopping, full or read-only, or a statement timed out. */
const isUnavailable = (code: string | undefined, error: Error): boolean =>
  code === undefined
    ? /connection|timeout|terminated|not queryable/i.test(error.message)
    : UNAVAILABLE_CODES.has(code) ||
      /^(08|53|57|58)/.test(code) ||
      isSystemError(code) ||
      (error instanceof pg.DatabaseError && error.severity === 'FATAL');

export const translate = (error: unknown): unknown => {
  if (!(error instanceof Error) || error instanceof ServiceError) return error;
  return isUnavailable(codeOf(error), error) ? unavailable(error) : error;
};
