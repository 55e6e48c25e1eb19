import { inChunks } from '../../database/chunks.ts';
import { type Ask, ask } from '../../database/declarations.ts';
import { mapPage, type Page, type Paged } from '../../database/paging.ts';
import type { Finder, Reader, Transaction, Work } from '../../database/work.ts';
import type { Context } from '../../shared/context.ts';
import { notFound } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { isoTime } from '../../shared/time.ts';
import type { HistoryEvent } from './history.contract.ts';
import * as store from './history.store.ts';

/** Sorts before every event of every team. */
const BEGINNING: store.EventKey = ['', '', 0];

/** Why something happened to an instance; for a roll on a template or a spark, with the template id. */
export type Cause = 'request' | 'batch' | 'restored' | 'roll' | `template:${string}` | `spark:${string}`;

/**
 * What an instance itself records about its creation. `cause` is null if its id was used before; then the history has
 * the creation event.
 */
export interface Origin {
  readonly cause: string | null;
  readonly author: string | null;
  readonly request_id: string | null;
}

/** The part of an instance that its history needs. */
export interface RecordedInstance extends Origin {
  readonly id: string;
  readonly item_id: string;
  readonly user_id: string;
  readonly attribute_values: string;
  readonly data: string | null;
  readonly created_at: number;
}

type Born = Omit<RecordedInstance, keyof Origin | 'attribute_values' | 'data'>;

/** What the history knows about an instance: the number of its last event, and its owner before the second event. */
export interface Past {
  readonly last: number | null;
  readonly first_owner: string | null;
}

const NO_PAST: Past = { last: null, first_owner: null };

/** To be read together with the lock on the instance, so that its events are numbered consecutively. */
export const askPast = (itemInstanceId: string): Ask<Past> => ask(store.pastOf, { itemInstanceId });

/** The creation of an instance that its history does not contain: the first owner is the one who first gave it away. */
const creationOf = (instance: RecordedInstance, { last, first_owner }: Past): store.EventRow => ({
  item_instance_id: instance.id,
  sequence: 1,
  item_id: instance.item_id,
  event: 'created',
  from_user_id: null,
  to_user_id: last === null ? instance.user_id : first_owner,
  cause: instance.cause as string,
  created_at: instance.created_at,
  request_id: instance.request_id,
  author: instance.author,
  reason: null,
  deleted_row: null,
  before: null,
  after: null,
});

/** What a deleted instance was, apart from what its last event says anyway. */
interface DeletedRow {
  readonly attributeValues: string;
  readonly createdAtMs: number;
  /** JSON of the game's own, if it had any. */
  readonly data?: string;
}

const toDeletedRow = ({ attribute_values, data, created_at }: RecordedInstance): string => {
  const row: DeletedRow = {
    attributeValues: attribute_values,
    createdAtMs: created_at,
    ...(data !== null && { data }),
  };
  return JSON.stringify(row);
};

/** A deleted instance as it was. */
export interface DeletedInstance {
  /** Of the deletion. */
  readonly sequence: number;
  readonly deletedAtMs: number;
  readonly itemId: string;
  /** Null if the owner was deleted since. */
  readonly userId: string | null;
  /** Null if it was deleted together with its owner, or before this was kept. */
  readonly row: DeletedRow | null;
}

/** What the history has of an instance if the last event is its deletion; null otherwise. 404 if there is no history. */
export const findDeleted = async (finder: Finder, itemInstanceId: string): Promise<DeletedInstance | null> => {
  const [last] = await finder.find(store.lastEventOf, { itemInstanceId });
  if (last === undefined) throw notFound();
  if (last.event !== 'deleted') return null;
  return {
    sequence: last.sequence,
    deletedAtMs: last.created_at,
    itemId: last.item_id,
    userId: last.from_user_id,
    row: last.deleted_row === null ? null : JSON.parse(last.deleted_row),
  };
};

/** The events that one command adds, several of which may concern the same instance. */
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

  /** Adds what was read about a locked instance. */
  learn(itemInstanceId: string, [past]: readonly Past[]): void {
    if (past !== undefined) this.#pasts.set(itemInstanceId, past);
  }

  /** The number of the last event of an instance that was learned about. */
  lastOf(itemInstanceId: string): number | null {
    return this.#pastOf(itemInstanceId).last;
  }

  /**
   * Returns what a new instance records about itself. Only a caller-supplied id, which is locked, can have a past. An
   * instance has no place for a reason.
   */
  created(instance: Born): Origin {
    const { last } = this.#pastOf(instance.id);
    const { author, requestId, reason } = this.#context;
    if (last === null && reason === null) return { cause: this.#cause, author: author.name, request_id: requestId };
    this.#add(instance, last ?? 0, { event: 'created', from_user_id: null, to_user_id: instance.user_id });
    return { cause: null, author: null, request_id: null };
  }

  transferred(instance: RecordedInstance, toUserId: string): void {
    const { last } = this.#pastOf(instance.id);
    const event = { event: 'transferred', from_user_id: instance.user_id, to_user_id: toUserId } as const;
    this.#add(instance, last ?? 1, event);
  }

  /** The owner stays, so whoever is the first to give the instance away is still the one whom it was created for. */
  changed(instance: RecordedInstance, before: object, after: object): void {
    const { last } = this.#pastOf(instance.id);
    const owner = { from_user_id: instance.user_id, to_user_id: instance.user_id };
    const [was, is] = [JSON.stringify(before), JSON.stringify(after)];
    this.#add(instance, last ?? 1, { event: 'changed', ...owner, before: was, after: is });
  }

  /** The instance can no longer record its own creation, so the history has to. */
  deleted(instance: RecordedInstance): void {
    const past = this.#pastOf(instance.id);
    if (instance.cause !== null) this.#work.write(store.insertEvent, creationOf(instance, past));
    const from = { from_user_id: instance.user_id, to_user_id: null };
    this.#add(instance, past.last ?? 1, { event: 'deleted', ...from, deleted_row: toDeletedRow(instance) });
  }

  #pastOf(itemInstanceId: string): Past {
    return this.#pasts.get(itemInstanceId) ?? NO_PAST;
  }

  #add(
    { id, item_id }: Pick<RecordedInstance, 'id' | 'item_id'>,
    last: number,
    event: Pick<store.EventRow, 'event' | 'from_user_id' | 'to_user_id'> &
      Partial<Pick<store.EventRow, 'before' | 'after' | 'deleted_row'>>,
  ): void {
    const { nowMs, requestId, author, reason } = this.#context;
    const sequence = last + 1;
    this.#work.write(store.insertEvent, {
      item_instance_id: id,
      sequence,
      item_id,
      cause: this.#cause,
      created_at: nowMs,
      request_id: requestId,
      author: author.name,
      reason,
      before: null,
      after: null,
      deleted_row: null,
      ...event,
    });
    const { first_owner } = this.#pastOf(id);
    this.#pasts.set(id, { last: sequence, first_owner: sequence === 2 ? event.from_user_id : first_owner });
  }
}

