import { v7 as newId } from 'uuid';
import type { Context } from '../../context.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import type { Page, Paged } from '../../database/paging.ts';
import { invalid, notFound, refuseAny } from '../../errors.ts';
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

/** The user spaces of these ids, held until the end of the transaction so that nobody else places in them meanwhile. */
export const holdUserSpaces = (tx: Transaction, { teamId }: OfTeam, ids: readonly string[]): Promise<UserSpace[]> =>
  store.holdUserSpaces(tx, teamId, ids);

export const findUserSpace = (reader: Reader, { teamId }: OfTeam, id: string): Promise<UserSpace | undefined> =>
  store.selectUserSpace(reader, teamId, id);

/** The user spaces that a player has of one space; two are enough to know that there are several. */
export const userSpacesOf = (
  reader: Reader,
  { teamId }: OfTeam,
  userId: string,
  spaceId: string,
): Promise<UserSpace[]> => store.selectUserSpacesOf(reader, teamId, { userId, spaceId }, 2);

/** The space behind a user space, which keeps its size until the end of the transaction. */
export const shareSpace = (tx: Transaction, { teamId }: OfTeam, id: string): Promise<Space> =>
  store.shareSpace(tx, teamId, id);
