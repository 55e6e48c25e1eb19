import assert from 'node:assert/strict';
import { cellsOf, footprintOf } from '../src/engine/grid.ts';
import type { Service } from './harness.ts';

const sorted = (texts: string[]): string[] => texts.sort();

/**
 * What must hold in the database whatever was done to it: the occupied cells are the cells of all placements, and the
 * rows in which free places are looked for are the occupied cells once more.
 */
export const assertInventoriesHold = async ({ database }: Pick<Service, 'database'>): Promise<void> => {
  const { placements, cells, rows } = await database.read(async (reader) => ({
    placements: await reader
      .selectFrom('item_instance_spaces as placement')
      .innerJoin('item_instances', (join) =>
        join
          .onRef('item_instances.team_id', '=', 'placement.team_id')
          .onRef('item_instances.id', '=', 'placement.item_instance_id'),
      )
      .innerJoin('items', (join) =>
        join.onRef('items.team_id', '=', 'item_instances.team_id').onRef('items.id', '=', 'item_instances.item_id'),
      )
      .innerJoin('user_spaces', (join) =>
        join
          .onRef('user_spaces.team_id', '=', 'placement.team_id')
          .onRef('user_spaces.id', '=', 'placement.user_space_id'),
      )
      .innerJoin('spaces', (join) =>
        join.onRef('spaces.team_id', '=', 'user_spaces.team_id').onRef('spaces.id', '=', 'user_spaces.space_id'),
      )
      .select([
        'placement.id',
        'placement.team_id',
        'placement.user_space_id',
        'placement.x',
        'placement.y',
        'placement.rotated',
        'items.width',
        'items.height',
        'item_instances.user_id as owner',
        'user_spaces.user_id as holder',
        'spaces.cols',
        'spaces.rows',
      ])
      .execute(),
    cells: await reader.selectFrom('occupied_cells').selectAll().execute(),
    rows: await reader.selectFrom('user_space_rows').selectAll().execute(),
  }));
  const name = (...parts: (string | number)[]) => parts.join(' | ');
  const expectedCells = placements.flatMap((placement) =>
    cellsOf(footprintOf(placement, placement.rotated === 1), placement).map(({ x, y }) => {
      assert.ok(x < placement.cols && y < placement.rows, `${placement.id} reaches outside its grid`);
      assert.equal(placement.owner, placement.holder, `${placement.id} lies in another player's space`);
      return name(placement.team_id, placement.user_space_id, x, y, placement.id);
    }),
  );
  assert.deepEqual(
    sorted(cells.map((cell) => name(cell.team_id, cell.user_space_id, cell.x, cell.y, cell.item_instance_space_id))),
    sorted(expectedCells),
    'the occupied cells are the cells of all placements',
  );
  const cellsOfRows = rows.flatMap(({ team_id, user_space_id, y, taken }) =>
    [...BigInt(`0x${taken}`).toString(2)]
      .reverse()
      .flatMap((bit, x) => (bit === '1' ? [name(team_id, user_space_id, x, y)] : [])),
  );
  assert.deepEqual(
    sorted(cellsOfRows),
    sorted(cells.map((cell) => name(cell.team_id, cell.user_space_id, cell.x, cell.y))),
    'the rows of user spaces are the occupied cells',
  );
};

/** Every row of the tables that hold what players own, to compare before and after. */
export const inventoryState = ({ database }: Pick<Service, 'database'>): Promise<Record<string, unknown[]>> =>
  database.read(async (reader) => {
    const tables = [
      'users',
      'spaces',
      'user_spaces',
      'item_instances',
      'item_instance_spaces',
      'occupied_cells',
      'user_space_rows',
    ] as const;
    const state: Record<string, unknown[]> = {};
    for (const table of tables) {
      const rows = await reader.selectFrom(table).selectAll().execute();
      state[table] = sorted(rows.map((row) => JSON.stringify(row)));
    }
    return state;
  });
