import type { Context } from '../../context.ts';
import { Collision } from '../../database/collision.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import type { Page, Paged } from '../../database/paging.ts';
import { inPassing } from '../../database/passing.ts';
import { compareBytes } from '../../engine/byte-order.ts';
import {
  type Cell,
  carriedTo,
  cellsOf,
  type Footprint,
  isFree,
  isInside,
  type Lying,
  overlap,
  type Place,
  pack,
} from '../../engine/grid/grid.ts';
import { conflict, type Issue, refuseAny } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { LIMITS } from '../../limits.ts';
import { isoTime } from '../../time.ts';
import type { ItemInstanceSpace, ListedItemInstanceSpace } from '../item-instances/item-instances.contract.ts';
import { type HeldUserSpace, holdUserSpacesOfItem } from '../spaces/spaces.service.ts';
import {
  change,
  findPlace,
  learn,
  leave,
  lyingAt,
  lyingOf,
  type OpenGrid,
  openGrid,
  refuseOutside,
  saveGrids,
  take,
  type WantedPlace,
} from './open-grids.service.ts';
import * as store from './placements.store.ts';

export type { WantedPlace } from './open-grids.service.ts';
export type { Placed } from './placements.store.ts';

const toItemInstanceSpace = (row: store.PlacementRow): ItemInstanceSpace => ({
  id: row.id,
  itemInstanceId: row.item_instance_id,
  teamUserSpaceId: row.user_space_id,
  spacePositionX: row.x,
  spacePositionY: row.y,
  rotated: row.rotated === 1,
  teamId: row.team_id,
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
});

const cellRows = (row: store.PlacementRow, lying: Lying) =>
  cellsOf(lying, lying).map(({ x, y }) => ({
    team_id: row.team_id,
    user_space_id: row.user_space_id,
    x,
    y,
    item_instance_space_id: row.id,
  }));

const noRoom = ({ width, height }: Footprint, path: string) =>
  conflict({ path, message: `has no free place of ${width} × ${height} cells` });

/** What is to be placed: one instance that lies nowhere, and where it should lie. */
export interface Placing {
  readonly itemInstanceId: string;
  readonly item: Footprint;
  readonly wanted?: WantedPlace;
}

/**
 * Places instances that lie nowhere, one after another, in a user space that the caller holds. Those for which there is
 * no room are refused all together, or left unplaced, as `onFull` says. The caller keeps their items' footprints from
 * changing.
 */
export const placeAll = async (
  tx: Transaction,
  context: Context,
  userSpace: HeldUserSpace,
  placings: readonly Placing[],
  { onFull = 'reject', path = '/body/userSpaceId' }: { onFull?: 'reject' | 'unplaced'; path?: string } = {},
): Promise<(ItemInstanceSpace | null)[]> => {
  const grid = openGrid(userSpace);
  const rows: (store.PlacementRow | null)[] = [];
  const cells = [];
  for (const { itemInstanceId, item, wanted = {} } of placings) {
    const place = await findPlace(tx, context, grid, item, wanted);
    if (place === null && onFull === 'reject') throw noRoom(item, path);
    if (place === null) {
      rows.push(null);
      continue;
    }
    const lying = lyingAt(item, place);
    take(grid, lying);
    const row = newPlacement(context, itemInstanceId, userSpace.id, place);
    rows.push(row);
    cells.push(...cellRows(row, lying));
  }
  const placed = rows.filter((row) => row !== null);
  inPassing(tx, store.insertPlacements(tx, placed));
  // The key over the cells is what keeps two from lying in one; the rows only make a free place quick to find.
  inPassing(tx, store.insertCells(tx, cells));
  saveGrids(tx, context, [grid]);
  return rows.map((row) => row && toItemInstanceSpace(row));
};

