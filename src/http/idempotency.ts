import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { claimChore, noteChore } from '../database/claims.ts';
import { type Database, NO_TEAM, type Transaction, type Work } from '../database/work.ts';
import { invalid, ServiceError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { answerByKey, deleteOldAnswers, insertAnswer } from './idempotency.store.ts';
import { pack, unpack } from './stored-answers.ts';

const HEADER = 'idempotency-key';
const HEADER_PATH = '/headers/idempotency-key';

/** Not a fault: the request was answered before, and gets that answer again. */
export class Replay extends Error {
  readonly text: string;

  constructor(text: string) {
    super('answered before');
    this.text = text;
  }
}

/** What makes two requests the same: method, path with query, and body. */
const fingerprintOf = ({ method, url, body }: FastifyRequest): string =>
  createHash('sha256')
    .update(JSON.stringify([method, url, body ?? null]))
    .digest('base64');

/** The key that a request brings, if any. */
const keyOf = ({ headers }: FastifyRequest): string | undefined => {
  const key = headers[HEADER];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key.length < 1 || key.length > LIMITS.idLength)
    throw invalid({ path: HEADER_PATH, message: `must have 1 to ${LIMITS.idLength} characters` });
  return key;
};

/** For what must never be kept, such as secrets: better refused than not obeyed. */
export const refuseKey = (request: FastifyRequest): void => {
  if (request.headers[HEADER] !== undefined)
    throw invalid({
      path: HEADER_PATH,
      message: 'is not supported by this operation: its response must not be stored',
    });
};

/** Whether a request asks to be carried out once, however often it comes. */
export const isKeyed = (request: FastifyRequest): boolean => request.headers[HEADER] !== undefined;

type Reply = Pick<FastifyReply, 'serializeInput'>;

/** Carries out a request that changes something. */
export type Carry<Unit> = <R extends FastifyRequest, T>(
  request: R,
  reply: Reply,
  work: (unit: Unit, request: R) => Promise<T>,
) => Promise<T>;

/** What carries out requests that change something. */
export interface Carriers {
  /** A POST, as a unit of work that others share, or in a transaction of its own. */
  readonly command: Carry<Work>;
  readonly change: Carry<Transaction>;
  /** A PUT or DELETE, which takes no key, in a transaction of its own. */
  readonly inTransaction: <R extends FastifyRequest, T>(
    request: R,
    work: (tx: Transaction, request: R) => Promise<T>,
  ) => Promise<T>;
}

/** The caller of what takes too long was told that it was not done, so it must not be done from then on. */
const refuseLate = ({ exchange }: FastifyRequest): void => {
  if (exchange.isLate) throw new ServiceError('SERVICE_UNAVAILABLE');
};

/** Work for a request, unless its caller was told meanwhile that it was not done. */
export const inTime = async <Unit, R extends FastifyRequest, T>(
  unit: Unit,
  request: R,
  work: (unit: Unit, request: R) => Promise<T>,
): Promise<T> => {
  refuseLate(request);
  const value = await work(unit, request);
  refuseLate(request);
  return value;
};

/** Nothing has happened yet, so what cannot be kept can still be refused. */
const refuseTooLong = (answer: string): void => {
  if (answer.length > LIMITS.storedAnswerLength)
    throw invalid({
      path: HEADER_PATH,
      message: `cannot be used: the response has more than ${LIMITS.storedAnswerLength} characters; request less at once`,
    });
};

/**
 * Carries out what a POST asks for. With an `Idempotency-Key` its answer is stored with its effect, and given again,
 * without another effect, to the same request with the same key. A refusal leaves no trace.
 */
const carry =
  <Unit extends Work>(run: <T>(teamId: string, work: (unit: Unit) => Promise<T>) => Promise<T>): Carry<Unit> =>
  (request, reply, work) => {
    const { teamId, nowMs } = request.context;
    const key = keyOf(request);
    if (key === undefined) return run(teamId, (unit) => inTime(unit, request, work));
    const fingerprint = fingerprintOf(request);
    return run(teamId, async (unit) => {
      // Whoever brings the same key meanwhile waits, and then finds the answer.
      unit.claim(`stored_answers\0${key}`);
      const [stored] = await unit.find(answerByKey, { key });
      if (stored !== undefined) {
        if (stored.fingerprint !== fingerprint)
          throw invalid({ path: HEADER_PATH, message: 'was already used with a different request' });
        throw new Replay(unpack(stored.answer));
      }
      const value = await inTime(unit, request, work);
      // A text is an answer already; else it is what the route will send, byte for byte.
      const answer =
        typeof value === 'string' ? value : String(reply.serializeInput(value as object as never, 200 as never));
      refuseTooLong(answer);
      unit.write(insertAnswer, { key, fingerprint, answer: pack(answer), stored_at: nowMs });
      return value;
    });
  };

export const createCarriers = (database: Database): Carriers => ({
  command: carry(database.write),
  change: carry(database.transaction),
  inTransaction: (request, work) => database.transaction(request.context.teamId, (tx) => inTime(tx, request, work)),
});

const CHORE = 'stored answers';

/**
 * Forgets answers that are old, some at a time, for as long as it goes on; tells how many. Of several nodes one does so:
 * all of them would look at the same rows, and wait for each other.
 */
export const removeOldAnswers = async (
  database: Database,
  clock: () => number,
  goesOn: () => boolean,
): Promise<number> => {
  const most = LIMITS.storedAnswersPerSweep;
  if ((await database.transaction(NO_TEAM, (tx) => claimChore(tx, CHORE, clock()))) === undefined) return 0;
  for (let removed = 0; ; ) {
    const count = await database.transaction(NO_TEAM, async (tx) => {
      await noteChore(tx, CHORE, { dueAtMs: clock() + LIMITS.choreLeaseMs, position: '' });
      return deleteOldAnswers(tx, clock() - LIMITS.storedAnswerMs, most);
    });
    removed += count;
    if (count < most || !goesOn()) return removed;
  }
};
