import { inChunks } from '../../database/chunks.ts';
import { ask } from '../../database/declarations.ts';
import { type Page, type Paged, paged } from '../../database/paging.ts';
import { Collision, type Finder, type Reader, type Transaction, type Work } from '../../database/work.ts';
import { compareBytes } from '../../engine/byte-order.ts';
import type { Footprint } from '../../engine/grid/grid.ts';
import type { CompiledItem } from '../../engine/pool/catalog.ts';
import { rollAttributes } from '../../engine/pool/pool.ts';
import type { Draws } from '../../engine/random.ts';
import { each, sorted } from '../../engine/steps.ts';
import type { Context } from '../../shared/context.ts';
import { conflict, type Issue, invalid, notFound, type ServiceError, throwIfAny } from '../../shared/errors.ts';
import { requireEtag } from '../../shared/etags.ts';
import { newId } from '../../shared/ids.ts';
import { isoTime } from '../../shared/time.ts';
import { inTurns } from '../../shared/turns.ts';
import type { Catalogs, TeamCatalog } from '../compiled-catalog/compiled-catalog.service.ts';
import type { HistoryEvent } from '../history/history.contract.ts';
import { type Cause, listHistory, recordUserDeletion } from '../history/history.service.ts';
import { noRoom, type Placement, type RequestedPlace, toItemInstanceSpace } from '../placements/inventory.service.ts';
import type { KnownUser } from '../users/users.service.ts';
import { type Holdings, type Named, openHoldings } from './holdings.service.ts';
import { recordChange, recordCreation, recordDeletion, recordTransfer } from './instance-events.service.ts';
import type {
  InstanceResult,
  ItemInstanceUpdate,
  Move,
  NewItemInstance,
  TakeOut,
  Transfer,
} from './item-instances.contract.ts';
import * as store from './item-instances.store.ts';
import { dataFaults, etagOfRow, updated, updateFaults } from './updating.service.ts';

/** What creating instances needs: the catalogs for their attributes, and random draws for the values. */
export interface InstanceDeps {
  readonly catalogs: Catalogs;
  readonly draws: Draws;
}

/** An operation on instances, on its own or in a batch. */
export type Operation =
  | ({ readonly type: 'create' } & NewItemInstance)
  | ({ readonly type: 'update'; readonly id: string; readonly ifMatch?: string } & ItemInstanceUpdate)
  | ({ readonly type: 'move'; readonly id: string } & Move)
  | ({ readonly type: 'take-out'; readonly id: string } & TakeOut)
  | ({ readonly type: 'transfer'; readonly id: string } & Transfer)
  | { readonly type: 'delete'; readonly id: string };

export const toInstanceResult = (
  teamId: string,
  row: store.InstanceRow,
  placement: Placement | null,
): InstanceResult => ({
  id: row.id,
  itemId: row.item_id,
  userId: row.user_id,
  teamId,
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
  itemInstanceSpace: placement && toItemInstanceSpace(teamId, placement),
  ...(row.data !== null && { data: JSON.parse(row.data) }),
  ...(row.locked !== null && { locked: true }),
});

/** Attribute values of an instance in their stored form. */
export const valuesText = (values: readonly { readonly itemAttributeId: string; readonly value: number }[]): string =>
  JSON.stringify(Object.fromEntries(values.map(({ itemAttributeId, value }) => [itemAttributeId, value])));

export const noSuchUserSpace = (member = 'userSpaceId'): Issue => ({
  path: `/body/${member}`,
  message: 'is not a user space of this user',
});

interface PlaceInput {
  readonly spacePositionX?: number;
  readonly spacePositionY?: number;
  readonly rotated?: boolean;
}

/** Issues of a requested position that no schema can express; `member` is the one that refers to the user space. */
const placeFaults = (
  { spacePositionX: x, spacePositionY: y, rotated }: PlaceInput,
  member: string,
  userSpaceId: string | undefined,
): Issue[] => {
  const faults: Issue[] = [];
  if ((x === undefined) !== (y === undefined))
    faults.push({
      path: x === undefined ? '/body/spacePositionX' : '/body/spacePositionY',
      message: 'is required: a position needs both coordinates',
    });
  if (userSpaceId === undefined && (x !== undefined || y !== undefined || rotated !== undefined))
    faults.push({ path: `/body/${member}`, message: 'is required with a position' });
  return faults;
};