const newPlacement = (
  { teamId, nowMs }: Context,
  itemInstanceId: string,
  userSpaceId: string,
  { x, y, rotated }: Place,
): store.PlacementRow => ({
  team_id: teamId,
  id: newId(),
  item_instance_id: itemInstanceId,
  user_space_id: userSpaceId,
  x,
  y,
  rotated: rotated ? 1 : 0,
  created_at: nowMs,
  updated_at: nowMs,
});

/** A placement as it is once it has moved, and the cells that it then covers. */
interface Moved {
  readonly row: store.PlacementRow;
  readonly lying: Lying;
}

const movedTo = (
  { nowMs }: Context,
  { item_id, width, height, ...row }: store.Placed,
  userSpaceId: string,
  place: Place,
): Moved => ({
  row: {
    ...row,
    user_space_id: userSpaceId,
    x: place.x,
    y: place.y,
    rotated: place.rotated ? 1 : 0,
    updated_at: nowMs,
  },
  lying: lyingAt({ width, height }, place),
});

/** Takes what moves off its old cells first, and only then puts it on the new ones, which others may just have left. */
const writeMoved = async (tx: Transaction, { teamId }: Context, moved: readonly Moved[]): Promise<void> => {
  await store.deleteCells(
    tx,
    teamId,
    moved.map(({ row }) => row.id),
  );
  const placements = moved.map(({ row }) => row);
  inPassing(tx, store.savePlacements(tx, placements));
  const cells = moved.flatMap(({ row, lying }) => cellRows(row, lying));
  inPassing(tx, store.insertCells(tx, cells));
};

/** Where something goes, and from where; the caller holds both user spaces. */
export interface Relocation {
  readonly present: store.Placed;
  readonly from: HeldUserSpace;
  readonly to: HeldUserSpace;
  readonly wanted: WantedPlace;
  /** Whether what lies at the target goes to where the moved one came from. */
  readonly swap?: boolean;
  /** The member of the body that names the target. */
  readonly path?: string;
}

/** Moves what lies somewhere. */
export const relocate = async (
  tx: Transaction,
  context: Context,
  { present, from, to, wanted, swap = false, path = '/body/userSpaceId' }: Relocation,
): Promise<ItemInstanceSpace> => {
  const source = openGrid(from);
  const target = from.id === to.id ? source : openGrid(to);
  const lying = lyingOf(present);
  await learn(tx, context, source, lying);
  leave(source, lying);
  const displaced = swap ? await displace(tx, context, { present, source, target, wanted }) : [];
  const place = await findPlace(tx, context, target, present, wanted);
  if (place === null) throw noRoom(present, path);
  const moved = movedTo(context, present, to.id, place);
  take(target, moved.lying);
  await writeMoved(tx, context, [moved, ...settle(context, source, displaced)]);
  saveGrids(tx, context, [source, target]);
  return toItemInstanceSpace(moved.row);
};

interface Displaced {
  readonly placed: store.Placed;
  readonly to: Cell;
}

/**
 * Lifts what lies on the wanted cells, and says where it is to go: the corner of the box around it to the cell that the
 * moved one left. The rows that it will need are known afterwards.
 */
const displace = async (
  tx: Transaction,
  context: Context,
  {
    present,
    source,
    target,
    wanted,
  }: { present: store.Placed; source: OpenGrid; target: OpenGrid; wanted: WantedPlace },
): Promise<Displaced[]> => {
  const { x = 0, y = 0, rotated = false } = wanted;
  const place = lyingAt(present, { x, y, rotated });
  refuseOutside(target, place);
  const covering = await store.selectCovering(tx, context.teamId, target.userSpaceId, place);
  const under = covering
    .filter(({ id }) => id !== present.id)
    .sort((a, b) => compareBytes(a.item_instance_id, b.item_instance_id));
  if (under.length === 0) return [];
  const corners = carriedTo(under, present);
  const displaced: Displaced[] = [];
  for (const [index, placed] of under.entries()) {
    const lying = lyingOf(placed);
    await learn(tx, context, target, lying);
    leave(target, lying);
    const to = corners[index] as Cell;
    displaced.push({ placed, to });
    if (isInside(source, lying, to)) await learn(tx, context, source, { ...lying, ...to });
  }
  return displaced;
};

