import type { Kysely } from 'kysely';
import { inChunks } from '../../database/chunks.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import { mapPage, onPage, type Page, type Paged, paged } from '../../database/paging.ts';
import { rowsStatement, statement } from '../../database/statement.ts';
import type { Tables } from '../../database/tables.ts';
import type { Lying } from '../../engine/grid/grid.ts';
import { isoTime } from '../../time.ts';
import type { ListedItemInstanceSpace } from '../item-instances/item-instances.contract.ts';

export type PlacementRow = Tables['item_instance_spaces'];

/** A placement with the footprint of what is placed, as its item has it: not yet turned. */
export interface Placed extends PlacementRow {
  readonly item_id: string;
  readonly width: number;
  readonly height: number;
}

interface RowsOf {
  readonly teamId: string;
  readonly userSpaceId: string;
  readonly from: number;
  readonly to: number;
}

const bitsOf = (taken: string): bigint => BigInt(`0x${taken}`);

const selectRows = statement<RowsOf, { y: number; taken: string }>((queries, { teamId, userSpaceId, from, to }) =>
  queries
    .selectFrom('user_space_rows')
    .select(['y', 'taken'])
    .where('team_id', '=', teamId)
    .where('user_space_id', '=', userSpaceId)
    .where('y', '>=', from)
    .where('y', '<=', to),
);

/** What is taken in these rows of a user space; a row in which nothing is may be absent. */
export const selectTakenRows = async (reader: Reader, rows: RowsOf): Promise<Map<number, bigint>> =>
  new Map((await selectRows(reader, rows)).map(({ y, taken }) => [y, bitsOf(taken)]));

/** What is taken in several user spaces at once, by user space. */
export const selectAllTakenRows = async (
  reader: Reader,
  teamId: string,
  userSpaceIds: readonly string[],
): Promise<Map<string, Map<number, bigint>>> => {
  const rows = await reader
    .selectFrom('user_space_rows')
    .select(['user_space_id', 'y', 'taken'])
    .where('team_id', '=', teamId)
    .where('user_space_id', 'in', userSpaceIds)
    .execute();
  const byUserSpace = new Map(userSpaceIds.map((id) => [id, new Map<number, bigint>()]));
  for (const { user_space_id, y, taken } of rows) byUserSpace.get(user_space_id)?.set(y, bitsOf(taken));
  return byUserSpace;
};

const upsertRows = rowsStatement<Tables['user_space_rows']>((queries, rows) =>
  queries
    .insertInto('user_space_rows')
    .values(rows.map((row) => ({ team_id: row.team_id, user_space_id: row.user_space_id, y: row.y, taken: row.taken })))
    .onConflict((conflict) =>
      conflict.columns(['team_id', 'user_space_id', 'y']).doUpdateSet((eb) => ({ taken: eb.ref('excluded.taken') })),
    ),
);

export const saveTakenRows = (
  tx: Transaction,
  teamId: string,
  rows: readonly { readonly userSpaceId: string; readonly y: number; readonly taken: bigint }[],
): Promise<void> =>
  upsertRows(
    tx,
    rows.map(({ userSpaceId, y, taken }) => ({
      team_id: teamId,
      user_space_id: userSpaceId,
      y,
      taken: taken.toString(16),
    })),
  );

const placedQuery = (queries: Kysely<Tables>, teamId: string) =>
  queries
    .selectFrom('item_instance_spaces as placement')
    .innerJoin('item_instances as instance', (join) =>
      join.onRef('instance.team_id', '=', 'placement.team_id').onRef('instance.id', '=', 'placement.item_instance_id'),
    )
    .innerJoin('items', (join) =>
      join.onRef('items.team_id', '=', 'instance.team_id').onRef('items.id', '=', 'instance.item_id'),
    )
    .selectAll('placement')
    .select(['items.id as item_id', 'items.width', 'items.height'])
    .where('placement.team_id', '=', teamId);

const selectPlaced = statement<{ teamId: string; itemInstanceId: string }, Placed>(
  (queries, { teamId, itemInstanceId }) =>
    placedQuery(queries, teamId).where('placement.item_instance_id', '=', itemInstanceId),
);

/** Where an instance lies, if it does. */
export const selectPlacement = async (
  reader: Reader,
  teamId: string,
  itemInstanceId: string,
): Promise<Placed | undefined> => (await selectPlaced(reader, { teamId, itemInstanceId }))[0];

