import { inChunks } from '../../database/chunks.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import { mapPage, onPage, type Page, type Paged, paged } from '../../database/paging.ts';
import type { Tables } from '../../database/tables.ts';
import type { Cell } from '../../engine/grid.ts';
import { isoTime } from '../../time.ts';
import type { ListedItemInstanceSpace } from './item-instances.contract.ts';

export type PlacementRow = Tables['item_instance_spaces'];

/** What is taken in a user space, row by row; a row without anything in it may be absent. */
export const selectTakenRows = async (
  reader: Reader,
  teamId: string,
  userSpaceId: string,
): Promise<Map<number, bigint>> => {
  const rows = await reader
    .selectFrom('user_space_rows')
    .select(['y', 'taken'])
    .where('team_id', '=', teamId)
    .where('user_space_id', '=', userSpaceId)
    .execute();
  return new Map(rows.map(({ y, taken }) => [y, BigInt(`0x${taken}`)]));
};

export const saveTakenRows = (
  tx: Transaction,
  teamId: string,
  userSpaceId: string,
  rows: ReadonlyMap<number, bigint>,
): Promise<void> =>
  inChunks([...rows], async (some) => {
    await tx
      .insertInto('user_space_rows')
      .values(some.map(([y, taken]) => ({ team_id: teamId, user_space_id: userSpaceId, y, taken: taken.toString(16) })))
      .onConflict((conflict) =>
        conflict.columns(['team_id', 'user_space_id', 'y']).doUpdateSet((eb) => ({ taken: eb.ref('excluded.taken') })),
      )
      .execute();
  });

export const selectPlacement = (
  reader: Reader,
  teamId: string,
  itemInstanceId: string,
): Promise<PlacementRow | undefined> =>
  reader
    .selectFrom('item_instance_spaces')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('item_instance_id', '=', itemInstanceId)
    .executeTakeFirst();

export const insertPlacements = (tx: Transaction, rows: readonly PlacementRow[]): Promise<void> =>
  inChunks(rows, async (some) => {
    await tx.insertInto('item_instance_spaces').values(some).execute();
  });

export const updatePlacement = (tx: Transaction, { team_id, id, ...values }: PlacementRow) =>
  tx.updateTable('item_instance_spaces').set(values).where('team_id', '=', team_id).where('id', '=', id).execute();

/** The cells go with it. */
export const deletePlacement = (tx: Transaction, teamId: string, id: string) =>
  tx.deleteFrom('item_instance_spaces').where('team_id', '=', teamId).where('id', '=', id).execute();

export interface OccupiedCell extends Cell {
  readonly placementId: string;
}

export const insertCells = (
  tx: Transaction,
  teamId: string,
  userSpaceId: string,
  cells: readonly OccupiedCell[],
): Promise<void> =>
  inChunks(cells, async (some) => {
    await tx
      .insertInto('occupied_cells')
      .values(
        some.map(({ x, y, placementId }) => ({
          team_id: teamId,
          user_space_id: userSpaceId,
          x,
          y,
          item_instance_space_id: placementId,
        })),
      )
      .execute();
  });

export const deleteCells = (tx: Transaction, teamId: string, placementId: string) =>
  tx
    .deleteFrom('occupied_cells')
    .where('team_id', '=', teamId)
    .where('item_instance_space_id', '=', placementId)
    .execute();

export const selectPlacements = async (
  reader: Reader,
  teamId: string,
  userSpaceIds: readonly string[] | undefined,
  page: Page,
): Promise<Paged<ListedItemInstanceSpace>> => {
  const query = reader
    .selectFrom('item_instance_spaces')
    .innerJoin('item_instances', (join) =>
      join
        .onRef('item_instances.team_id', '=', 'item_instance_spaces.team_id')
        .onRef('item_instances.id', '=', 'item_instance_spaces.item_instance_id'),
    )
    .innerJoin('items', (join) =>
      join.onRef('items.team_id', '=', 'item_instances.team_id').onRef('items.id', '=', 'item_instances.item_id'),
    )
    .select([
      'item_instance_spaces.id',
      'item_instance_spaces.created_at',
      'item_instance_spaces.x',
      'item_instance_spaces.y',
      'item_instance_spaces.rotated',
      'item_instance_spaces.item_instance_id',
      'item_instance_spaces.user_space_id',
      'item_instances.item_id',
      'item_instances.team_id',
      'item_instances.created_at as instance_created_at',
      'item_instances.updated_at as instance_updated_at',
      'items.name',
    ])
    .where('item_instance_spaces.team_id', '=', teamId)
    .$if(userSpaceIds !== undefined, (some) =>
      some.where('item_instance_spaces.user_space_id', 'in', userSpaceIds ?? []),
    );
  return mapPage(paged(await onPage(query, 'item_instance_spaces', page).execute(), page), (row) => ({
    spacePositionX: row.x,
    spacePositionY: row.y,
    rotated: row.rotated === 1,
    itemInstanceId: row.item_instance_id,
    teamUserSpaceId: row.user_space_id,
    itemInstance: {
      id: row.item_instance_id,
      itemId: row.item_id,
      teamId: row.team_id,
      createdAt: isoTime(row.instance_created_at),
      updatedAt: isoTime(row.instance_updated_at),
      item: { name: row.name },
    },
  }));
};