/** Puts down what was lifted, all of it or none, now that the moved one lies in its new place. */
const settle = (context: Context, source: OpenGrid, displaced: readonly Displaced[]): Moved[] => {
  const faults: Issue[] = [];
  const moved = displaced.map(({ placed, to }) => {
    const settled = movedTo(context, placed, source.userSpaceId, { ...to, rotated: placed.rotated === 1 });
    const { lying } = settled;
    if (isInside(source, lying, lying) && isFree(source, lying, lying)) take(source, lying);
    else
      faults.push({
        path: '/body/swap',
        message: `item instance ${placed.item_instance_id} would not fit at ${to.x}, ${to.y}`,
      });
    return settled;
  });
  refuseAny(faults, 'CONFLICT');
  return moved;
};

/** Frees the cells of what lies in a user space that the caller holds, and whose placement is about to go. */
export const vacate = async (
  tx: Transaction,
  context: Context,
  present: store.Placed,
  userSpace: HeldUserSpace,
): Promise<void> => {
  const grid = openGrid(userSpace);
  const lying = lyingOf(present);
  await learn(tx, context, grid, lying);
  leave(grid, lying);
  saveGrids(tx, context, [grid]);
};

/** Takes what lies somewhere out of its user space, which the caller holds. */
export const unplace = async (
  tx: Transaction,
  context: Context,
  present: store.Placed,
  userSpace: HeldUserSpace,
): Promise<void> => {
  await vacate(tx, context, present, userSpace);
  await store.deletePlacement(tx, context.teamId, present.id);
};

/** Repacks a user space that the caller holds, largest first. What stays where it is keeps its time of change. */
export const repack = async (tx: Transaction, context: Context, userSpace: HeldUserSpace): Promise<void> => {
  const { teamId } = context;
  const all = await store.selectPlacedIn(tx, teamId, userSpace.id);
  const places = pack(userSpace, all);
  if (places === undefined)
    throw conflict({ path: '/path/id', message: 'no order that was tried finds a place for everything in it' });
  // It is packed as if it were empty, and all its rows are written anew.
  const grid = openGrid(userSpace, new Map(Array.from({ length: userSpace.rows }, (_, y) => [y, 0n])));
  const moved: Moved[] = [];
  for (const [index, placed] of all.entries()) {
    const place = places[index] as Place;
    take(grid, lyingAt(placed, place));
    if (place.x !== placed.x || place.y !== placed.y || place.rotated !== (placed.rotated === 1))
      moved.push(movedTo(context, placed, userSpace.id, place));
  }
  if (moved.length === 0) return;
  await writeMoved(tx, context, moved);
  change(grid, grid.taken);
  saveGrids(tx, context, [grid]);
};

const USER_SPACES_AT_ONCE = 200;

/** An item whose footprint changes; the caller has written the new one, so that nobody places one of it meanwhile. */
export interface Refit {
  readonly itemId: string;
  readonly before: Footprint;
  readonly after: Footprint;
  /** The member of the body that is to blame. */
  readonly path: string;
}

/**
 * Lets every placed instance of an item cover the cells of its new footprint, from its top-left cell and turned as it
 * lies. Where one would no longer fit, all is refused, and what is in the way is named.
 */
