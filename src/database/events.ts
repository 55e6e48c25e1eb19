/** Events: what a command says about its changes, and the rows in which a group of commands keeps them. */
import { EVENT_TYPES, type EventType, USUAL_TYPES } from '../shared/event-types.ts';
import { newId } from '../shared/ids.ts';
import { LIMITS } from '../shared/limits.ts';
import { takeTurns } from '../shared/turns.ts';
import { insertInto, lookup, rowsOf } from './declarations.ts';
import type { Tables } from './tables.ts';

/** A user whom an event concerns, with the id that stands for them there: without it, it is looked up. */
export interface EventUser {
  readonly id: string;
  readonly roller_id?: string;
}

/** What a command says about one of its changes. */
export interface NewEvent {
  readonly type: EventType;
  readonly nowMs: number;
  readonly requestId: string | null;
  /** What it is about, unless it is about a user. */
  readonly subject?: string;
  readonly user?: EventUser | undefined;
  /** To whom it belonged before. */
  readonly fromUser?: EventUser;
  readonly cause?: string;
  /** The version of the catalog. */
  readonly version?: number;
  /** What happened, as a JSON object that does not name users; only asked for if the team keeps events of this type. */
  readonly data: () => string;
}

/**
 * An event as it is stored. Users are named by the ids that stand for them, which are deleted with them: the events of a
 * deleted user become anonymous without being touched.
 */
export interface StoredEvent {
  readonly type: EventType;
  readonly at: number;
  readonly requestId?: string;
  readonly subject?: string;
  readonly user?: string;
  readonly fromUser?: string;
  readonly cause?: string;
  readonly version?: number;
  readonly data: unknown;
}

/** The types that a team keeps, as JSON; no row or null for the usual ones. */
export const keptTypes = lookup({}, (queries, teamId) => rowsOf('event_feeds', { queries, teamId }).select('types'));

const USUAL: ReadonlySet<string> = new Set(USUAL_TYPES);

export const typesOf = ([feed]: readonly Pick<Tables['event_feeds'], 'types'>[]): ReadonlySet<string> =>
  feed?.types == null
    ? USUAL
    : new Set((JSON.parse(feed.types) as string[]).filter((type) => EVENT_TYPES.includes(type as EventType)));

/** What stands for a user in their events. */
export const rollerOf = lookup({ id: 'text' }, (queries, teamId, { id }) =>
  rowsOf('users', { queries, teamId }, { id }).select('roller_id'),
);

/** Its place in the feed is given afterwards. */
export const insertEvents = insertInto('events', { id: 'text', batch: 'text', events: 'text' });

type EventRow = Pick<Tables['events'], 'id' | 'batch' | 'events'>;

/** The users of events of whom only the id is known. */
export const unknownUsers = (events: readonly NewEvent[], rollers: ReadonlyMap<string, string>): string[] => {
  const unknown = new Set<string>();
  for (const { user, fromUser } of events)
    for (const one of [user, fromUser])
      if (one !== undefined && one.roller_id === undefined && !rollers.has(one.id)) unknown.add(one.id);
  return [...unknown];
};

const textOf = (event: NewEvent, rollers: ReadonlyMap<string, string>): string => {
  const { type, nowMs, requestId, subject, user, fromUser, cause, version, data } = event;
  const standIn = (one: EventUser | undefined): string | undefined => one && (one.roller_id ?? rollers.get(one.id));
  const head: Omit<StoredEvent, 'data'> = {
    type,
    at: nowMs,
    requestId: requestId ?? undefined,
    subject,
    user: standIn(user),
    fromUser: standIn(fromUser),
    cause,
    version,
  };
  return `${JSON.stringify(head).slice(0, -1)},"data":${data()}}`;
};

/** The rows of the events of a transaction: one, unless it has very many of them. */
export const rowsOfEvents = async (
  events: readonly NewEvent[],
  rollers: ReadonlyMap<string, string>,
): Promise<EventRow[]> => {
  const rows: EventRow[] = [];
  let texts: string[] = [];
  let length = 0;
  const endRow = (): void => {
    const id = newId();
    rows.push({ id, batch: rows[0]?.batch ?? id, events: `[${texts.join()}]` });
    texts = [];
    length = 0;
  };
  for (const [index, event] of events.entries()) {
    if (index % LIMITS.rowsPerTurnCheck === LIMITS.rowsPerTurnCheck - 1) await takeTurns();
    const text = textOf(event, rollers);
    if (length > 0 && length + text.length > LIMITS.eventRowLength) endRow();
    texts.push(text);
    length += text.length;
  }
  endRow();
  return rows;
};
