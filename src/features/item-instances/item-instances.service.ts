import type { Context } from '../../context.ts';
import { Collision } from '../../database/collision.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import type { Page, Paged } from '../../database/paging.ts';
import { inPassing } from '../../database/passing.ts';
import type { Footprint } from '../../engine/grid/grid.ts';
import type { CompiledItem } from '../../engine/pool/catalog.ts';
import { rollAttributes } from '../../engine/pool/pool.ts';
import type { Draws } from '../../engine/random.ts';
import { conflict, type Issue, invalid, notFound, refuseAny, type ServiceError } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { isoTime } from '../../time.ts';
import type { Catalogs } from '../catalog/catalog.service.ts';
import { type Cause, recordCreations, recordDeletion, recordTransfer } from '../history/history.service.ts';
import { findItem } from '../items/items.service.ts';
import {
  findPlacement,
  heldPlacement,
  type Placed,
  placeAll,
  relocate,
  unplace,
  vacate,
  type WantedPlace,
} from '../placements/placements.service.ts';
import {
  findUserSpace,
  type HeldUserSpace,
  holdUserSpace,
  holdUserSpaces,
  userSpacesOf,
} from '../spaces/spaces.service.ts';
import { ensureUser, findUser } from '../users/users.service.ts';
import type {
  GivenInstance,
  InstanceFilter,
  ItemInstance,
  ItemInstanceSpace,
  Move,
  NewItemInstance,
  Transfer,
} from './item-instances.contract.ts';
import * as store from './item-instances.store.ts';

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

const noSuchItem = { path: '/body/itemId', message: 'is no item of this team' };
const noSuchUserSpace = (member = 'userSpaceId') => ({
  path: `/body/${member}`,
  message: 'is no user space of this user',
});

/** Where gifts go, unplaced where no user space is named, and why. */
export interface Receiver {
  readonly userId: string;
  readonly userSpaceId?: string;
  readonly onFull?: 'reject' | 'unplaced';
  readonly cause: Cause;
}

/** The user space that is named, held until the end of the transaction if it is the player's; else undefined. */
const holdReceiving = async (
  tx: Transaction,
  context: Context,
  { userId, userSpaceId }: Pick<Receiver, 'userId' | 'userSpaceId'>,
): Promise<HeldUserSpace | undefined> => {
  const held = userSpaceId === undefined ? undefined : await holdUserSpace(tx, context, userSpaceId);
  return held?.userId === userId ? held : undefined;
};

/** Refuses a user space that is not the player's, for a call that ends before anything is given. */
export const checkReceiver = async (
  tx: Transaction,
  context: Context,
  { userId, userSpaceId }: Pick<Receiver, 'userId' | 'userSpaceId'>,
): Promise<void> => {
  if (userSpaceId === undefined) return;
  if ((await findUserSpace(tx, context, userSpaceId))?.userId !== userId) throw invalid(noSuchUserSpace());
};

/** The footprints of items that exist, kept from changing; where one has vanished since, all begins anew. */
const shareKnownFootprints = async (
  tx: Transaction,
  teamId: string,
  itemIds: readonly string[],
): Promise<Map<string, Footprint>> => {
  const found = await store.shareFootprints(tx, teamId, itemIds);
  if (itemIds.some((id) => !found.has(id))) throw new Collision();
  return found;
};

/**
 * Gives a player instances, all of them or none. The footprints of the items are kept from changing before the user
 * space is held: everybody takes them in this order.
 */
export const giveInstances = async (
  tx: Transaction,
  context: Context,
  receiver: Receiver,
  gifts: readonly Gift[],
): Promise<GivenInstance[]> => {
  if (gifts.length === 0) {
    await checkReceiver(tx, context, receiver);
    return [];
  }
  if (receiver.userSpaceId === undefined) return give(tx, context, receiver, gifts);
  const itemIds = gifts.map(({ itemId }) => itemId);
  const footprints = await shareKnownFootprints(tx, context.teamId, itemIds);
  const userSpace = await holdReceiving(tx, context, receiver);
  if (userSpace === undefined) throw invalid(noSuchUserSpace());
  return give(tx, context, receiver, gifts, { userSpace, footprints });
};

