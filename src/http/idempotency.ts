import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { claimChore, saveChoreProgress } from '../database/claims.ts';
import { outside } from '../database/outside.ts';
import { type Database, NO_TEAM, type Transaction, type Work } from '../database/work.ts';
import type { ResponseLimit } from '../shared/context.ts';
import { invalid, ServiceError } from '../shared/errors.ts';
import { LIMITS } from '../shared/limits.ts';
import { deleteOldResponses, insertResponse, responseByKey } from './idempotency.store.ts';
import { type Body, textOf } from './outgoing.ts';
import { pack, unpack } from './response-compression.ts';

const HEADER = 'idempotency-key';
const HEADER_PATH = '/headers/idempotency-key';

/** Not a failure: the request was handled before, and gets the same response again. */
export class Replay extends Error {
  readonly text: string;

  constructor(text: string) {
    super('the stored response is sent again');
    this.text = text;
  }
}

/** Identifies a request: method, path with query, and body. */
const fingerprintOf = ({ method, url, body }: FastifyRequest): string =>
  createHash('sha256')
    .update(JSON.stringify([method, url, body ?? null]))
    .digest('base64');

/** The idempotency key of a request, if any. */
const keyOf = ({ headers }: FastifyRequest): string | undefined => {
  const key = headers[HEADER];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key.length < 1 || key.length > LIMITS.idLength)
    throw invalid({ path: HEADER_PATH, message: `must have 1 to ${LIMITS.idLength} characters` });
  return key;
};

/** For responses that must never be stored, such as secrets: rejecting the key is better than ignoring it. */
export const rejectIdempotencyKey = (request: FastifyRequest): void => {
  if (request.headers[HEADER] !== undefined)
    throw invalid({
      path: HEADER_PATH,
      message: 'is not supported by this operation: its response must not be stored',
    });
};

/** Whether a request has an idempotency key. */
export const hasIdempotencyKey = (request: FastifyRequest): boolean => request.headers[HEADER] !== undefined;

type Reply = Pick<FastifyReply, 'serializeInput'>;

/** Executes a request that changes something. */
export type RunRequest<Unit> = <R extends FastifyRequest, T>(
  request: R,
  reply: Reply,
  work: (unit: Unit, request: R) => Promise<T>,
) => Promise<T>;

/** Executes a request that changes something and takes no idempotency key. */
type RunWithoutKey<Unit> = <R extends FastifyRequest, T>(
  request: R,
  work: (unit: Unit, request: R) => Promise<T>,
) => Promise<T>;

/**
 * Executes a POST request that draws. Whether its response is too long must be decided before the first draw: nothing
 * is refused afterwards, since refusals that depend on results would change the odds of those that are seen.
 */
type RunDraw = <R extends FastifyRequest, T>(
  request: R,
  reply: Reply,
  work: (unit: Work, request: R, limit: ResponseLimit) => Promise<T>,
) => Promise<T>;

/** Executes a POST request that changes nothing, and whose response is made outside of any transaction. */
type RunOutside = (request: FastifyRequest, reply: Reply, make: () => Promise<Body>) => Promise<Body>;

/** Executes requests that may change something, or whose response may be stored. */
export interface RequestRunners {
  /** A POST or PATCH: `command` in a transaction shared with others, `change` in one of its own. */
  readonly command: RunRequest<Work>;
  readonly change: RunRequest<Transaction>;
  /** The same as `command` for whatever draws. */
  readonly draw: RunDraw;
  readonly outsideTransactions: RunOutside;
  /** A PUT or DELETE, which takes no idempotency key: in a transaction shared with others, or in one of its own. */
  readonly inSharedTransaction: RunWithoutKey<Work>;
  readonly inTransaction: RunWithoutKey<Transaction>;
}

/** The caller of a request that timed out was told that it was not done, so it must not be done any more. */
const rejectLate = ({ exchange }: FastifyRequest): void => {
  if (exchange.isLate) throw new ServiceError('SERVICE_UNAVAILABLE');
};

/** Runs the work of a request, unless its caller was told in the meantime that it was not done. */
const inTime = async <Unit, R extends FastifyRequest, T>(
  unit: Unit,
  request: R,
  work: (unit: Unit, request: R) => Promise<T>,
): Promise<T> => {
  rejectLate(request);
  const value = await work(unit, request);
  rejectLate(request);
  return value;
};