/** Issues of an operation that can be found without reading anything. */
export const shapeFaults = (operation: Operation): Issue[] => {
  if (operation.type === 'create')
    return [
      ...placeFaults(operation, 'userSpaceId', operation.userSpaceId),
      ...dataFaults(operation.data ?? {}, '/body/data'),
    ];
  if (operation.type === 'update') return updateFaults(operation);
  if (operation.type === 'transfer') return placeFaults(operation, 'toUserSpaceId', operation.toUserSpaceId);
  return [];
};

const requestedPlace = ({ spacePositionX: x, spacePositionY: y, rotated }: PlaceInput): RequestedPlace => ({
  x,
  y,
  rotated,
});

const namedBy = (operations: readonly Operation[]): Named => {
  const instanceIds = new Set<string>();
  const recordedIds = new Set<string>();
  const userSpaceIds = new Set<string | undefined>();
  const spacesOfUsers: { userId: string; spaceId: string }[] = [];
  const userIds = new Set<string>();
  for (const operation of operations) {
    // A generated id is new and has no past.
    if (operation.id !== undefined) {
      instanceIds.add(operation.id);
      if (operation.type !== 'move' && operation.type !== 'take-out') recordedIds.add(operation.id);
    }
    if (operation.type === 'create') userIds.add(operation.userId);
    if (operation.type === 'transfer') userIds.add(operation.toUserId);
    if (operation.type === 'transfer' && operation.userId !== undefined) userIds.add(operation.userId);
    if (operation.type === 'create' || operation.type === 'move') userSpaceIds.add(operation.userSpaceId);
    if (operation.type === 'transfer') userSpaceIds.add(operation.toUserSpaceId);
    if (operation.type === 'move' && operation.spaceId !== undefined && operation.userSpaceId === undefined)
      spacesOfUsers.push({ userId: operation.userId, spaceId: operation.spaceId });
  }
  userSpaceIds.delete(undefined);
  return { instanceIds, recordedIds, userSpaceIds: userSpaceIds as Set<string>, spacesOfUsers, userIds };
};

type ValuesInput = NonNullable<NewItemInstance['itemAttributeInstances']>;

/** Issues of the values given for an item's attributes. */
const valueFaults = (item: CompiledItem, values: ValuesInput): Issue[] => {
  const ranges = new Map(item.attributes.map((attribute) => [attribute.itemAttributeId, attribute]));
  const given = new Set<string>();
  return values.flatMap(({ itemAttributeId, value }, index): Issue[] => {
    const path = `/body/itemAttributeInstances/${index}`;
    const range = ranges.get(itemAttributeId)?.range;
    if (range === undefined) return [{ path: `${path}/itemAttributeId`, message: 'is not an attribute of this item' }];
    if (given.has(itemAttributeId)) return [{ path: `${path}/itemAttributeId`, message: 'is given more than once' }];
    given.add(itemAttributeId);
    if (value >= range.min && value <= range.max) return [];
    return [{ path: `${path}/value`, message: `must be between ${range.min} and ${range.max}` }];
  });
};

/** Uses the given values and rolls the others, in the order in which a roll would draw them. */
const decideValues = (item: CompiledItem, given: ValuesInput, draws: Draws) => {
  const givenIds = new Set(given.map(({ itemAttributeId }) => itemAttributeId));
  const missing = item.attributes.filter(({ itemAttributeId }) => !givenIds.has(itemAttributeId));
  const rolled = rollAttributes({ ...item, attributes: missing }, draws);
  // Stores negative zero as 0.
  return [...given.map(({ itemAttributeId, value }) => ({ itemAttributeId, value: value + 0 })), ...rolled];
};

/** The item of an instance. A current catalog contains it. */
export const itemOf = ({ catalog }: TeamCatalog, itemId: string): CompiledItem => {
  const item = catalog.itemsById.get(itemId);
  if (item === undefined) throw new Collision();
  return item;
};

/** Which errors an operation throws for what it refers to: these differ between a path and a batch. */
export interface OperationErrors {
  readonly cause: Cause;
  /** The instance does not exist. */
  readonly unknown: () => ServiceError;
  /** It does not belong to the given owner. */
  readonly notOwner: () => ServiceError;
}

const ALONE: OperationErrors = { cause: 'request', unknown: notFound, notOwner: notFound };

interface Parts {
  readonly work: Work;
  readonly context: Context;
  readonly holdings: Holdings;
  readonly errors: OperationErrors;
  readonly draws: Draws;
}

