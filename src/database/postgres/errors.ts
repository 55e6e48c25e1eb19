import pg from 'pg';
import { ServiceError, unavailable } from '../../errors.ts';

/**
 * What another transaction may have caused: a serialisation failure, a deadlock, or a key that was taken or removed
 * between a command's check and its write (23001 is what PostgreSQL 18 calls a row kept by `on delete restrict`). Run
 * again, the command sees what the other did and answers accordingly.
 */
const COLLISION_CODES = new Set(['40001', '40P01', '23505', '23503', '23001']);

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;

/**
 * Where in PostgreSQL an error arises when a partition came or went between the planning of a statement and its run:
 * planned anew, it finds the right one. The messages depend on the language of the server, and their codes say little.
 */
const PARTITION_ROUTINES = new Set([
  'ExecPartitionCheckEmitError',
  'ExecFindPartition',
  'relation_open',
  'RelationIdGetRelation',
  'get_partition_parent',
  'ExecOpenScanRelation',
]);

const isOfPartition = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && PARTITION_ROUTINES.has(error.routine ?? '');

export const isCollision = (error: unknown): boolean =>
  COLLISION_CODES.has(codeOf(error) ?? '') || isOfPartition(error);

/** A lock was not to be had in time. */
const LOCK_NOT_AVAILABLE = '55P03';

export const isBlocked = (error: unknown): boolean => codeOf(error) === LOCK_NOT_AVAILABLE;

/** The server accepts no writes: it is a standby, or was told so. */
export const READ_ONLY = '25006';

export class ReadOnlyServer extends Error {
  readonly code = READ_ONLY;

  constructor() {
    super('the server accepts no writes');
  }
}

/** A transaction was idle, or took, longer than the server allows. */
const TRANSACTION_TIMEOUTS = ['25P03', '25P04'];

const UNAVAILABLE_CODES = new Set([LOCK_NOT_AVAILABLE, READ_ONLY, ...TRANSACTION_TIMEOUTS]);

/** Whether the server itself says that it did not do what it was asked, and is there to be asked again. */
export const isRefusal = (error: unknown): boolean => error instanceof pg.DatabaseError && error.severity === 'ERROR';

/** Nobody knows whether a transaction was committed; its commands must not run again by themselves. */
export class UnknownOutcome extends Error {
  readonly code = '08007';

  constructor(cause: unknown) {
    super('nobody knows whether the transaction was committed', { cause });
  }
}

/** The connection broke, or the machine has no more to give: errors of Node's, not of ours. */
const isSystemError = (code: string): boolean => /^E(?!RR_)[A-Z]+$|^ERR_(STREAM|SSL|TLS|SOCKET)_/.test(code);

/** The server is away, starting, stopping, full or read-only, or a statement waited too long. */
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