/** What it takes to place gifts: their user space, held, and their footprints, kept from changing. */
interface Room {
  readonly userSpace: HeldUserSpace;
  readonly footprints: ReadonlyMap<string, Footprint>;
}

const give = async (
  tx: Transaction,
  context: Context,
  { userId, onFull, cause }: Receiver,
  gifts: readonly Gift[],
  room?: Room,
): Promise<GivenInstance[]> => {
  // Whoever has a user space is there already.
  if (room === undefined) await ensureUser(tx, context, userId);
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
  inPassing(tx, store.insertInstances(tx, rows));
  const created = rows.map((row, index) => ({
    id: row.id,
    itemId: row.item_id,
    ownId: gifts[index]?.id !== undefined,
  }));
  await recordCreations(tx, context, { userId, cause }, created);
  if (room === undefined) return rows.map((row) => toGivenInstance(row, null));
  const placings = rows.map((row, index) => ({
    itemInstanceId: row.id,
    item: room.footprints.get(row.item_id) as Footprint,
    wanted: gifts[index]?.wanted,
  }));
  const placed = await placeAll(tx, context, room.userSpace, placings, { onFull });
  return rows.map((row, index) => toGivenInstance(row, placed[index] ?? null));
};

interface GivenPlace {
  readonly spacePositionX?: number;
  readonly spacePositionY?: number;
  readonly rotated?: boolean;
}

/** Faults of a place that is given, which no schema can see; `member` is the one that names the user space. */
const placeFaults = (
  { spacePositionX: x, spacePositionY: y, rotated }: GivenPlace,
  member: string,
  userSpaceId: string | undefined,
): Issue[] => {
  const faults: Issue[] = [];
  if ((x === undefined) !== (y === undefined))
    faults.push({
      path: x === undefined ? '/body/spacePositionX' : '/body/spacePositionY',
      message: 'is required: a position has both',
    });
  if (userSpaceId === undefined && (x !== undefined || y !== undefined || rotated !== undefined))
    faults.push({ path: `/body/${member}`, message: 'is required with a position' });
  return faults;
};

export const creationFaults = (input: NewItemInstance): Issue[] => placeFaults(input, 'userSpaceId', input.userSpaceId);
export const transferFaults = (input: Transfer): Issue[] => placeFaults(input, 'toUserSpaceId', input.toUserSpaceId);

const wantedPlace = ({ spacePositionX: x, spacePositionY: y, rotated }: GivenPlace): WantedPlace => ({ x, y, rotated });

type GivenValues = NonNullable<NewItemInstance['itemAttributeInstances']>;

