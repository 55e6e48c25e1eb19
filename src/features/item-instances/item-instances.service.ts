import { v7 as newId } from 'uuid';
import type { Context } from '../../context.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import type { Page, Paged } from '../../database/paging.ts';
import { rollAttributes } from '../../engine/pool.ts';
import type { Draws } from '../../engine/random.ts';
import { type Issue, invalid, notFound, refuseAny } from '../../errors.ts';
import { isoTime } from '../../time.ts';
import type { Catalogs } from '../catalog/catalog.service.ts';
import { findItem } from '../items/items.service.ts';
import type { UserSpace } from '../spaces/spaces.contract.ts';
import { findUserSpace, holdUserSpaces, userSpacesOf } from '../spaces/spaces.service.ts';
import { ensureUser } from '../users/users.service.ts';
import type { GivenInstance, InstanceFilter, ItemInstance, Move, NewItemInstance } from './item-instances.contract.ts';
import * as store from './item-instances.store.ts';
import { findPlacement, place, replace, unplace, type WantedPlace } from './placements.service.ts';

/** What it takes to make instances: the catalog for their attributes, and draws for the values. */
export interface Workshop {
  readonly catalogs: Catalogs;
  readonly draws: Draws;
}

/** A new instance whose values are decided. */
export interface Gift {
  readonly id?: string;
  readonly itemId: string;
  readonly userId: string;
  readonly values: readonly { readonly itemAttributeId: string; readonly value: number }[];
}

const toGivenInstance = (
  row: store.InstanceRow,
  itemInstanceSpace: GivenInstance['itemInstanceSpace'],
): GivenInstance => ({
  id: row.id,
  itemId: row.item_id,
  userId: row.user_id,
  teamId: row.team_id,
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
  itemInstanceSpace,
});

/** The user space, held until the end of the transaction, if it is the player's; else undefined. */
export const holdUserSpaceOf = async (
  tx: Transaction,
  context: Context,
  userId: string,
  userSpaceId: string,
): Promise<UserSpace | undefined> => {
  const [userSpace] = await holdUserSpaces(tx, context, [userSpaceId]);
  return userSpace?.userId === userId ? userSpace : undefined;
};

const noSuchUserSpace = { path: '/body/userSpaceId', message: 'is no user space of this user' };

/** Gives a player an instance, placed where a user space is given. */
export const giveInstance = async (
  tx: Transaction,
  context: Context,
  { id = newId(), itemId, userId, values }: Gift,
  userSpace?: UserSpace,
  wanted: WantedPlace = {},
): Promise<GivenInstance> => {
  await ensureUser(tx, context, userId);
  const row: store.InstanceRow = {
    team_id: context.teamId,
    id,
    item_id: itemId,
    user_id: userId,
    attribute_values: JSON.stringify(Object.fromEntries(values.map((entry) => [entry.itemAttributeId, entry.value]))),
    created_at: context.nowMs,
    updated_at: context.nowMs,
  };
  await store.insertInstance(tx, row);
  if (userSpace === undefined) return toGivenInstance(row, null);
  const footprint = await store.shareFootprint(tx, context.teamId, itemId);
  if (footprint === undefined) throw new Error(`item ${itemId} vanished while an instance of it exists`);
  return toGivenInstance(row, await place(tx, context, id, footprint, userSpace, wanted));
};

const shapeFaults = ({ userSpaceId, spacePositionX: x, spacePositionY: y, rotated }: NewItemInstance): Issue[] => {
  const faults: Issue[] = [];
  if ((x === undefined) !== (y === undefined))
    faults.push({
      path: x === undefined ? '/body/spacePositionX' : '/body/spacePositionY',
      message: 'is required: a position has both',
    });
  if (userSpaceId === undefined && (x !== undefined || y !== undefined || rotated !== undefined))
    faults.push({ path: '/body/userSpaceId', message: 'is required with a position' });
  return faults;
};

/** Values as given where they are given, else rolled, in the order in which a roll would draw them. */
const decideValues = async (
  tx: Transaction,
  context: Context,
  { itemId, itemAttributeInstances = [] }: NewItemInstance,
  { catalogs, draws }: Workshop,
): Promise<Gift['values']> => {
  const item = await findItem(tx, context, itemId);
  if (item === undefined) throw invalid({ path: '/body/itemId', message: 'is no item of this team' });
  const ranges = new Map(item.attributes.map((attribute) => [attribute.id, attribute]));
  const given = new Map<string, number>();
  const faults: Issue[] = [];
  for (const [index, { itemAttributeId, value }] of itemAttributeInstances.entries()) {
    const path = `/body/itemAttributeInstances/${index}`;
    const range = ranges.get(itemAttributeId);
    if (range === undefined) faults.push({ path: `${path}/itemAttributeId`, message: 'is no attribute of this item' });
    else if (given.has(itemAttributeId)) faults.push({ path: `${path}/itemAttributeId`, message: 'is given already' });
    else if (value < range.min || value > range.max)
      faults.push({ path: `${path}/value`, message: `must lie between ${range.min} and ${range.max}` });
    given.set(itemAttributeId, value + 0);
  }
  refuseAny(faults);
  const { catalog } = await catalogs.current(tx, context.teamId);
  const compiled = catalog.itemsById.get(itemId);
  if (compiled === undefined) throw invalid({ path: '/body/itemId', message: 'is no item of this team' });
  const missing = compiled.attributes.filter(({ itemAttributeId }) => !given.has(itemAttributeId));
  const rolled = rollAttributes({ ...compiled, attributes: missing }, draws);
  return [...[...given].map(([itemAttributeId, value]) => ({ itemAttributeId, value })), ...rolled];
};

