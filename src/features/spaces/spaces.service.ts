import type { Context } from '../../context.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import type { Page, Paged } from '../../database/paging.ts';
import { invalid, notFound, refuseAny } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { LIMITS } from '../../limits.ts';
import { ensureUser, getUser } from '../users/users.service.ts';
import type {
  NewSpace,
  NewUserSpace,
  Space,
  SpaceChange,
  SpaceWithUserSpaces,
  UserSpace,
  UserSpaceWithSpace,
} from './spaces.contract.ts';
import type { HeldUserSpace } from './spaces.store.ts';
import * as store from './spaces.store.ts';

type OfTeam = Pick<Context, 'teamId'>;

export const createSpace = async (
  tx: Transaction,
  { teamId, nowMs }: Context,
  { id = newId(), name, cols, rows }: NewSpace,
): Promise<Space> => {
  if ((await store.selectSpace(tx, teamId, id)) !== undefined)
    throw invalid({ path: '/body/id', message: 'is taken already' });
  await store.insertSpace(tx, { team_id: teamId, id, name, cols, rows, created_at: nowMs, updated_at: nowMs });
  return getSpace(tx, { teamId }, id);
};

export const listSpaces = (
  reader: Reader,
  { teamId }: OfTeam,
  filter: { userId?: string },
  page: Page,
): Promise<Paged<SpaceWithUserSpaces>> => store.selectSpaces(reader, teamId, filter.userId, page);

export const getSpace = async (reader: Reader, { teamId }: OfTeam, id: string): Promise<Space> => {
  const space = await store.selectSpace(reader, teamId, id);
  if (space === undefined) throw notFound();
  return space;
};

export const updateSpace = async (
  tx: Transaction,
  { teamId, nowMs }: Context,
  id: string,
  change: SpaceChange,
): Promise<Space> => {
  await getSpace(tx, { teamId }, id);
  // The update comes first: it waits for placements under way, which then count, and later ones wait for it. It writes
  // only what is given, so that it takes back nothing that another change just wrote.
  await store.updateSpace(tx, teamId, id, change, nowMs);
  const changed = await getSpace(tx, { teamId }, id);
  const cutOff = await store.selectCutOff(tx, teamId, id, changed, LIMITS.issues);
  refuseAny(
    cutOff.flatMap(({ itemInstanceId, userSpaceId, x, y, right, bottom }) => {
      const message = `would cut off item instance ${itemInstanceId} at ${x}, ${y} in user space ${userSpaceId}`;
      const paths = [
        ...(right >= changed.cols ? ['/body/cols'] : []),
        ...(bottom >= changed.rows ? ['/body/rows'] : []),
      ];
      return paths.map((path) => ({ path, message }));
    }),
    'CONFLICT',
  );
  return changed;
};

export const deleteSpace = async (tx: Transaction, { teamId }: Context, id: string): Promise<void> => {
  await getSpace(tx, { teamId }, id);
  const users = await store.selectUserSpacesOf(tx, teamId, { spaceId: id }, LIMITS.issues);
  refuseAny(
    users.map((userSpace) => ({
      path: '/path/id',
      message: `is the space of user space ${userSpace.id} (user ${userSpace.userId})`,
    })),
    'CONFLICT',
  );
  await store.deleteSpace(tx, teamId, id);
};

export const createUserSpace = async (
  tx: Transaction,
  context: Context,
  userId: string,
  { id = newId(), spaceId, externalId = null }: NewUserSpace,
): Promise<UserSpace> => {
  const { teamId, nowMs } = context;
  const issues = [];
  if ((await store.selectUserSpace(tx, teamId, id)) !== undefined)
    issues.push({ path: '/body/id', message: 'is taken already' });
  if ((await store.selectSpace(tx, teamId, spaceId)) === undefined)
    issues.push({ path: '/body/spaceId', message: 'is no space of this team' });
  refuseAny(issues);
  await ensureUser(tx, context, userId);
  await store.insertUserSpace(tx, {
    team_id: teamId,
    id,
    user_id: userId,
    space_id: spaceId,
    external_id: externalId,
    created_at: nowMs,
    updated_at: nowMs,
  });
  return (await store.selectUserSpace(tx, teamId, id)) as UserSpace;
};

export const listUserSpaces = async (
  reader: Reader,
  { teamId }: OfTeam,
  userId: string,
  page: Page,
): Promise<Paged<UserSpaceWithSpace>> => {
  await getUser(reader, { teamId }, userId);
  return store.selectUserSpaces(reader, teamId, userId, page);
};

export const deleteUserSpace = async (
  tx: Transaction,
  { teamId }: OfTeam,
  userId: string,
  id: string,
): Promise<void> => {
  if (!(await store.deleteUserSpace(tx, teamId, userId, id))) throw notFound();
};

export type { HeldUserSpace } from './spaces.store.ts';

/** A user space, held until the end of the transaction so that nobody else places in it meanwhile. */
export const holdUserSpace = (tx: Transaction, { teamId }: OfTeam, id: string): Promise<HeldUserSpace | undefined> =>
  store.holdUserSpace(tx, teamId, id);

/** Several at once, in the order in which everybody takes them. */
export const holdUserSpaces = async (
  tx: Transaction,
  { teamId }: OfTeam,
  ids: readonly string[],
): Promise<HeldUserSpace[]> => {
  const [first, ...more] = new Set(ids);
  if (first === undefined) return [];
  if (more.length > 0) return store.holdUserSpaces(tx, teamId, [first, ...more]);
  const held = await store.holdUserSpace(tx, teamId, first);
  return held === undefined ? [] : [held];
};

/** All user spaces in which an item lies. */
export const holdUserSpacesOfItem = (tx: Transaction, { teamId }: OfTeam, itemId: string): Promise<HeldUserSpace[]> =>
  store.holdUserSpacesOfItem(tx, teamId, itemId);

export const findUserSpace = (reader: Reader, { teamId }: OfTeam, id: string): Promise<UserSpace | undefined> =>
  store.selectUserSpace(reader, teamId, id);

/** A user's own user space with its space. */
export const getUserSpace = async (
  reader: Reader,
  { teamId }: OfTeam,
  userId: string,
  id: string,
): Promise<UserSpaceWithSpace> => {
  const userSpace = await store.selectUserSpaceWithSpace(reader, teamId, id);
  if (userSpace?.userId !== userId) throw notFound();
  return userSpace;
};

/** The user spaces that a player has of one space; two are enough to know that there are several. */
export const userSpacesOf = (
  reader: Reader,
  { teamId }: OfTeam,
  userId: string,
  spaceId: string,
): Promise<UserSpace[]> => store.selectUserSpacesOf(reader, teamId, { userId, spaceId }, 2);