/** Faults of the values that are given for an item's attributes. */
const valueFaults = async (
  tx: Transaction,
  context: Context,
  itemId: string,
  values: GivenValues,
): Promise<Issue[]> => {
  if (values.length === 0) return [];
  const item = await findItem(tx, context, itemId);
  if (item === undefined) return [noSuchItem];
  const ranges = new Map(item.attributes.map((attribute) => [attribute.id, attribute]));
  const given = new Set<string>();
  return values.flatMap(({ itemAttributeId, value }, index): Issue[] => {
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
const decideValues = (item: CompiledItem, given: GivenValues, draws: Draws): Gift['values'] => {
  const givenIds = new Set(given.map(({ itemAttributeId }) => itemAttributeId));
  const missing = item.attributes.filter(({ itemAttributeId }) => !givenIds.has(itemAttributeId));
  const rolled = rollAttributes({ ...item, attributes: missing }, draws);
  // A negative zero is stored as 0.
  return [...given.map(({ itemAttributeId, value }) => ({ itemAttributeId, value: value + 0 })), ...rolled];
};

/** How an operation that stands alone or in a batch refuses what its path or its body names. */
export interface Manner {
  readonly cause: Cause;
  /** There is no such instance. */
  readonly unknown: () => ServiceError;
  /** It belongs to somebody else than the caller says. */
  readonly notOwner: () => ServiceError;
}

const ALONE: Manner = { cause: 'request', unknown: notFound, notOwner: notFound };

export const createItemInstance = async (
  tx: Transaction,
  context: Context,
  input: NewItemInstance,
  { catalogs, draws }: Workshop,
  { cause }: Manner = ALONE,
): Promise<GivenInstance> => {
  refuseAny(creationFaults(input));
  const { teamId } = context;
  const { id, itemId, userId, userSpaceId, itemAttributeInstances: given = [] } = input;
  const isTaken = id !== undefined && (await store.instanceExists(tx, teamId, id));
  const { catalog } = await catalogs.current(tx, teamId);
  const item = catalog.itemsById.get(itemId);
  const placed = item !== undefined && userSpaceId !== undefined;
  const footprints = placed ? await shareKnownFootprints(tx, teamId, [itemId]) : new Map<string, Footprint>();
  const userSpace = await holdReceiving(tx, context, { userId, userSpaceId });
  refuseAny([
    ...(isTaken ? [{ path: '/body/id', message: 'is taken already' }] : []),
    ...(item === undefined ? [noSuchItem] : await valueFaults(tx, context, itemId, given)),
    ...(userSpaceId !== undefined && userSpace === undefined ? [noSuchUserSpace()] : []),
  ]);
  const values = decideValues(item as CompiledItem, given, draws);
  const gift = { id, itemId, values, wanted: wantedPlace(input) };
  const room = userSpace && { userSpace, footprints };
  const [made] = await give(tx, context, { userId, cause }, [gift], room);
  return made as GivenInstance;
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

/** The instance, held until the end of the transaction, if it is there and, where an owner is named, theirs. */
const holdOwned = async (
  tx: Transaction,
  { teamId }: Context,
  id: string,
  userId: string | undefined,
  { unknown, notOwner }: Manner,
): Promise<store.InstanceRow> => {
  const row = await store.holdInstance(tx, teamId, id);
  if (row === undefined) throw unknown();
  if (userId !== undefined && row.user_id !== userId) throw notOwner();
  return row;
};

const ownedOf = ({ id, item_id, user_id }: store.InstanceRow) => ({ id, itemId: item_id, userId: user_id });

/**
 * Holds the user space in which an instance lies, and the one to which it goes, if there are such. The instance itself
 * is held by the caller. Where it lies nowhere, the footprint of its item is kept from changing first.
 */
const holdPlaces = async (
  tx: Transaction,
  context: Context,
  row: store.InstanceRow,
  lying: Placed | undefined,
  targetId?: string,
) => {
  const goesIn = lying === undefined && targetId !== undefined;
  const footprints = goesIn && (await shareKnownFootprints(tx, context.teamId, [row.item_id]));
  const ids = [lying?.user_space_id, targetId].filter((id) => id !== undefined);
  const held = await holdUserSpaces(tx, context, ids);
  const present = lying && (await heldPlacement(tx, context, row.id, held));
  const from = held.find(({ id }) => id === present?.user_space_id);
  return {
    lies: present && from && { present, from },
    target: held.find(({ id }) => id === targetId),
    footprint: footprints ? footprints.get(row.item_id) : undefined,
  };
};

type Places = Awaited<ReturnType<typeof holdPlaces>>;

/** Puts an instance into a user space, from where it lies or from nowhere. */
const put = async (
  tx: Transaction,
  context: Context,
  row: store.InstanceRow,
  { lies, footprint }: Places,
  to: HeldUserSpace,
  { wanted, swap, path }: { wanted: WantedPlace; swap?: boolean; path?: string },
): Promise<ItemInstanceSpace | null> => {
  if (lies !== undefined) return relocate(tx, context, { ...lies, to, wanted, swap, path });
  const placing = { itemInstanceId: row.id, item: footprint as Footprint, wanted };
  const [placed] = await placeAll(tx, context, to, [placing], { path });
  return placed ?? null;
};

export const deleteItemInstance = async (
  tx: Transaction,
  context: Context,
  id: string,
  manner: Manner = ALONE,
): Promise<void> => {
  const row = await holdOwned(tx, context, id, undefined, manner);
  const { lies } = await holdPlaces(tx, context, row, await findPlacement(tx, context, id));
  if (lies !== undefined) await vacate(tx, context, lies.present, lies.from);
  await store.deleteInstance(tx, context.teamId, id);
  await recordDeletion(tx, context, ownedOf(row), manner.cause);
};

/** Which user space a move means: the one named, the one of the space named, or the present one. */
const targetUserSpaceId = async (
  tx: Transaction,
  context: Context,
  { userId, spaceId, userSpaceId }: Move,
  presentId: string | undefined,
): Promise<string> => {
  if (userSpaceId !== undefined) return userSpaceId;
  if (spaceId === undefined) {
    if (presentId !== undefined) return presentId;
    throw invalid({ path: '/body/spaceId', message: 'is required: the item instance is not placed' });
  }
  const present = presentId === undefined ? undefined : await findUserSpace(tx, context, presentId);
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
  manner: Manner = ALONE,
): Promise<GivenInstance> => {
  const row = await holdOwned(tx, context, id, move.userId, manner);
  const lying = await findPlacement(tx, context, id);
  const targetId = await targetUserSpaceId(tx, context, move, lying?.user_space_id);
  const places = await holdPlaces(tx, context, row, lying, targetId);
  const { target, lies } = places;
  if (target?.userId !== move.userId) throw invalid(noSuchUserSpace());
  if (move.spaceId !== undefined && target.spaceId !== move.spaceId)
    throw invalid({ path: '/body/spaceId', message: 'is not the space of the user space that is named' });
  const wanted = { ...wantedPlace(move), rotated: move.rotated ?? lies?.present.rotated === 1 };
  return toGivenInstance(row, await put(tx, context, row, places, target, { wanted, swap: move.swap }));
};

export const transferItemInstance = async (
  tx: Transaction,
  context: Context,
  id: string,
  input: Transfer,
  manner: Manner = ALONE,
): Promise<GivenInstance> => {
  refuseAny(transferFaults(input));
  const { userId, toUserId, toUserSpaceId } = input;
  const row = await holdOwned(tx, context, id, userId, manner);
  const places = await holdPlaces(tx, context, row, await findPlacement(tx, context, id), toUserSpaceId);
  const { lies } = places;
  const target = places.target?.userId === toUserId ? places.target : undefined;
  const faults: Issue[] = [];
  // Whoever has a user space is there.
  if (target === undefined && (await findUser(tx, context, toUserId)) === undefined)
    faults.push({ path: '/body/toUserId', message: 'is no user of this team' });
  if (toUserSpaceId !== undefined && target === undefined) faults.push(noSuchUserSpace('toUserSpaceId'));
  refuseAny(faults);
  if (row.user_id === toUserId) throw conflict({ path: '/body/toUserId', message: 'is the owner already' });

  let placement: ItemInstanceSpace | null = null;
  if (target !== undefined)
    placement = await put(tx, context, row, places, target, {
      wanted: wantedPlace(input),
      path: '/body/toUserSpaceId',
    });
  else if (lies !== undefined) await unplace(tx, context, lies.present, lies.from);
  const transferred = { ...row, user_id: toUserId, updated_at: context.nowMs };
  await store.updateOwner(tx, transferred);
  await recordTransfer(tx, context, ownedOf(row), toUserId, manner.cause);
  return toGivenInstance(transferred, placement);
};