/** Places an instance in a user space, whether or not it was placed before; throws if it does not fit. */
const put = (
  { inventory }: Holdings,
  id: string,
  item: Footprint,
  userSpaceId: string,
  { wanted, path }: { wanted: RequestedPlace; path: string },
): Placement => {
  const placement = inventory.put(id, item, userSpaceId, wanted);
  if (placement === null) throw noRoom(item, path);
  return placement;
};

const create = ({ work, context, holdings, draws, errors }: Parts, input: NewItemInstance): InstanceResult => {
  const { itemId, userId, userSpaceId, itemAttributeInstances: given = [], data } = input;
  const item = holdings.team.catalog.itemsById.get(itemId);
  const isTaken = input.id !== undefined && holdings.instance(input.id) !== undefined;
  const isOthers = userSpaceId !== undefined && holdings.userSpace(userSpaceId)?.user_id !== userId;
  throwIfAny([
    ...(isTaken ? [{ path: '/body/id', message: 'is already in use' }] : []),
    ...(item === undefined
      ? [{ path: '/body/itemId', message: 'is not an item of this team' }]
      : holdings.team.catalog.currencies.has(itemId)
        ? [{ path: '/body/itemId', message: 'is a currency, of which there are no item instances' }]
        : valueFaults(item, given)),
    ...(isOthers ? [noSuchUserSpace()] : []),
  ]);
  const known = item as CompiledItem;
  const { nowMs } = context;
  const born = { id: input.id ?? newId(), item_id: itemId, user_id: userId, created_at: nowMs };
  const to = { wanted: requestedPlace(input), path: '/body/userSpaceId' };
  const placement = userSpaceId === undefined ? null : put(holdings, born.id, known, userSpaceId, to);
  const attribute_values = valuesText(decideValues(known, given, draws));
  const state = { data: data === undefined ? null : JSON.stringify(data), locked: null };
  const row = { ...born, attribute_values, ...state, updated_at: nowMs, ...holdings.chronicle.created(born) };
  holdings.ensureUser(userId);
  holdings.create(row);
  recordCreation(work, context, row, placement, holdings.user(userId), errors.cause);
  return toInstanceResult(work.teamId, row, placement);
};

/** The instance, if it exists and belongs to the owner, if one is given. */
const ownedBy = ({ holdings, errors }: Parts, id: string, userId: string | undefined): store.InstanceRow => {
  const row = holdings.instance(id);
  if (row === undefined) throw errors.unknown();
  if (userId !== undefined && row.user_id !== userId) throw errors.notOwner();
  return row;
};

/** The same for what a locked instance must not be used for. */
const freeOf = (parts: Parts, id: string, userId: string | undefined): store.InstanceRow => {
  const row = ownedBy(parts, id, userId);
  if (row.locked !== null) throw conflict({ path: '/path/id', message: 'is locked' });
  return row;
};

const update = (parts: Parts, { id, userId, ifMatch, ...change }: Extract<Operation, { type: 'update' }>) => {
  const { work, context, holdings, errors } = parts;
  const row = ownedBy(parts, id, userId);
  requireEtag(ifMatch, 'item instance', () => etagOfRow(row));
  const next = updated(row, change, context.nowMs);
  const placement = holdings.inventory.placementOf(id);
  if (next !== null) {
    holdings.tellMove(id);
    holdings.chronicle.changed(row, next.before, next.after);
    holdings.change(next.row);
    recordChange(work, context, next, placement, holdings.user(row.user_id), errors.cause);
  }
  return toInstanceResult(work.teamId, next?.row ?? row, placement);
};

/** The target of a move: the given user space, the user space of the given space, or the current one. */
const targetOf = (holdings: Holdings, { userId, spaceId, userSpaceId }: Move, present: Placement | null): string => {
  if (userSpaceId !== undefined) return userSpaceId;
  if (spaceId === undefined) {
    if (present !== null) return present.userSpaceId;
    throw invalid({ path: '/body/spaceId', message: 'is required: the item instance is not placed' });
  }
  if (present !== null && holdings.userSpace(present.userSpaceId)?.space_id === spaceId) return present.userSpaceId;
  const [first, second] = holdings.userSpaceIdsOf(userId, spaceId);
  if (first === undefined) throw invalid({ path: '/body/spaceId', message: 'is not a space that this user has' });
  if (second !== undefined)
    throw invalid({
      path: '/body/userSpaceId',
      message: 'is required: the user has several user spaces of this space',
    });
  return first;
};

