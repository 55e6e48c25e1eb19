import { inChunks } from '../../database/chunks.ts';
import { type Ask, ask } from '../../database/declarations.ts';
import type { EventUser } from '../../database/events.ts';
import { mapPage, type Page, type Paged } from '../../database/paging.ts';
import type { Finder, Reader, Transaction, Work } from '../../database/work.ts';
import { each } from '../../engine/steps.ts';
import type { Context } from '../../shared/context.ts';
import { notFound, throwIfAny } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { isoTime } from '../../shared/time.ts';
import { inTurns } from '../../shared/turns.ts';
import type { Catalogs } from '../compiled-catalog/compiled-catalog.service.ts';
import { askUser, ensureUser, getUser, type KnownUser } from '../users/users.service.ts';
import type { NewUserSpace, UserSpace } from './user-spaces.contract.ts';
import * as store from './user-spaces.store.ts';

export type { UserSpaceRow } from './user-spaces.store.ts';

export const toUserSpace = (row: store.UserSpaceRow): UserSpace => ({
  id: row.id,
  teamId: row.team_id,
  userId: row.user_id,
  externalId: row.external_id,
  spaceId: row.space_id,
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
});

/** A user space as its events say it. Its external id may be personal, and is not among it. */
const eventData = ({ id, space_id, created_at, updated_at }: store.UserSpaceRow): string =>
  JSON.stringify({ id, spaceId: space_id, createdAt: isoTime(created_at), updatedAt: isoTime(updated_at) });

export const createUserSpace = async (
  work: Work,
  context: Context,
  userId: string,
  { id, spaceId, externalId = null }: NewUserSpace,
  { catalogs }: { catalogs: Catalogs },
): Promise<UserSpace> => {
  const asked = askUser(userId);
  const [team, users] = await Promise.all([catalogs.current(work), work.find(asked.lookup, asked.key)]);
  // A generated id is new; a caller-supplied one is locked, so that nobody else takes it in the meantime.
  const [taken] = id === undefined ? [[]] : await work.hold(askUserSpace(id));
  throwIfAny([
    ...(taken.length > 0 ? [{ path: '/body/id', message: 'is already in use' }] : []),
    ...(team.spaces.has(spaceId) ? [] : [{ path: '/body/spaceId', message: 'is not a space of this team' }]),
  ]);
  const user = ensureUser(work, context, userId, users);
  const row: store.UserSpaceRow = {
    team_id: work.teamId,
    id: id ?? newId(),
    user_id: userId,
    space_id: spaceId,
    external_id: externalId,
    created_at: context.nowMs,
    updated_at: context.nowMs,
  };
  work.write(store.insertUserSpace, row);
  const { nowMs, requestId } = context;
  work.record({ type: 'user_space.created', nowMs, requestId, user, data: () => eventData(row) });
  return toUserSpace(row);
};

export const listUserSpaces = async (reader: Reader, userId: string, page: Page): Promise<Paged<UserSpace>> => {
  await getUser(reader, userId);
  return mapPage(await store.selectUserSpaces(reader, userId, page), toUserSpace);
};

/** Deletes a locked user space. */
export const removeUserSpace = (work: Work, context: Context, row: store.UserSpaceRow): void => {
  work.write(store.deleteUserSpace, { id: row.id });
  recordRemoval(work, context, row, { id: row.user_id });
};

const recordRemoval = (work: Work, { nowMs, requestId }: Context, row: store.UserSpaceRow, user: EventUser): void =>
  work.record({ type: 'user_space.deleted', nowMs, requestId, user, data: () => eventData(row) });

/** Locks a user space, which is required to place, move or remove anything in it. */
export const askUserSpace = (id: string): Ask<store.UserSpaceRow> => ask(store.holdUserSpace, { id });

/** A user space of a user, without a lock. */
export const getUserSpace = async (finder: Finder, userId: string, id: string): Promise<UserSpace> => {
  const [row] = await finder.find(store.userSpaceById, { id });
  if (row?.user_id !== userId) throw notFound();
  return toUserSpace(row);
};

/** The ids of the first two user spaces that a user has of a space: enough to know whether there are several. */
export const findUserSpaceIds = async (finder: Finder, userId: string, spaceId: string): Promise<string[]> =>
  (await finder.find(store.userSpacesOfSpace, { userId, spaceId })).map(({ id }) => id);

/** The space of each of these user spaces. */
export const findSpacesOf = async (finder: Finder, ids: readonly string[]): Promise<Map<string, string>> => {
  const spaceOf = new Map<string, string>();
  await inChunks(ids, async (some) => {
    const found = await Promise.all(some.map((id) => finder.find(store.userSpaceById, { id })));
    for (const [row] of found) if (row !== undefined) spaceOf.set(row.id, row.space_id);
  });
  return spaceOf;
};

/** The first user spaces of a space, oldest first; if a user is given, only theirs. */
export const findFirstOfSpace = async (
  finder: Finder,
  spaceId: string,
  userId?: string,
): Promise<{ id: string; userId: string }[]> => {
  const rows =
    userId === undefined
      ? await finder.find(store.firstOfSpace, { spaceId })
      : await finder.find(store.firstOfSpaceAndUser, { userId, spaceId });
  return rows.map((row) => ({ id: row.id, userId: row.user_id }));
};

/** The user spaces of a space, oldest first. */
export const listUserSpacesOfSpace = async (reader: Reader, spaceId: string, page: Page): Promise<Paged<UserSpace>> =>
  mapPage(await store.selectPageOfSpace(reader, spaceId, page), toUserSpace);

/** The spaces of which a user has user spaces. */
export const findSpaceIds = (reader: Reader, userId: string): Promise<string[]> => store.selectSpaceIds(reader, userId);

/** Locks all user spaces of a user who is being deleted. */
export const holdUserSpacesOf = async (tx: Transaction, userId: string): Promise<void> => {
  await store.holdAllOf(tx, userId);
};

/** Records that the user spaces of a user are deleted with them. The user must be locked, so that there will be no others. */
export const recordUserSpacesOf = async (tx: Transaction, context: Context, user: KnownUser): Promise<void> => {
  const rows = await store.holdAllOf(tx, user.id);
  await inTurns(each(rows, (row) => recordRemoval(tx, context, row, user)));
};
