import { ask } from '../../database/declarations.ts';
import type { StoredEvent } from '../../database/events.ts';
import { typesOf } from '../../database/events.ts';
import type { Finder, Reader, Transaction } from '../../database/work.ts';
import { compareBytes } from '../../engine/byte-order.ts';
import { gone, invalid } from '../../shared/errors.ts';
import { EVENT_TYPES, type EventType, USUAL_TYPES } from '../../shared/event-types.ts';
import { LIMITS } from '../../shared/limits.ts';
import { takeTurns } from '../../shared/turns.ts';
import type { Catalogs } from '../compiled-catalog/compiled-catalog.service.ts';
import { findKnownUser } from '../users/users.service.ts';
import * as store from './events.store.ts';
import { type PresentedEvent, presentEvents } from './presenting.service.ts';

/**
 * A place in the feed: after the first `index` events of the row with a position, or after all of them. The tag is that of
 * the row, since after a restore another one may have its position. Position 0 is before everything.
 */
export interface Cursor {
  readonly position: number;
  readonly tag: string;
  readonly index?: number;
}

export const BEGINNING: Cursor = { position: 0, tag: '' };

const tagOf = (rowId: string): string => rowId.slice(-8);

export const cursorText = ({ position, tag, index }: Cursor): string =>
  position === 0 ? '0' : `${position}.${tag}${index === undefined ? '' : `.${index}`}`;

export const parseCursor = (text: string, path: string): Cursor => {
  if (text === '0') return BEGINNING;
  const [, position, tag, index] = /^([1-9]\d{0,14})\.([0-9a-f]{8})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  if (position === undefined || tag === undefined) throw invalid({ path, message: 'is not a cursor of this feed' });
  return { position: Number(position), tag, ...(index !== undefined && { index: Number(index) }) };
};

/** Which events a reader wants. */
export interface Wanted {
  readonly types: ReadonlySet<string> | undefined;
  /** What stands for the user whose events are wanted; null if there is no such user. */
  readonly roller: string | null | undefined;
}

export const isWanted = ({ type, user, fromUser }: StoredEvent, { types, roller }: Wanted): boolean =>
  (types === undefined || types.has(type)) && (roller === undefined || user === roller || fromUser === roller);

export const wantedBy = async (
  finder: Finder,
  { types, userId }: { readonly types?: readonly string[] | undefined; readonly userId?: string | undefined },
): Promise<Wanted> => ({
  types: types && new Set(types),
  roller: userId === undefined ? undefined : ((await findKnownUser(finder, userId))?.roller_id ?? null),
});

export const checkTypes = (types: readonly string[] | undefined, path: string): void => {
  const unknown = types?.findIndex((type) => !EVENT_TYPES.includes(type as EventType)) ?? -1;
  if (unknown !== -1) throw invalid({ path: `${path}/${unknown}`, message: 'is not a type of event' });
};

const headOf = async (finder: Finder): Promise<store.FeedRow> =>
  (await finder.find(store.feedOf, {}))[0] ?? { types: null, position: 0, last_id: null };

/** The last position of the feed. */
export const lastPosition = async (finder: Finder): Promise<number> => (await headOf(finder)).position;

const endOf = ({ position, last_id }: store.FeedRow): Cursor =>
  position === 0 ? BEGINNING : { position, tag: tagOf(last_id as string) };

/** After everything that has a place by now. */
export const lastCursor = async (finder: Finder): Promise<Cursor> => endOf(await headOf(finder));

/** Events that follow each other, with the cursor after the last one that was looked at. */
export interface Slice {
  readonly events: readonly PresentedEvent[];
  readonly cursor: Cursor;
  readonly hasMore: boolean;
}

/** What to go on from, if a cursor is not in the feed. */
const outdated = async (reader: Reader, path: string) => {
  const [oldest] = await reader.find(store.rowsFrom, { position: 0, limit: 1 });
  const from = oldest === undefined ? await lastCursor(reader) : { ...oldest, tag: tagOf(oldest.id), index: 0 };
  return gone({ path, message: `is not in the feed, or no longer; the oldest cursor is ${cursorText(from)}` });
};

/**
 * The rows that a cursor is in or followed by; undefined if it is not in the feed. Positions have no gaps, unless rows were
 * removed in another order than that of the feed.
 */
const rowsAfter = (
  rows: readonly store.EventRow[],
  { position, tag, index }: Cursor,
  head: store.FeedRow,
): readonly store.EventRow[] | undefined => {
  const [first] = rows;
  if (position === head.position && first === undefined)
    return position === 0 || tagOf(head.last_id as string) === tag ? [] : undefined;
  const isThere = position === 0 ? first?.position === 1 : first?.position === position && tagOf(first.id) === tag;
  if (first === undefined || !isThere) return undefined;
  const gap = rows.findIndex((row, place) => row.position !== first.position + place);
  const connected = gap === -1 ? rows : rows.slice(0, gap);
  const following = position > 0 && index === undefined ? connected.slice(1) : connected;
  return following.length === 0 && gap !== -1 ? undefined : following;
};

interface Found {
  readonly row: store.EventRow;
  readonly index: number;
  readonly stored: StoredEvent;
}

/**
 * Reads some rows of the feed from a cursor on, from the oldest if there is none. At most `limit` events are returned,
 * and fewer if they are long.
 */