const move = async (parts: Parts, { id, ...input }: Move & { readonly id: string }): Promise<InstanceResult> => {
  const { work, holdings } = parts;
  const row = freeOf(parts, id, input.userId);
  const present = holdings.inventory.placementOf(id);
  const target = holdings.userSpace(targetOf(holdings, input, present));
  if (target?.user_id !== input.userId) throw invalid(noSuchUserSpace());
  if (input.spaceId !== undefined && target.space_id !== input.spaceId)
    throw invalid({ path: '/body/spaceId', message: 'is not the space of the given user space' });
  const item = itemOf(holdings.team, row.item_id);
  const rotated = input.rotated ?? present?.rotated ?? false;
  const place = { x: input.spacePositionX, y: input.spacePositionY, rotated };
  const isLocked = (other: string) => {
    const known = holdings.instance(other);
    return known && known.locked !== null;
  };
  const placement =
    input.swap === true && present !== null
      ? await holdings.inventory.swap(work, { itemInstanceId: id, item, userSpaceId: target.id, place, isLocked })
      : put(holdings, id, item, target.id, { wanted: place, path: '/body/userSpaceId' });
  return toInstanceResult(work.teamId, row, placement);
};

const takeOut = (parts: Parts, { id, userId }: TakeOut & { readonly id: string }): InstanceResult => {
  const row = freeOf(parts, id, userId);
  parts.holdings.inventory.takeAway(id);
  return toInstanceResult(parts.work.teamId, row, null);
};

const transfer = (parts: Parts, { id, ...input }: Transfer & { readonly id: string }): InstanceResult => {
  const { work, context, holdings, errors } = parts;
  const { userId, toUserId, toUserSpaceId } = input;
  const row = freeOf(parts, id, userId);
  const named = toUserSpaceId === undefined ? undefined : holdings.userSpace(toUserSpaceId);
  const target = named?.user_id === toUserId ? named : undefined;
  throwIfAny([
    ...(holdings.hasUser(toUserId) ? [] : [{ path: '/body/toUserId', message: 'is not a user of this team' }]),
    ...(toUserSpaceId !== undefined && target === undefined ? [noSuchUserSpace('toUserSpaceId')] : []),
  ]);
  if (row.user_id === toUserId) throw conflict({ path: '/body/toUserId', message: 'is already the owner' });
  holdings.tellMove(id);
  const placementBefore = holdings.inventory.placementOf(id);
  let placement: Placement | null = null;
  if (target === undefined) holdings.inventory.takeAway(id);
  else {
    const to = { wanted: requestedPlace(input), path: '/body/toUserSpaceId' };
    placement = put(holdings, id, itemOf(holdings.team, row.item_id), target.id, to);
  }
  const transferred = { ...row, user_id: toUserId, updated_at: context.nowMs };
  holdings.chronicle.transferred(row, toUserId);
  holdings.change(transferred);
  recordTransfer(work, context, {
    ...{ row: transferred, placement, placementBefore, cause: errors.cause },
    ...{ user: holdings.user(toUserId), fromUser: holdings.user(row.user_id) },
  });
  return toInstanceResult(work.teamId, transferred, placement);
};

const remove = (parts: Parts, id: string): Record<string, never> => {
  const { work, context, holdings, errors } = parts;
  const row = freeOf(parts, id, undefined);
  holdings.tellMove(id);
  recordDeletion(work, context, row, holdings.inventory.placementOf(id), holdings.user(row.user_id), errors.cause);
  holdings.inventory.takeAway(id);
  holdings.chronicle.deleted(row);
  holdings.remove(id);
  return {};
};

type Result = InstanceResult | Record<string, never>;

const runOperation = async (parts: Parts, operation: Operation): Promise<Result> => {
  switch (operation.type) {
    case 'create':
      return create(parts, operation);
    case 'update':
      return update(parts, operation);
    case 'move':
      return move(parts, operation);
    case 'take-out':
      return takeOut(parts, operation);
    case 'transfer':
      return transfer(parts, operation);
    case 'delete':
      return remove(parts, operation.id);
  }
};

/**
 * Runs operations in order, all or none. Everything they refer to is locked before the first one runs, and changes are
 * written after the last; each operation sees the changes of those before it. `onError` is called with the index of the
 * operation that failed, and throws.
 */
export const runOperations = async (
  work: Work,
  context: Context,
  operations: readonly Operation[],
  { errors, catalogs, draws }: InstanceDeps & { readonly errors: OperationErrors },
  onError: (error: unknown, index: number) => never,
): Promise<Result[]> => {
  const { cause } = errors;
  const holdings = await openHoldings(work, context, namedBy(operations), { catalogs, cause });
  const parts = { work, context, holdings, errors, draws };
  const results: Result[] = [];
  for (const [index, operation] of operations.entries())
    results.push(await runOperation(parts, operation).catch((error: unknown) => onError(error, index)));
  holdings.save();
  return results;
};