const limitTo = (length: number, path: string, subject: string): ResponseLimit => ({
  length,
  tooLong: () =>
    invalid({ path, message: `${subject} more than ${length.toLocaleString('en')} characters; request less at once` }),
});

/** What is stored is limited more than what is only sent. */
const STORED = limitTo(LIMITS.storedResponseLength, HEADER_PATH, 'cannot be used: the response may have');
const SENT = limitTo(LIMITS.rollResponseLength, '/body', 'asks for a response that may have');

/** Nothing has been committed yet, so a response that is too long to store can still be rejected. */
const rejectTooLong = (response: string): void => {
  if (response.length > STORED.length) throw STORED.tooLong();
};

/**
 * Executes a POST or PATCH request. With an `Idempotency-Key` the response is stored together with its effect, and sent again,
 * without another effect, for the same request with the same key. Errors are not stored.
 */
const runIn =
  <Unit extends Work>(
    run: <T>(teamId: string, work: (unit: Unit) => Promise<T>) => Promise<T>,
    checkResponse: (response: string) => void = rejectTooLong,
  ): RunRequest<Unit> =>
  (request, reply, work) => {
    const { teamId, nowMs } = request.context;
    const key = keyOf(request);
    if (key === undefined) return run(teamId, (unit) => inTime(unit, request, work));
    const fingerprint = fingerprintOf(request);
    return run(teamId, async (unit) => {
      // Concurrent requests with the same key wait, and then find the response.
      unit.claim(`stored_answers\0${key}`);
      const [stored] = await unit.find(responseByKey, { key });
      if (stored !== undefined) {
        if (stored.fingerprint !== fingerprint)
          throw invalid({ path: HEADER_PATH, message: 'was already used with a different request' });
        throw new Replay(unpack(stored.answer));
      }
      const value = await inTime(unit, request, work);
      // A string is already a response; anything else is serialized as the route will send it.
      const response =
        typeof value === 'string' ? value : String(reply.serializeInput(value as object as never, 200 as never));
      checkResponse(response);
      unit.write(insertResponse, { key, fingerprint, answer: pack(response), stored_at: nowMs });
      return value;
    });
  };

/** The response is not checked again: rolls on templates decide before they draw, and others cannot become too long. */
const runDraw = (database: Database): RunDraw => {
  const run = runIn(database.write, () => {});
  return (request, reply, work) => {
    const limit = hasIdempotencyKey(request) ? STORED : SENT;
    return run(request, reply, (unit) => work(unit, request, limit));
  };
};

const runOutside =
  (command: RunRequest<Work>): RunOutside =>
  (request, reply, make) => {
    if (!hasIdempotencyKey(request)) return make();
    const made = outside(async () => textOf(await make()));
    return command(request, reply, async (work) => made(work));
  };

export const createRequestRunners = (database: Database): RequestRunners => ({
  command: runIn(database.write),
  draw: runDraw(database),
  outsideTransactions: runOutside(runIn(database.write)),
  change: runIn(database.transaction),
  inSharedTransaction: (request, work) => database.write(request.context.teamId, (unit) => inTime(unit, request, work)),
  inTransaction: (request, work) => database.transaction(request.context.teamId, (tx) => inTime(tx, request, work)),
});

const CHORE = 'stored answers';

/**
 * Deletes old responses in steps, while `shouldContinue` returns true; returns how many. One of several nodes does
 * this: otherwise all would look at the same rows, and wait for each other.
 */
export const removeOldResponses = async (
  database: Database,
  clock: () => number,
  shouldContinue: () => boolean,
): Promise<number> => {
  const most = LIMITS.storedResponsesPerSweep;
  if ((await database.transaction(NO_TEAM, (tx) => claimChore(tx, CHORE, clock()))) === undefined) return 0;
  for (let removed = 0; ; ) {
    const count = await database.transaction(NO_TEAM, async (tx) => {
      await saveChoreProgress(tx, CHORE, { dueAtMs: clock() + LIMITS.choreLeaseMs, position: '' });
      return deleteOldResponses(tx, clock() - LIMITS.storedResponseMs, most);
    });
    removed += count;
    if (count < most || !shouldContinue()) return removed;
  }
};
