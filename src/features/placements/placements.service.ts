import { v7 as newId } from 'uuid';
import type { Context } from '../../context.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import type { Page, Paged } from '../../database/paging.ts';
import {
  cellsOf,
  type Footprint,
  firstFree,
  footprintOf,
  isFree,
  isInside,
  type Place,
  rowsWith,
  rowsWithout,
} from '../../engine/grid.ts';
import { conflict } from '../../errors.ts';
import { isoTime } from '../../time.ts';
import type { UserSpace } from '../spaces/spaces.contract.ts';
import { shareSpace } from '../spaces/spaces.service.ts';
import type { ItemInstanceSpace, ListedItemInstanceSpace } from './item-instances.contract.ts';
import * as store from './placements.store.ts';

/** A place that a caller asks for; without a position, the first free one. */
export interface WantedPlace {
  readonly x?: number;
  readonly y?: number;
  readonly rotated?: boolean;
}

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

interface Grid {
  readonly cols: number;
  readonly rows: number;
  /** Changed as places are taken and left, and written back at the end. */
  readonly taken: Map<number, bigint>;
}

/** The grid of a user space, which the caller holds, so that nobody else takes a place in it meanwhile. */
const openGrid = async (tx: Transaction, context: Context, userSpace: UserSpace): Promise<Grid> => {
  const { cols, rows } = await shareSpace(tx, context, userSpace.spaceId);
  return { cols, rows, taken: await store.selectTakenRows(tx, context.teamId, userSpace.id) };
};

/** The place itself, where it may be taken; else a refusal that says why not. */
const choosePlace = (grid: Grid, item: Footprint, { x, y, rotated }: WantedPlace): Place => {
  if (x === undefined || y === undefined) {
    const place = firstFree(grid, item, rotated);
    if (place === undefined)
      throw conflict({
        path: '/body/userSpaceId',
        message: `has no free place of ${item.width} × ${item.height} cells`,
      });
    return place;
  }
  const place = { x, y, rotated: rotated ?? false };
  const footprint = footprintOf(item, place.rotated);
  if (!isInside(grid, footprint, place)) {
    const path = x < 0 || x + footprint.width > grid.cols ? '/body/spacePositionX' : '/body/spacePositionY';
    throw conflict({ path, message: `lies outside the grid of ${grid.cols} × ${grid.rows} cells` });
  }
  if (!isFree(grid, footprint, place))
    throw conflict({ path: '/body/spacePositionX', message: `a cell at ${x}, ${y} is taken` });
  return place;
};

const apply = (taken: Map<number, bigint>, changed: ReadonlyMap<number, bigint>): void => {
  for (const [y, bits] of changed) taken.set(y, bits);
};

/** What is to be placed: one instance that lies nowhere, and where it should lie. */
export interface Placing {
  readonly itemInstanceId: string;
  readonly item: Footprint;
  readonly wanted?: WantedPlace;
}

/**
 * Places instances that lie nowhere, one after another, in a user space that the caller holds. Those for which there is
 * no room are refused all together, or left unplaced, as `onFull` says.
 */
export const placeAll = async (
  tx: Transaction,
  context: Context,
  userSpace: UserSpace,
  placings: readonly Placing[],
  onFull: 'reject' | 'unplaced' = 'reject',
): Promise<(ItemInstanceSpace | null)[]> => {
  const grid = await openGrid(tx, context, userSpace);
  const touched = new Set<number>();
  const cells: store.OccupiedCell[] = [];
  const rows = placings.map(({ itemInstanceId, item, wanted = {} }): store.PlacementRow | null => {
    if (onFull === 'unplaced' && firstFree(grid, item, wanted.rotated) === undefined) return null;
    const place = choosePlace(grid, item, wanted);
    const footprint = footprintOf(item, place.rotated);
    const changed = rowsWith(grid, footprint, place);
    apply(grid.taken, changed);
    for (const y of changed.keys()) touched.add(y);
    const row = newPlacement(context, itemInstanceId, userSpace.id, place);
    cells.push(...cellsOf(footprint, place).map((cell) => ({ ...cell, placementId: row.id })));
    return row;
  });
  await store.insertPlacements(
    tx,
    rows.filter((row) => row !== null),
  );
  // The key over the cells is what keeps two from lying in one; the rows only make a free place quick to find.
  await store.insertCells(tx, context.teamId, userSpace.id, cells);
  await store.saveTakenRows(
    tx,
    context.teamId,
    userSpace.id,
    new Map([...touched].map((y) => [y, grid.taken.get(y) ?? 0n])),
  );
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

const vacate = async (tx: Transaction, row: store.PlacementRow, item: Footprint): Promise<void> => {
  const taken = await store.selectTakenRows(tx, row.team_id, row.user_space_id);
  const changed = rowsWithout({ taken }, footprintOf(item, row.rotated === 1), row);
  await store.saveTakenRows(tx, row.team_id, row.user_space_id, changed);
};

/** Moves what lies somewhere. Both user spaces are held by the caller. */
export const replace = async (
  tx: Transaction,
  context: Context,
  present: store.PlacementRow,
  item: Footprint,
  userSpace: UserSpace,
  wanted: WantedPlace,
): Promise<ItemInstanceSpace> => {
  await vacate(tx, present, item);
  await store.deleteCells(tx, context.teamId, present.id);
  const grid = await openGrid(tx, context, userSpace);
  const place = choosePlace(grid, item, wanted);
  const footprint = footprintOf(item, place.rotated);
  const row: store.PlacementRow = {
    ...present,
    user_space_id: userSpace.id,
    x: place.x,
    y: place.y,
    rotated: place.rotated ? 1 : 0,
    updated_at: context.nowMs,
  };
  await store.updatePlacement(tx, row);
  await store.insertCells(
    tx,
    context.teamId,
    userSpace.id,
    cellsOf(footprint, place).map((cell) => ({ ...cell, placementId: row.id })),
  );
  await store.saveTakenRows(tx, context.teamId, userSpace.id, rowsWith(grid, footprint, place));
  return toItemInstanceSpace(row);
};

/** Takes what lies somewhere out of its user space, which is held by the caller. */
export const unplace = async (tx: Transaction, present: store.PlacementRow, item: Footprint): Promise<void> => {
  await vacate(tx, present, item);
  await store.deletePlacement(tx, present.team_id, present.id);
};

export const findPlacement = (reader: Reader, teamId: string, itemInstanceId: string) =>
  store.selectPlacement(reader, teamId, itemInstanceId);

export const listItemInstanceSpaces = (
  reader: Reader,
  { teamId }: Pick<Context, 'teamId'>,
  userSpaceIds: readonly string[] | undefined,
  page: Page,
): Promise<Paged<ListedItemInstanceSpace>> => store.selectPlacements(reader, teamId, userSpaceIds, page);