export const readSlice = async (
  reader: Reader,
  catalogs: Catalogs,
  given: Cursor | undefined,
  {
    wanted,
    limit,
    path = '/query/after',
  }: { readonly wanted?: Wanted; readonly limit: number; readonly path?: string },
): Promise<Slice> => {
  const most = LIMITS.eventRowsRead;
  const [head, rows] = await Promise.all([
    headOf(reader),
    reader.find(store.rowsFrom, { position: given?.position ?? 0, limit: most }),
  ]);
  const [oldest] = rows;
  const from = given ?? (oldest === undefined ? endOf(head) : { ...oldest, tag: tagOf(oldest.id), index: 0 });
  const following = rowsAfter(rows, from, head);
  if (following === undefined) throw await outdated(reader, path);
  const found: Found[] = [];
  let cursor = from;
  let length = 0;
  let isFull = false;
  for (const row of following) {
    const events = JSON.parse(row.events) as StoredEvent[];
    length += row.events.length;
    const skipped = row.position === from.position ? (from.index ?? 0) : 0;
    cursor = { position: row.position, tag: tagOf(row.id) };
    for (const [index, stored] of events.entries()) {
      if (index < skipped || (wanted !== undefined && !isWanted(stored, wanted))) continue;
      if (found.length === limit) {
        cursor = { ...cursor, index };
        isFull = true;
        break;
      }
      found.push({ row, index, stored });
    }
    if (isFull || length >= LIMITS.responseBytes) break;
    await takeTurns();
  }
  const hasMore = isFull || cursor.position < head.position;
  const events = await presentEvents(
    reader,
    catalogs,
    found.map(({ row, index, stored }) => ({
      stored,
      rowId: row.id,
      position: row.position,
      index,
      cursor: cursorText({ position: row.position, tag: tagOf(row.id), index: index + 1 }),
    })),
  );
  return { events, cursor, hasMore };
};

/** A page of the feed, for which not more than a certain number of rows is looked at. */
export const readPage = async (
  reader: Reader,
  catalogs: Catalogs,
  after: Cursor | 'now' | undefined,
  query: {
    readonly types?: readonly string[] | undefined;
    readonly userId?: string | undefined;
    readonly limit: number;
  },
): Promise<Slice> => {
  if (after === 'now') return { events: [], cursor: await lastCursor(reader), hasMore: false };
  const wanted = await wantedBy(reader, query);
  const events: PresentedEvent[] = [];
  let from = after;
  let length = 0;
  for (let reads = 1; ; reads += 1) {
    const slice = await readSlice(reader, catalogs, from, { wanted, limit: query.limit - events.length });
    for (const event of slice.events) {
      events.push(event);
      length += event.text.length;
    }
    const isFull = events.length >= query.limit || length >= LIMITS.responseBytes || reads === LIMITS.eventReadsPerPage;
    if (isFull || !slice.hasMore) return { ...slice, events };
    from = slice.cursor;
    await takeTurns();
  }
};

/** Teams with events that have no place in the feed yet. */
export const teamsToSequence = (reader: Reader): Promise<string[]> => store.selectWaiting(reader);

/**
 * What a row lock put in order has numbers in that order, and so has what was requested after something else was answered.
 * The rows of one transaction, which become visible together, stay together.
 */
const inOrder = <Row extends { readonly id: string; readonly batch: string; readonly number: number | null }>(
  rows: readonly Row[],
): Row[] => {
  const numberOf = ({ number }: Row): number => number ?? 0;
  const firstOf = new Map<string, number>();
  for (const row of rows)
    firstOf.set(row.batch, Math.min(numberOf(row), firstOf.get(row.batch) ?? Number.POSITIVE_INFINITY));
  const first = (row: Row): number => firstOf.get(row.batch) as number;
  return rows.toSorted((a, b) => first(a) - first(b) || compareBytes(a.id, b.id));
};

/**
 * Gives all events of a team that are committed their place in the feed. Nobody sees an event before that, and none gets
 * a place before another that was there already, so a reader never passes an event. Returns the last position; undefined
 * if another transaction is giving places.
 */
export const sequenceEvents = async (tx: Transaction): Promise<number | undefined> => {
  const hold = () => tx.hold(ask(store.holdFeed, {}));
  let [[feed]] = await hold();
  if (feed === undefined) {
    await store.createFeed(tx);
    [[feed]] = await hold();
  }
  if (feed === undefined) return undefined;
  // A statement of its own, which sees what was committed before the lock was taken.
  const rows = inOrder(await tx.find(store.waitingRows, {}));
  let { position } = feed;
  for (const { id } of rows) {
    position += 1;
    tx.write(store.savePlace, { id, position });
  }
  const last = rows.at(-1);
  if (last !== undefined) tx.write(store.saveLast, { position, last_id: last.id });
  return position;
};

/** Which types of events a team keeps. */
export interface EventSettings {
  readonly types: EventType[];
}

export const getSettings = async (finder: Finder): Promise<EventSettings> => {
  const kept = typesOf([await headOf(finder)]);
  return { types: EVENT_TYPES.filter((type) => kept.has(type)) };
};

/** Null restores what teams keep unless they say otherwise. */
export const saveSettings = async (tx: Transaction, types: readonly string[] | null): Promise<EventSettings> => {
  checkTypes(types ?? undefined, '/body/types');
  const kept = types === null ? USUAL_TYPES : EVENT_TYPES.filter((type) => types.includes(type));
  await store.saveTypes(tx, types === null ? null : JSON.stringify(kept));
  return { types: [...kept] };
};
