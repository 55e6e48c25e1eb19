/**
 * Placements and grid rows. Instances are read here only together with their placements, because only they know the
 * item.
 */
import { type Expression, sql } from 'kysely';
import { deleteFrom, insertInto, lookup, rowsOf, upsertInto } from '../../database/declarations.ts';
import { onPage, type Page, paged } from '../../database/paging.ts';
import type { Tables } from '../../database/tables.ts';
import type { Queries, Reader, Transaction } from '../../database/work.ts';
import type { Cell } from '../../engine/grid/grid.ts';

type Table = Tables['item_instance_spaces'];
export type CellRow = Omit<Table, 'team_id'>;

/** An instance with its placement; width and height are those of its cells, rotation applied. */
export interface PlacedRow {
  readonly item_instance_id: string;
  readonly user_space_id: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly id: string;
  readonly rotated: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** One row per instance, built from its cells; only the first cell has an id, times and so on. */
const placed = (queries: Queries, teamId: Expression<string>) =>
  queries
    .selectFrom('item_instance_spaces as cell')
    .select([
      'cell.item_instance_id',
      'cell.user_space_id',
      sql<number>`min(cell.x)`.as('x'),
      sql<number>`min(cell.y)`.as('y'),
      sql<number>`max(cell.x) - min(cell.x) + 1`.as('width'),
      sql<number>`max(cell.y) - min(cell.y) + 1`.as('height'),
      sql<string>`max(cell.id)`.as('id'),
      sql<number>`max(cell.rotated)`.as('rotated'),
      sql<number>`max(cell.created_at)`.as('created_at'),
      sql<number>`max(cell.updated_at)`.as('updated_at'),
    ])
    .where('cell.team_id', '=', teamId)
    .groupBy(['cell.item_instance_id', 'cell.user_space_id']);

export const placementOf = lookup({ itemInstanceId: 'text' }, (queries, teamId, { itemInstanceId }) =>
  placed(queries, teamId).where('cell.item_instance_id', '=', itemInstanceId),
);

/** The instances on any cell of a rectangle, and whether they are locked; nothing else of the user space is read. */
export const placedUnder = lookup(
  { userSpaceId: 'text', left: 'integer', right: 'integer', top: 'integer', bottom: 'integer' },
  (queries, teamId, { userSpaceId, left, right, top, bottom }) =>
    placed(queries, teamId)
      .select((eb) =>
        eb
          .selectFrom('item_instances as instance')
          .select('instance.locked')
          .where('instance.team_id', '=', teamId)
          .whereRef('instance.id', '=', 'cell.item_instance_id')
          .as('locked'),
      )
      .where('cell.item_instance_id', 'in', (eb) =>
        eb
          .selectFrom('item_instance_spaces as covered')
          .select('covered.item_instance_id')
          .where('covered.team_id', '=', teamId)
          .where('covered.user_space_id', '=', userSpaceId)
          .where('covered.y', '>=', top)
          .where('covered.y', '<=', bottom)
          .where('covered.x', '>=', left)
          .where('covered.x', '<=', right),
      ),
);

/** Instances that reach beyond a size, unordered. */
export const instancesBeyond = lookup(
  { userSpaceId: 'text', cols: 'integer', rows: 'integer', limit: 'integer' },
  (queries, teamId, { userSpaceId, cols, rows, limit }) =>
    rowsOf('item_instance_spaces', { queries, teamId }, { user_space_id: userSpaceId })
      .select('item_instance_id')
      .distinct()
      .where(sql<boolean>`(x >= ${cols} or y >= ${rows})`)
      .limit(limit),
  { isLong: true },
);

/** All occupied cells of a user space. */
export const cellsIn = lookup(
  { userSpaceId: 'text' },
  (queries, teamId, { userSpaceId }) =>
    rowsOf('item_instance_spaces', { queries, teamId }, { user_space_id: userSpaceId }).select(['x', 'y']),
  { isLong: true },
);

/** The occupied cells of a grid, per row; an empty row may be missing. */
export const gridRows = lookup({ userSpaceId: 'text' }, (queries, teamId, { userSpaceId }) =>
  rowsOf('user_space_rows', { queries, teamId }, { user_space_id: userSpaceId }).select(['y', 'taken']),
);
export type GridRow = Pick<Tables['user_space_rows'], 'y' | 'taken'>;

export const bitsOf = (taken: string): bigint => BigInt(`0x${taken}`);

export const saveGridRow = upsertInto(
  'user_space_rows',
  { user_space_id: 'text', y: 'integer', taken: 'text' },
  { key: ['user_space_id', 'y'] },
);

/** The key over the cells prevents overlaps; the grid rows only make free positions quick to find. */
export const insertCell = insertInto('item_instance_spaces', {
  user_space_id: 'text',
  y: 'integer',
  x: 'integer',
  item_instance_id: 'text',
  part: 'integer',
  id: 'text',
  rotated: 'integer',
  created_at: 'bigint',
  updated_at: 'bigint',
});

export const deleteCell = deleteFrom(
  'item_instance_spaces',
  { user_space_id: 'text', y: 'integer', x: 'integer' },
  { key: ['user_space_id', 'y', 'x'] },
);

/** Greater than the longest side of an item. Existing cells are numbered with this stride, so it must not change. */
const PARTS_PER_ROW = 100;

/** The number of a cell within its instance, by its offset from the top-left cell. */
export const partOf = ({ x, y }: Cell): number => y * PARTS_PER_ROW + x;

/** The first cell of each placed instance of an item. Unordered: sorting very many would take long. */
export const selectPlacedOfItem = ({ queries, teamId }: Reader, itemId: string) =>
  queries
    .selectFrom('item_instance_spaces as first')
    .innerJoin('item_instances as instance', (join) =>
      join.onRef('instance.team_id', '=', 'first.team_id').onRef('instance.id', '=', 'first.item_instance_id'),
    )
    .select(['first.item_instance_id', 'first.user_space_id', 'first.x', 'first.y', 'first.rotated'])
    .where('first.team_id', '=', teamId)
    // Not `= 0`, which would make the planner scan the index of all first cells instead of looking up the instances.
    .where('first.part', '<', 1)
    .where('instance.item_id', '=', itemId)
    .execute();

/** Deletes cells, given by their offset from the first one, of each of these instances. */
export const deleteCells = async (
  { queries, teamId }: Transaction,
  itemInstanceIds: readonly string[],
  cells: readonly Cell[],
): Promise<void> => {
  if (itemInstanceIds.length === 0 || cells.length === 0) return;
  await queries
    .deleteFrom('item_instance_spaces')
    .where('team_id', '=', teamId)
    .where('item_instance_id', 'in', itemInstanceIds)
    .where('part', 'in', cells.map(partOf))
    .execute();
};

/** Inserts cells immediately, for a command with many of them in a transaction of its own. */
export const insertCells = async (
  { queries, teamId }: Transaction,
  cells: readonly Pick<CellRow, 'user_space_id' | 'y' | 'x' | 'item_instance_id' | 'part'>[],
): Promise<void> => {
  await queries
    .insertInto('item_instance_spaces')
    .values(cells.map((cell) => ({ ...cell, team_id: teamId })))
    .execute();
};

export const selectPlacements = async (
  { queries, teamId }: Reader,
  userSpaceIds: readonly string[] | undefined,
  page: Page,
) => {
  // A literal instead of a parameter: only then can the partial index over first cells be used.
  const first = queries
    .selectFrom('item_instance_spaces as first')
    .selectAll()
    .where('first.team_id', '=', teamId)
    .where('first.part', '=', sql.lit(0))
    .$if(userSpaceIds !== undefined, (some) => some.where('first.user_space_id', 'in', userSpaceIds ?? []));
  // The page is selected first and then joined, so that the join order is not up to the planner.
  const rows = await queries
    .selectFrom(onPage(first, 'first', page).as('placement'))
    .innerJoin('item_instances as instance', (join) =>
      join.onRef('instance.team_id', '=', 'placement.team_id').onRef('instance.id', '=', 'placement.item_instance_id'),
    )
    .select([
      sql<string>`placement.id`.as('id'),
      sql<number>`placement.created_at`.as('created_at'),
      'placement.x',
      'placement.y',
      'placement.rotated',
      'placement.item_instance_id',
      'placement.user_space_id',
      'instance.item_id',
      'instance.created_at as instance_created_at',
      'instance.updated_at as instance_updated_at',
    ])
    // Joined to a page, not to a table, the instances would be looked for on all shards of a distributed database.
    .where('instance.team_id', '=', teamId)
    .orderBy('placement.created_at')
    .orderBy('placement.id')
    .execute();
  return paged(rows, page);
};
