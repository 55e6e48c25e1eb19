import type { Context } from '../../context.ts';
import { inChunks } from '../../database/chunks.ts';
import { type Ask, ask } from '../../database/declarations.ts';
import type { Page, Paged } from '../../database/paging.ts';
import type { Finder, Reader, Transaction, Work } from '../../database/work.ts';
import { notFound } from '../../errors.ts';
import { LIMITS } from '../../limits.ts';
import { isoTime } from '../../time.ts';
import type { HistoryEvent } from './history.contract.ts';
import * as store from './history.store.ts';

/** Before every event. */
const BEGINNING: store.EventKey = ['', '', 0];

/** Why something happened to an instance; a roll on a template and a spark name the template. */
export type Cause = 'request' | 'batch' | 'roll' | `template:${string}` | `spark:${string}`;

/**
 * What an instance itself tells of how it came about. Where `cause` is null its id had a life before, and the history
 * has an event that tells.
 */
export interface Origin {
  readonly cause: string | null;
  readonly request_id: string | null;
}

/** An instance as far as its history goes. */
export interface Told extends Origin {
  readonly id: string;
  readonly item_id: string;
  readonly user_id: string;
  readonly created_at: number;
}

/** What the history has of an instance: the number of its last event, and who had it before the second. */
export interface Past {
  readonly last: number | null;
  readonly first_owner: string | null;
}

const NO_PAST: Past = { last: null, first_owner: null };

/** To be asked together with the instance, which is held, so that its events are numbered one after another. */
export const askPast = (itemInstanceId: string): Ask<Past> => ask(store.pastOf, { itemInstanceId });

/** How an instance came about that its history does not tell of: its first owner is who first gave it away. */
const creationOf = (instance: Told, { last, first_owner }: Past): store.EventRow => ({
  item_instance_id: instance.id,
  sequence: 1,
  item_id: instance.item_id,
  event: 'created',
  from_user_id: null,
  to_user_id: last === null ? instance.user_id : first_owner,
  cause: instance.cause as string,
  created_at: instance.created_at,
  request_id: instance.request_id,
});

/** The events that one command adds, some of which may concern the same instance. */
export class Chronicle {
  readonly #work: Work;
  readonly #context: Context;
  readonly #cause: Cause;
  readonly #pasts = new Map<string, Past>();

  constructor(work: Work, context: Context, cause: Cause) {
    this.#work = work;
    this.#context = context;
    this.#cause = cause;
  }

  /** Adds what was read of an instance that is held. */
  learn(itemInstanceId: string, [past]: readonly Past[]): void {
    if (past !== undefined) this.#pasts.set(itemInstanceId, past);
  }

  /** What a new instance is to tell of itself. Only an id of the caller's own, which is held, may have a past. */
  created(instance: Omit<Told, keyof Origin>): Origin {
    const { last } = this.#pastOf(instance.id);
    if (last === null) return { cause: this.#cause, request_id: this.#context.requestId };
    this.#add(instance, last, { event: 'created', from_user_id: null, to_user_id: instance.user_id });
    return { cause: null, request_id: null };
  }

  transferred(instance: Told, toUserId: string): void {
    const { last } = this.#pastOf(instance.id);
    const event = { event: 'transferred', from_user_id: instance.user_id, to_user_id: toUserId } as const;
    this.#add(instance, last ?? 1, event);
  }

  /** From now on the history alone tells of the instance, so that it also needs to tell how it came about. */
  deleted(instance: Told): void {
    const past = this.#pastOf(instance.id);
    if (instance.cause !== null) this.#work.write(store.insertEvent, creationOf(instance, past));
    this.#add(instance, past.last ?? 1, { event: 'deleted', from_user_id: instance.user_id, to_user_id: null });
  }

  #pastOf(itemInstanceId: string): Past {
    return this.#pasts.get(itemInstanceId) ?? NO_PAST;
  }

