import { createHash } from 'node:crypto';
import type { StoredEvent } from '../../database/events.ts';
import type { Reader } from '../../database/work.ts';
import type { EventType } from '../../shared/event-types.ts';
import { isoTime } from '../../shared/time.ts';
import type { Catalogs } from '../compiled-catalog/compiled-catalog.service.ts';
import type {
  StoredChange,
  StoredInstance,
  StoredInstanceEvent,
  StoredMove,
  StoredPlace,
} from '../item-instances/instance-events.service.ts';
import { presentRolls, type StoredRollData } from '../rolls/roll-log.service.ts';
import type { User } from '../users/users.contract.ts';
import { findUsersOf } from '../users/users.service.ts';
import type { FeedEvent } from './events.contract.ts';

export interface PlacedEvent {
  readonly stored: StoredEvent;
  readonly rowId: string;
  readonly position: number;
  readonly index: number;
  /** After this event. */
  readonly cursor: string;
}

export interface PresentedEvent {
  readonly cursor: string;
  readonly stored: StoredEvent;
  /** The event as JSON. */
  readonly text: string;
}

/** A UUID that is always the same for an event: version 8, of which an application decides all other bits. */
const idOf = ({ rowId, index }: PlacedEvent): string => {
  const hash = createHash('sha256').update(`${rowId}/${index}`).digest('hex');
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
};

/** Texts that sort as the numbers do. */
const sequenceOf = ({ position, index }: PlacedEvent): string =>
  `${String(position).padStart(15, '0')}.${String(index).padStart(6, '0')}`;

type Users = ReadonlyMap<string, User>;

const userIdOf = (users: Users, roller: string | undefined): string | null =>
  (roller === undefined ? undefined : users.get(roller)?.id) ?? null;

const toPlacement = (teamId: string, itemInstanceId: string, place: StoredPlace | null) => {
  if (place === null) return null;
  const [id, teamUserSpaceId, spacePositionX, spacePositionY, rotated, createdAtMs, updatedAtMs] = place;
  return {
    ...{ id, itemInstanceId, teamUserSpaceId, spacePositionX, spacePositionY, rotated: rotated === 1, teamId },
    createdAt: isoTime(createdAtMs),
    updatedAt: isoTime(updatedAtMs),
  };
};

type Present = (event: StoredEvent, teamId: string, users: Users) => unknown;

const toInstance = (
  { id, itemId, at, values, place, data, locked }: StoredInstance,
  teamId: string,
  userId: string | null,
) => ({
  ...{ id, itemId, userId, teamId },
  createdAt: isoTime(at[0]),
  updatedAt: isoTime(at[1]),
  itemInstanceSpace: toPlacement(teamId, id, place),
  itemAttributeInstances: Object.entries(values).map(([itemAttributeId, value]) => ({ itemAttributeId, value })),
  ...(data !== undefined && { data }),
  ...(locked !== undefined && { locked }),
});

const presentInstance: Present = ({ data, user, fromUser }, teamId, users) => {
  const { id, before } = data as StoredInstanceEvent;
  return {
    ...toInstance(data as StoredInstance, teamId, userIdOf(users, user)),
    ...(before !== undefined && {
      before: { userId: userIdOf(users, fromUser), itemInstanceSpace: toPlacement(teamId, id, before.place) },
    }),
  };
};

const presentChange: Present = ({ data, user }, teamId, users) => ({
  ...toInstance(data as StoredChange, teamId, userIdOf(users, user)),
  before: (data as StoredChange).before,
});

const presentMove: Present = ({ data, user }, teamId, users) => {
  const { id, place, before } = data as StoredMove;
  return {
    ...{ id, userId: userIdOf(users, user), itemInstanceSpace: toPlacement(teamId, id, place) },
    before: { itemInstanceSpace: toPlacement(teamId, id, before) },
  };
};

/** Of a deleted user, nothing is known. */
const presentUser: Present = ({ user }, teamId, users) => {
  const known = user === undefined ? undefined : users.get(user);
  return known ?? { id: null, externalId: null, teamId, createdAt: null, updatedAt: null };
};

const presentUserSpace: Present = ({ data, user }, teamId, users) => ({
  ...(data as object),
  teamId,
  userId: userIdOf(users, user),
});

const presentBalance: Present = ({ data, user }, _, users) => ({ userId: userIdOf(users, user), ...(data as object) });

const asStored: Present = ({ data }) => data;

const PRESENT: Record<Exclude<EventType, 'roll.made'>, Present> = {
  'item_instance.created': presentInstance,
  'item_instance.changed': presentChange,
  'item_instance.transferred': presentInstance,
  'item_instance.deleted': presentInstance,
  'item_instance.moved': presentMove,
  'balance.changed': presentBalance,
  'user.created': presentUser,
  'user.deleted': presentUser,
  'user_space.created': presentUserSpace,
  'user_space.deleted': presentUserSpace,
  'catalog.published': asStored,
  'draft.failed': asStored,
  'evidence.alarmed': asStored,
};

const dataOf = async (
  reader: Reader,
  catalogs: Catalogs,
  events: readonly PlacedEvent[],
  users: Users,
): Promise<unknown[]> => {
  const isRoll = ({ stored }: PlacedEvent): boolean => stored.type === 'roll.made';
  const rolls = events.filter(isRoll).map(({ stored }) => ({
    ...(stored.data as StoredRollData),
    userId: userIdOf(users, stored.user),
    version: stored.version ?? null,
    atMs: stored.at,
    requestId: stored.requestId ?? null,
  }));
  const presented = rolls.length === 0 ? [] : await presentRolls(reader, await catalogs.current(reader), rolls);
  let next = 0;
  return events.map(({ stored }) => {
    const { type } = stored;
    if (type !== 'roll.made') return (PRESENT[type] ?? asStored)(stored, reader.teamId, users);
    next += 1;
    return presented[next - 1];
  });
};

/** Events as the feed shows them, with what is known of their users by now. */
export const presentEvents = async (
  reader: Reader,
  catalogs: Catalogs,
  events: readonly PlacedEvent[],
): Promise<PresentedEvent[]> => {
  const { teamId } = reader;
  const users = await findUsersOf(
    reader,
    events.flatMap(({ stored: { user, fromUser } }) => [user, fromUser].filter((one) => one !== undefined)),
  );
  const data = await dataOf(reader, catalogs, events, users);
  return events.map((event, place) => {
    const { stored } = event;
    const userId = userIdOf(users, stored.user);
    const subject = stored.subject ?? (userId === null ? undefined : `users/${userId}`);
    const shown: FeedEvent = {
      specversion: '1.0',
      id: idOf(event),
      source: `/teams/${teamId}`,
      type: stored.type,
      ...(subject !== undefined && { subject }),
      time: isoTime(stored.at),
      datacontenttype: 'application/json',
      sequence: sequenceOf(event),
      ...(stored.version !== undefined && { catalogversion: stored.version }),
      ...(stored.requestId !== undefined && { requestid: stored.requestId }),
      ...(stored.cause !== undefined && { cause: stored.cause }),
      ...(stored.user !== undefined && { player: stored.user }),
      data: data[place] as Record<string, unknown>,
    };
    return { cursor: event.cursor, stored, text: JSON.stringify(shown) };
  });
};