/**
 * Records the deletion of all instances of a user, and removes the user from every event. The caller must hold locks on
 * the instances and the user, so that none are added in the meantime.
 */
export const recordUserDeletion = async (
  tx: Transaction,
  { nowMs, requestId, author, reason }: Context,
  userId: string,
  instances: readonly RecordedInstance[],
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
        author: author.name,
        reason,
        deleted_row: null,
        before: null,
        after: null,
      });
    }
    // Instances given to the user are still theirs, or have been given away since.
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
  author: row.author,
  reason: row.reason,
  createdAt: isoTime(row.created_at),
  ...(row.before !== null && { before: JSON.parse(row.before) }),
  ...(row.after !== null && { after: JSON.parse(row.after) }),
});

const pastOf = async (finder: Finder, id: string): Promise<Past> =>
  (await finder.find(store.pastOf, { itemInstanceId: id }))[0] ?? NO_PAST;

/** The events of an instance, or of a deleted one if `instance` is undefined. 404 if it never existed. */
export const listHistory = async (
  reader: Reader,
  id: string,
  instance: RecordedInstance | undefined,
  { limit, after }: Page,
): Promise<Paged<HistoryEvent>> => {
  const past = await pastOf(reader, id);
  if (instance === undefined && past.last === null) throw notFound();
  // Events of one instance are numbered, so the number serves as the cursor.
  const number = after?.createdAtMs ?? 0;
  const recorded = instance !== undefined && instance.cause !== null && number < 1 ? [creationOf(instance, past)] : [];
  const found = [...recorded, ...(await store.selectEvents(reader, id, number, limit + 1))];
  const rows = found.slice(0, limit).map(toHistoryEvent);
  const last = rows.at(-1);
  return found.length > limit && last ? { rows, next: { createdAtMs: last.sequence, id } } : { rows };
};

/**
 * Scans some events of one team in key order and removes those before a given time that are no longer needed. `position`
 * is where the last call stopped; returns where the next call continues, or '' at the end.
 */
export const removeOldHistory = async (tx: Transaction, beforeMs: number, position: string): Promise<string> => {
  const after = position === '' ? BEGINNING : (JSON.parse(position) as store.EventKey);
  const most = LIMITS.historyRowsPerRemoval;
  const last = await store.selectKeyAfter(tx, after, most);
  await store.deleteOldEvents(tx, after, most, beforeMs);
  const next = last ?? (await store.selectNextTeam(tx, after));
  return next === undefined ? '' : JSON.stringify(next);
};

/** Somebody else's id is not for the user. */
const forUser = (event: HistoryEvent, userId: string): HistoryEvent => ({
  ...event,
  fromUserId: event.fromUserId === userId ? userId : null,
  toUserId: event.toUserId === userId ? userId : null,
});

/** The first events of an instance, without owners other than the user. */
export const listEventsOf = async (
  reader: Reader,
  instance: RecordedInstance,
  userId: string,
): Promise<HistoryEvent[]> => {
  const { rows } = await listHistory(reader, instance.id, instance, { limit: LIMITS.pageRows });
  return rows.map((event) => forUser(event, userId));
};

/** A page of events in key order, of which one more than the limit was read. */
const pageOfEvents = (found: readonly store.EventRow[], limit: number): Paged<store.EventRow> => {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return found.length > limit && last
    ? { rows, next: { createdAtMs: last.sequence, id: last.item_instance_id } }
    : { rows };
};

/** The events by which instances left a user, in no particular order. */
export const listPartings = async (
  reader: Reader,
  userId: string,
  { limit, after }: Page,
): Promise<Paged<HistoryEvent>> =>
  mapPage(pageOfEvents(await store.selectPartings(reader, userId, after, limit + 1), limit), (row) =>
    forUser(toHistoryEvent(row), userId),
  );

/** The deletions since a moment of what a user owned, by the ids of the instances, which may exist again. */
export const listDeletions = async (
  reader: Reader,
  userId: string,
  sinceMs: number,
  { limit, after }: Page,
): Promise<Paged<HistoryEvent>> =>
  mapPage(pageOfEvents(await store.selectDeletions(reader, userId, sinceMs, after, limit + 1), limit), toHistoryEvent);
