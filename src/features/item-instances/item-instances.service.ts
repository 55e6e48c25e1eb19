import { v7 as newId } from 'uuid';
import type { Context } from '../../context.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import type { Page, Paged } from '../../database/paging.ts';
import type { Footprint } from '../../engine/grid.ts';
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
import { findPlacement, placeAll, replace, unplace, type WantedPlace } from './placements.service.ts';

/** What it takes to make instances: the catalog for their attributes, and draws for the values. */
export interface Workshop {
  readonly catalogs: Catalogs;
  readonly draws: Draws;
}

/** A new instance whose values are decided. */
export interface Gift {
  readonly id?: string;
  readonly itemId: string;
  readonly wanted?: WantedPlace;
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

const noSuchItem = { path: '/body/itemId', message: 'is no item of this team' };
const noSuchUserSpace = { path: '/body/userSpaceId', message: 'is no user space of this user' };

/** Where gifts go: unplaced where no user space is given, which is held by the caller. */
export interface Receiver {
  readonly userId: string;
  readonly userSpace?: UserSpace;
  readonly onFull?: 'reject' | 'unplaced';
}

/** Gives a player instances, all of them or none. */
export const giveInstances = async (
  tx: Transaction,
  context: Context,
  { userId, userSpace, onFull }: Receiver,
  gifts: readonly Gift[],
): Promise<GivenInstance[]> => {
  await ensureUser(tx, context, userId);
  const rows = gifts.map(({ id = newId(), itemId, values }): store.InstanceRow => {
    const byAttribute = Object.fromEntries(values.map(({ itemAttributeId, value }) => [itemAttributeId, value]));
    return {
      team_id: context.teamId,
      id,
      item_id: itemId,
      user_id: userId,
      attribute_values: JSON.stringify(byAttribute),
      created_at: context.nowMs,
      updated_at: context.nowMs,
    };
  });
  await store.insertInstances(tx, rows);
  if (userSpace === undefined) return rows.map((row) => toGivenInstance(row, null));
  const footprints = await shareFootprints(tx, context, rows);
  const placings = rows.map((row, index) => ({
    itemInstanceId: row.id,
    item: footprints.get(row.item_id) as Footprint,
    wanted: gifts[index]?.wanted,
  }));
  const placed = await placeAll(tx, context, userSpace, placings, onFull);
  return rows.map((row, index) => toGivenInstance(row, placed[index] ?? null));
};

/** The footprints of the instances' items, by item id; none of them changes until the end of the transaction. */
const shareFootprints = async (
  tx: Transaction,
  { teamId }: Context,
  rows: readonly store.InstanceRow[],
): Promise<Map<string, Footprint>> => {
  const itemIds = [...new Set(rows.map((row) => row.item_id))].sort();
  const found = await store.shareFootprints(tx, teamId, itemIds);
  if (found.length < itemIds.length) throw new Error('an item vanished while instances of it exist');
  return new Map(found.map(({ id, width, height }) => [id, { width, height }]));
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

type GivenValues = NonNullable<NewItemInstance['itemAttributeInstances']>;

/** Faults of the item that is named and of the values given for its attributes. */
const itemFaults = async (
  tx: Transaction,
  context: Context,
  { itemId, itemAttributeInstances = [] }: NewItemInstance,
): Promise<Issue[]> => {
  const item = await findItem(tx, context, itemId);
  if (item === undefined) return [noSuchItem];
  const ranges = new Map(item.attributes.map((attribute) => [attribute.id, attribute]));
  const given = new Set<string>();
  return itemAttributeInstances.flatMap(({ itemAttributeId, value }, index): Issue[] => {
    const path = `/body/itemAttributeInstances/${index}`;
    const range = ranges.get(itemAttributeId);
    if (range === undefined) return [{ path: `${path}/itemAttributeId`, message: 'is no attribute of this item' }];
    if (given.has(itemAttributeId)) return [{ path: `${path}/itemAttributeId`, message: 'is given already' }];
    given.add(itemAttributeId);
    if (value >= range.min && value <= range.max) return [];
    return [{ path: `${path}/value`, message: `must lie between ${range.min} and ${range.max}` }];
  });
};

/** Values as given where they are given, else rolled, in the order in which a roll would draw them. */
const decideValues = async (
  tx: Transaction,
  { teamId }: Context,
  itemId: string,
  given: GivenValues,
  { catalogs, draws }: Workshop,
): Promise<Gift['values']> => {
  const { catalog } = await catalogs.current(tx, teamId);
  const compiled = catalog.itemsById.get(itemId);
  if (compiled === undefined) throw invalid(noSuchItem);
  const givenIds = new Set(given.map(({ itemAttributeId }) => itemAttributeId));
  const missing = compiled.attributes.filter(({ itemAttributeId }) => !givenIds.has(itemAttributeId));
  const rolled = rollAttributes({ ...compiled, attributes: missing }, draws);
  // A negative zero is stored as 0.
  return [...given.map(({ itemAttributeId, value }) => ({ itemAttributeId, value: value + 0 })), ...rolled];
};

export const createItemInstance = async (
  tx: Transaction,
  context: Context,
  input: NewItemInstance,
  workshop: Workshop,
): Promise<GivenInstance> => {
  refuseAny(shapeFaults(input));
  const { id = newId(), itemId, userId, userSpaceId, itemAttributeInstances = [] } = input;
  const isTaken = await store.instanceExists(tx, context.teamId, id);
  const userSpace = userSpaceId === undefined ? undefined : await holdUserSpaceOf(tx, context, userId, userSpaceId);
  refuseAny([
    ...(isTaken ? [{ path: '/body/id', message: 'is taken already' }] : []),
    ...(await itemFaults(tx, context, input)),
    ...(userSpaceId !== undefined && userSpace === undefined ? [noSuchUserSpace] : []),
  ]);
  const values = await decideValues(tx, context, itemId, itemAttributeInstances, workshop);
  const wanted = { x: input.spacePositionX, y: input.spacePositionY, rotated: input.rotated };
  const [given] = await giveInstances(tx, context, { userId, userSpace }, [{ id, itemId, values, wanted }]);
  return given as GivenInstance;
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
  const footprints = await shareFootprints(tx, context, [row]);
  return { row, placement, footprint: footprints.get(row.item_id) as Footprint, userSpaces };
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
  if (placement !== undefined)
    return toGivenInstance(row, await replace(tx, context, placement, footprint, userSpace, wanted));
  const [placed] = await placeAll(tx, context, userSpace, [{ itemInstanceId: id, item: footprint, wanted }]);
  return toGivenInstance(row, placed ?? null);
};