export const refit = async (
  tx: Transaction,
  context: Context,
  { itemId, before, after, path }: Refit,
): Promise<void> => {
  const held = await holdUserSpacesOfItem(tx, context, itemId);
  const ids = new Set(held.map(({ id }) => id));
  const placed = await store.selectPlacementsOf(tx, context.teamId, itemId);
  // One was moved to another user space before its own was held.
  if (placed.some(({ user_space_id }) => !ids.has(user_space_id))) throw new Collision();
  const placedIn = Map.groupBy(placed, ({ user_space_id }) => user_space_id);
  const faults: Issue[] = [];
  for (let start = 0; start < held.length; start += USER_SPACES_AT_ONCE) {
    const some = held.slice(start, start + USER_SPACES_AT_ONCE);
    const taken = await store.selectAllTakenRows(
      tx,
      context.teamId,
      some.map(({ id }) => id),
    );
    const grids: OpenGrid[] = [];
    const cells = [];
    for (const userSpace of some) {
      const grid = openGrid(userSpace, taken.get(userSpace.id));
      grids.push(grid);
      const mine = placedIn.get(userSpace.id) ?? [];
      for (const row of mine) leave(grid, lyingOf({ ...row, ...before }));
      for (const row of mine) {
        const lying = lyingOf({ ...row, ...after });
        if (isInside(grid, lying, lying) && isFree(grid, lying, lying)) {
          take(grid, lying);
          cells.push(...cellRows(row, lying));
        } else if (faults.length < LIMITS.issues) {
          faults.push({ path, message: await whyNot(tx, context, grid, row, lying, mine, after) });
        }
      }
    }
    if (faults.length >= LIMITS.issues) break;
    if (faults.length > 0) continue;
    await store.deleteCells(
      tx,
      context.teamId,
      some.flatMap(({ id }) => (placedIn.get(id) ?? []).map((row) => row.id)),
    );
    await store.insertCells(tx, cells);
    saveGrids(tx, context, grids);
  }
  refuseAny(faults, 'CONFLICT');
};

const whyNot = async (
  tx: Transaction,
  { teamId }: Context,
  grid: OpenGrid,
  row: store.Placed,
  lying: Lying,
  ofSameItem: readonly store.Placed[],
  after: Footprint,
): Promise<string> => {
  const who = `item instance ${row.item_instance_id} at ${row.x}, ${row.y} in user space ${grid.userSpaceId}`;
  if (!isInside(grid, lying, lying)) return `${who} would reach outside the grid of ${grid.cols} × ${grid.rows} cells`;
  const same = new Set(ofSameItem.map(({ id }) => id));
  const others = await store.selectCovering(tx, teamId, grid.userSpaceId, lying);
  const inTheWay = [
    ...others.filter(({ id }) => !same.has(id)),
    ...ofSameItem.filter((other) => other.id !== row.id && overlap(lyingOf({ ...other, ...after }), lying)),
  ];
  const names = inTheWay.map((other) => other.item_instance_id).sort(compareBytes);
  return `${who} would lie on item instance ${names.join(', ')}`;
};

/** Where an instance lies; without holding anything, so that it may have changed by the time it is read. */
export const findPlacement = (
  reader: Reader,
  { teamId }: Pick<Context, 'teamId'>,
  itemInstanceId: string,
): Promise<store.Placed | undefined> => store.selectPlacement(reader, teamId, itemInstanceId);

/**
 * Where an instance lies now that these user spaces are held. Another may have moved it while this transaction waited
 * for them; where it now lies in one that is not held, or nowhere, all begins anew.
 */
export const heldPlacement = async (
  tx: Transaction,
  { teamId }: Pick<Context, 'teamId'>,
  itemInstanceId: string,
  held: readonly HeldUserSpace[],
): Promise<store.Placed> => {
  const placed = await store.selectPlacement(tx, teamId, itemInstanceId);
  if (placed === undefined || !held.some(({ id }) => id === placed.user_space_id)) throw new Collision();
  return placed;
};

/** The user spaces in which these instances lie, without holding anything. */
export const userSpacesOfInstances = (
  reader: Reader,
  { teamId }: Pick<Context, 'teamId'>,
  itemInstanceIds: readonly string[],
): Promise<string[]> => store.selectUserSpaceIds(reader, teamId, itemInstanceIds);

export const listItemInstanceSpaces = (
  reader: Reader,
  { teamId }: Pick<Context, 'teamId'>,
  userSpaceIds: readonly string[] | undefined,
  page: Page,
): Promise<Paged<ListedItemInstanceSpace>> => store.selectPlacements(reader, teamId, userSpaceIds, page);