  #add(
    { id, item_id }: Pick<Told, 'id' | 'item_id'>,
    last: number,
    event: Pick<store.EventRow, 'event' | 'from_user_id' | 'to_user_id'>,
  ): void {
    const { nowMs, requestId } = this.#context;
    const sequence = last + 1;
    this.#work.write(store.insertEvent, {
      item_instance_id: id,
      sequence,
      item_id,
      cause: this.#cause,
      created_at: nowMs,
      request_id: requestId,
      ...event,
    });
    const { first_owner } = this.#pastOf(id);
    this.#pasts.set(id, { last: sequence, first_owner: sequence === 2 ? event.from_user_id : first_owner });
  }
}

/**
 * Records that all instances of a user go with the user, and takes the user out of every event. The caller holds the
 * instances and the user, so that nobody gives them another one meanwhile.
 */
export const recordUserDeletion = async (
  tx: Transaction,
  { nowMs, requestId }: Context,
  userId: string,
  instances: readonly Told[],
): Promise<void> => {
  const nobodyIf = (named: string | null): string | null => (named === userId ? null : named);
  await inChunks(instances, async (some) => {
    const pasts = await Promise.all(some.map(({ id }) => tx.find(store.pastOf, { itemInstanceId: id })));
    for (const [index, instance] of some.entries()) {
      const past = pasts[index]?.[0] ?? NO_PAST;
      const creation = creationOf(instance, past);
      if (instance.cause !== null)
        tx.write(store.insertEvent, { ...creation, to_user_id: nobodyIf(creation.to_user_id) });
      tx.write(store.insertEvent, {
        item_instance_id: instance.id,
        sequence: (past.last ?? 1) + 1,
        item_id: instance.item_id,
        event: 'deleted',
        from_user_id: null,
        to_user_id: null,
        cause: 'user deleted',
        created_at: nowMs,
        request_id: requestId,
      });
    }
    // What came to the user is theirs still, or has gone from them since.
    const withPast = some.filter((_, index) => (pasts[index]?.[0]?.last ?? null) !== null).map(({ id }) => id);
    if (withPast.length > 0) await store.forgetReceiver(tx, userId, withPast);
  });
  await store.forgetGiver(tx, userId);
};

const toHistoryEvent = (row: store.EventRow): HistoryEvent => ({
  sequence: row.sequence,
  itemInstanceId: row.item_instance_id,
  itemId: row.item_id,
  event: row.event,
  fromUserId: row.from_user_id,
  toUserId: row.to_user_id,
  cause: row.cause,
  requestId: row.request_id,
  createdAt: isoTime(row.created_at),
});

const pastOf = async (finder: Finder, id: string): Promise<Past> =>
  (await finder.find(store.pastOf, { itemInstanceId: id }))[0] ?? NO_PAST;

/** The events of an instance, which is undefined where it is no more; one that never was is not found. */
export const listHistory = async (
  reader: Reader,
  id: string,
  instance: Told | undefined,
  { limit, after }: Page,
): Promise<Paged<HistoryEvent>> => {
  const past = await pastOf(reader, id);
  if (instance === undefined && past.last === null) throw notFound();
  // The events of one instance are numbered, so the number is where a page goes on.
  const number = after?.createdAtMs ?? 0;
  const told = instance !== undefined && instance.cause !== null && number < 1 ? [creationOf(instance, past)] : [];
  const found = [...told, ...(await store.selectEvents(reader, id, number, limit + 1))];
  const rows = found.slice(0, limit).map(toHistoryEvent);
  const last = rows.at(-1);
  return found.length > limit && last ? { rows, next: { createdAtMs: last.sequence, id } } : { rows };
};

/**
 * Looks at some events, in the order of the key, and removes those from before a moment as far as they can be done without.
 * `position` is where the last call has stopped; the answer is where the next goes on, and empty at the end.
 */
export const removeOldHistory = async (tx: Transaction, beforeMs: number, position: string): Promise<string> => {
  const after = position === '' ? BEGINNING : (JSON.parse(position) as store.EventKey);
  const most = LIMITS.historyRowsPerRemoval;
  const last = await store.selectKeyAfter(tx, after, most);
  await store.deleteOldEvents(tx, after, most, beforeMs);
  return last === undefined ? '' : JSON.stringify(last);
};