export const createItemInstance = async (
  tx: Transaction,
  context: Context,
  input: NewItemInstance,
  workshop: Workshop,
): Promise<GivenInstance> => {
  refuseAny(shapeFaults(input));
  const { id = newId(), itemId, userId, userSpaceId } = input;
  if (await store.instanceExists(tx, context.teamId, id))
    throw invalid({ path: '/body/id', message: 'is taken already' });
  const userSpace = userSpaceId === undefined ? undefined : await holdUserSpaceOf(tx, context, userId, userSpaceId);
  if (userSpaceId !== undefined && userSpace === undefined) throw invalid(noSuchUserSpace);
  const values = await decideValues(tx, context, input, workshop);
  const wanted = { x: input.spacePositionX, y: input.spacePositionY, rotated: input.rotated };
  return giveInstance(tx, context, { id, itemId, userId, values }, userSpace, wanted);
};

export const listItemInstances = (
  reader: Reader,
  { teamId }: Pick<Context, 'teamId'>,
  filter: InstanceFilter,
  page: Page,
): Promise<Paged<ItemInstance>> => store.selectInstances(reader, teamId, filter, page);

export const getItemInstance = async (
  reader: Reader,
  { teamId }: Pick<Context, 'teamId'>,
  id: string,
): Promise<ItemInstance> => {
  const instance = await store.selectInstance(reader, teamId, id);
  if (instance === undefined) throw notFound();
  return instance;
};

/** An instance with its item's footprint and where it lies; the instance and its user space are held. */
const hold = async (tx: Transaction, context: Context, id: string, alsoUserSpaceId?: string) => {
  const row = await store.holdInstance(tx, context.teamId, id);
  if (row === undefined) throw notFound();
  const lying = await findPlacement(tx, context.teamId, id);
  const ids = [lying?.user_space_id, alsoUserSpaceId].filter((userSpaceId) => userSpaceId !== undefined);
  const userSpaces = ids.length === 0 ? [] : await holdUserSpaces(tx, context, ids);
  // Its user space may have been deleted before it was held; then the instance lies nowhere any more.
  const placement = lying && (await findPlacement(tx, context.teamId, id));
  const footprint = await store.shareFootprint(tx, context.teamId, row.item_id);
  if (footprint === undefined) throw new Error(`item ${row.item_id} vanished while an instance of it exists`);
  return { row, placement, footprint, userSpaces };
};

export const deleteItemInstance = async (tx: Transaction, context: Context, id: string): Promise<void> => {
  const { placement, footprint } = await hold(tx, context, id);
  if (placement !== undefined) await unplace(tx, placement, footprint);
  await store.deleteInstance(tx, context.teamId, id);
};

/** Which user space a move means: the one named, the one of the space named, or the present one. */
const targetUserSpaceId = async (
  tx: Transaction,
  context: Context,
  { userId, spaceId, userSpaceId }: Move,
  presentId: string | undefined,
): Promise<string> => {
  const present = presentId === undefined ? undefined : await findUserSpace(tx, context, presentId);
  if (userSpaceId !== undefined) {
    const named = await findUserSpace(tx, context, userSpaceId);
    if (named?.userId !== userId) throw invalid(noSuchUserSpace);
    if (spaceId !== undefined && named.spaceId !== spaceId)
      throw invalid({ path: '/body/spaceId', message: 'is not the space of the user space that is named' });
    return named.id;
  }
  if (spaceId === undefined) {
    if (present !== undefined) return present.id;
    throw invalid({ path: '/body/spaceId', message: 'is required: the item instance is not placed' });
  }
  if (present?.spaceId === spaceId) return present.id;
  const [first, second] = await userSpacesOf(tx, context, userId, spaceId);
  if (first === undefined) throw invalid({ path: '/body/spaceId', message: 'is no space of this user' });
  if (second !== undefined)
    throw invalid({
      path: '/body/userSpaceId',
      message: 'is required: the user has several user spaces of this space',
    });
  return first.id;
};

export const moveItemInstance = async (
  tx: Transaction,
  context: Context,
  id: string,
  move: Move,
): Promise<GivenInstance> => {
  const owned = await store.holdInstance(tx, context.teamId, id);
  if (owned === undefined || owned.user_id !== move.userId) throw notFound();
  const lying = await findPlacement(tx, context.teamId, id);
  const targetId = await targetUserSpaceId(tx, context, move, lying?.user_space_id);
  const { row, placement, footprint, userSpaces } = await hold(tx, context, id, targetId);
  const userSpace = userSpaces.find((candidate) => candidate.id === targetId);
  if (userSpace === undefined) throw invalid(noSuchUserSpace);
  const wanted = { x: move.spacePositionX, y: move.spacePositionY, rotated: move.rotated ?? placement?.rotated === 1 };
  const itemInstanceSpace =
    placement === undefined
      ? await place(tx, context, id, footprint, userSpace, wanted)
      : await replace(tx, context, placement, footprint, userSpace, wanted);
  return toGivenInstance(row, itemInstanceSpace);
};