const alone = async (work: Work, context: Context, operation: Operation, deps: InstanceDeps): Promise<Result> => {
  throwIfAny(shapeFaults(operation));
  const [result] = await runOperations(work, context, [operation], { ...deps, errors: ALONE }, (error) => {
    throw error;
  });
  return result as Result;
};

export const createItemInstance = (work: Work, context: Context, input: NewItemInstance, deps: InstanceDeps) =>
  alone(work, context, { type: 'create', ...input }, deps) as Promise<InstanceResult>;

export const updateItemInstance = (
  work: Work,
  context: Context,
  id: string,
  input: ItemInstanceUpdate & { readonly ifMatch: string | undefined },
  deps: InstanceDeps,
) => alone(work, context, { type: 'update', id, ...input }, deps) as Promise<InstanceResult>;

export const moveItemInstance = (work: Work, context: Context, id: string, input: Move, deps: InstanceDeps) =>
  alone(work, context, { type: 'move', id, ...input }, deps) as Promise<InstanceResult>;

export const takeOutItemInstance = (work: Work, context: Context, id: string, input: TakeOut, deps: InstanceDeps) =>
  alone(work, context, { type: 'take-out', id, ...input }, deps) as Promise<InstanceResult>;

export const transferItemInstance = (work: Work, context: Context, id: string, input: Transfer, deps: InstanceDeps) =>
  alone(work, context, { type: 'transfer', id, ...input }, deps) as Promise<InstanceResult>;

export const deleteItemInstance = (work: Work, context: Context, id: string, deps: InstanceDeps) =>
  alone(work, context, { type: 'delete', id }, deps) as Promise<Record<string, never>>;

/** The history of an instance. While the instance exists, it records its own creation. */
export const listItemInstanceHistory = async (reader: Reader, id: string, page: Page): Promise<Paged<HistoryEvent>> => {
  const [instance] = await reader.find(store.instanceById, { id });
  return listHistory(reader, id, instance, page);
};

/** A page of what a user owns, as far as their histories need it. */
export const listInstancesOf = async (reader: Reader, userId: string, page: Page): Promise<Paged<store.InstanceRow>> =>
  paged(await store.selectInstancesOf(reader, userId, page), page);

/** Who owns an instance, if it exists. */
export const findOwner = async (finder: Finder, id: string): Promise<string | undefined> =>
  (await finder.find(store.instanceById, { id }))[0]?.user_id;

/** Any one instance of an item, if there is one. */
export const findInstanceOf = async (finder: Finder, itemId: string): Promise<string | undefined> =>
  (await finder.find(store.instanceOfItem, { itemId }))[0]?.id;

/** How many instances there are of some items; counts up to a number. */
export const countInstancesOf = async (reader: Reader, itemIds: readonly string[], most: number): Promise<number> =>
  itemIds.length === 0 ? 0 : (await store.selectIdsOfItems(reader, itemIds, most)).length;

/** Keeps others from moving, transferring or deleting the instances of a user who is being deleted. */
export const holdInstancesOf = async (tx: Transaction, userId: string): Promise<store.InstanceRow[]> => {
  const ids = await inTurns(sorted(await store.selectIdsOf(tx, userId), compareBytes));
  const held: store.InstanceRow[] = [];
  await inChunks(ids, async (some) => {
    const found = await tx.hold(...some.map((id) => ask(store.holdInstance, { id })));
    // Instances that were transferred or deleted before they could be locked are no longer theirs.
    held.push(...found.flat().filter(({ user_id }) => user_id === userId));
  });
  return held;
};

/**
 * Deletes all instances of a user who is being deleted, records it, and removes the user from the history. The caller
 * must hold a lock on the user, so that no more instances are added.
 */
export const deleteInstancesOf = async (tx: Transaction, context: Context, user: KnownUser): Promise<void> => {
  const instances = await holdInstancesOf(tx, user.id);
  await recordUserDeletion(tx, context, user.id, instances);
  await inTurns(each(instances, (row) => recordDeletion(tx, context, row, null, user, 'user deleted')));
  // Deleting the user would cascade, but would delete all of them in one statement while others wait.
  await inChunks(instances, (some) =>
    store.deleteInstances(
      tx,
      some.map(({ id }) => id),
    ),
  );
};