export const selectUserSpaceIds = async (
  reader: Reader,
  teamId: string,
  itemInstanceIds: readonly string[],
): Promise<string[]> => {
  if (itemInstanceIds.length === 0) return [];
  const rows = await reader
    .selectFrom('item_instance_spaces')
    .select('user_space_id')
    .where('team_id', '=', teamId)
    .where('item_instance_id', 'in', itemInstanceIds)
    .execute();
  return rows.map((row) => row.user_space_id);
};

/** All that lies in a user space, in the order of items and instances. */
export const selectPlacedIn = (reader: Reader, teamId: string, userSpaceId: string): Promise<Placed[]> =>
  placedQuery(reader, teamId)
    .where('placement.user_space_id', '=', userSpaceId)
    .orderBy('items.id')
    .orderBy('placement.item_instance_id')
    .execute();

/** All placed instances of an item. */
export const selectPlacementsOf = (reader: Reader, teamId: string, itemId: string): Promise<Placed[]> =>
  placedQuery(reader, teamId).where('instance.item_id', '=', itemId).orderBy('placement.item_instance_id').execute();

interface Rectangle {
  readonly teamId: string;
  readonly userSpaceId: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const selectIdsOn = statement<Rectangle, { id: string }>((queries, { teamId, userSpaceId, left, right, top, bottom }) =>
  queries
    .selectFrom('occupied_cells')
    .select('item_instance_space_id as id')
    .distinct()
    .where('team_id', '=', teamId)
    .where('user_space_id', '=', userSpaceId)
    .where('y', '>=', top)
    .where('y', '<=', bottom)
    .where('x', '>=', left)
    .where('x', '<=', right),
);

/** What lies on any cell of a rectangle. Its cells are asked first, so that nothing else of the user space is read. */
export const selectCovering = async (
  reader: Reader,
  teamId: string,
  userSpaceId: string,
  { x, y, width, height }: Lying,
): Promise<Placed[]> => {
  const rectangle = { left: x, right: x + width - 1, top: y, bottom: y + height - 1 };
  const found = await selectIdsOn(reader, { teamId, userSpaceId, ...rectangle });
  if (found.length === 0) return [];
  const ids = found.map(({ id }) => id);
  return placedQuery(reader, teamId).where('placement.id', 'in', ids).execute();
};

const placementValues = (row: PlacementRow): PlacementRow => ({
  team_id: row.team_id,
  id: row.id,
  item_instance_id: row.item_instance_id,
  user_space_id: row.user_space_id,
  x: row.x,
  y: row.y,
  rotated: row.rotated,
  created_at: row.created_at,
  updated_at: row.updated_at,
});

export const insertPlacements = rowsStatement<PlacementRow>((queries, rows) =>
  queries.insertInto('item_instance_spaces').values(rows.map(placementValues)),
);

/** Writes placements that exist, as they are now. */
export const savePlacements = rowsStatement<PlacementRow>((queries, rows) =>
  queries
    .insertInto('item_instance_spaces')
    .values(rows.map(placementValues))
    .onConflict((conflict) =>
      conflict.columns(['team_id', 'id']).doUpdateSet((eb) => ({
        user_space_id: eb.ref('excluded.user_space_id'),
        x: eb.ref('excluded.x'),
        y: eb.ref('excluded.y'),
        rotated: eb.ref('excluded.rotated'),
        updated_at: eb.ref('excluded.updated_at'),
      })),
    ),
);

/** The cells go with it. */
export const deletePlacement = (tx: Transaction, teamId: string, id: string) =>
  tx.deleteFrom('item_instance_spaces').where('team_id', '=', teamId).where('id', '=', id).execute();

export const insertCells = rowsStatement<Tables['occupied_cells']>((queries, rows) =>
  queries.insertInto('occupied_cells').values(
    rows.map((row) => ({
      team_id: row.team_id,
      user_space_id: row.user_space_id,
      x: row.x,
      y: row.y,
      item_instance_space_id: row.item_instance_space_id,
    })),
  ),
);

const deleteCellsOfOne = statement<{ teamId: string; id: string }, never>((queries, { teamId, id }) =>
  queries.deleteFrom('occupied_cells').where('team_id', '=', teamId).where('item_instance_space_id', '=', id),
);

export const deleteCells = async (tx: Transaction, teamId: string, placementIds: readonly string[]): Promise<void> => {
  const [first] = placementIds;
  if (placementIds.length === 1 && first !== undefined) {
    await deleteCellsOfOne(tx, { teamId, id: first });
    return;
  }
  await inChunks(placementIds, async (some) => {
    await tx
      .deleteFrom('occupied_cells')
      .where('team_id', '=', teamId)
      .where('item_instance_space_id', 'in', some)
      .execute();
  });
};

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
