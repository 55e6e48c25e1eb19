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

/** The place itself, where it may be taken; else a refusal that says why not. */
const choosePlace = async (
  tx: Transaction,
  context: Context,
  userSpace: UserSpace,
  item: Footprint,
  { x, y, rotated }: WantedPlace,
): Promise<{ place: Place; taken: Map<number, bigint> }> => {
  const { cols, rows } = await shareSpace(tx, context, userSpace.spaceId);
  const taken = await store.selectTakenRows(tx, context.teamId, userSpace.id);
  const grid = { cols, rows, taken };
  if (x === undefined || y === undefined) {
    const place = firstFree(grid, item, rotated);
    if (place === undefined)
      throw conflict({
        path: '/body/userSpaceId',
        message: `has no free place of ${item.width} × ${item.height} cells`,
      });
    return { place, taken };
  }
  const place = { x, y, rotated: rotated ?? false };
  const footprint = footprintOf(item, place.rotated);
  if (!isInside(grid, footprint, place)) {
    const path = x < 0 || x + footprint.width > cols ? '/body/spacePositionX' : '/body/spacePositionY';
    throw conflict({ path, message: `lies outside the grid of ${cols} × ${rows} cells` });
  }
  if (!isFree(grid, footprint, place))
    throw conflict({ path: '/body/spacePositionX', message: `a cell at ${x}, ${y} is taken` });
  return { place, taken };
};

const occupy = async (
  tx: Transaction,
  row: store.PlacementRow,
  footprint: Footprint,
  taken: Map<number, bigint>,
): Promise<void> => {
  // The key over the cells is what keeps two from lying in one; the rows only make a free place quick to find.
  await store.insertCells(tx, row, cellsOf(footprint, row));
  await store.saveTakenRows(tx, row.team_id, row.user_space_id, rowsWith({ taken }, footprint, row));
};

const vacate = async (tx: Transaction, row: store.PlacementRow, item: Footprint): Promise<void> => {
  const taken = await store.selectTakenRows(tx, row.team_id, row.user_space_id);
  await store.saveTakenRows(
    tx,
    row.team_id,
    row.user_space_id,
    rowsWithout({ taken }, footprintOf(item, row.rotated === 1), row),
  );
};

/** Places an instance that lies nowhere. The user space is held by the caller. */
export const place = async (
  tx: Transaction,
  context: Context,
  itemInstanceId: string,
  item: Footprint,
  userSpace: UserSpace,
  wanted: WantedPlace,
): Promise<ItemInstanceSpace> => {
  const { place: chosen, taken } = await choosePlace(tx, context, userSpace, item, wanted);
  const row: store.PlacementRow = {
    team_id: context.teamId,
    id: newId(),
    item_instance_id: itemInstanceId,
    user_space_id: userSpace.id,
    x: chosen.x,
    y: chosen.y,
    rotated: chosen.rotated ? 1 : 0,
    created_at: context.nowMs,
    updated_at: context.nowMs,
  };
  await store.insertPlacement(tx, row);
  await occupy(tx, row, footprintOf(item, chosen.rotated), taken);
  return toItemInstanceSpace(row);
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
  const { place: chosen, taken } = await choosePlace(tx, context, userSpace, item, wanted);
  const row: store.PlacementRow = {
    ...present,
    user_space_id: userSpace.id,
    x: chosen.x,
    y: chosen.y,
    rotated: chosen.rotated ? 1 : 0,
    updated_at: context.nowMs,
  };
  await store.updatePlacement(tx, row);
  await occupy(tx, row, footprintOf(item, chosen.rotated), taken);
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
