import assert from 'node:assert/strict';
import type { Tables } from '../src/database/tables.ts';
import { cellsOf, footprintOf } from '../src/engine/grid/grid.ts';
import type { Client, Service } from './harness.ts';

const sorted = (texts: string[]): string[] => texts.sort();

type Rows<T extends keyof Tables> = readonly Tables[T][];

/**
 * An instance itself says how it was created, unless its id was reused. Its first owner is the first who transferred
 * it.
 */
const creationsOf = (events: Rows<'item_instance_history'>, instances: Rows<'item_instances'>) =>
  instances
    .filter(({ cause }) => cause !== null)
    .map((instance): Tables['item_instance_history'] => {
      const first = events.find(
        ({ team_id, item_instance_id, sequence }) =>
          team_id === instance.team_id && item_instance_id === instance.id && sequence === 2,
      );
      return {
        team_id: instance.team_id,
        item_instance_id: instance.id,
        sequence: 1,
        item_id: instance.item_id,
        event: 'created',
        from_user_id: null,
        to_user_id: first === undefined ? instance.user_id : first.from_user_id,
        cause: instance.cause as string,
        created_at: instance.created_at,
        request_id: instance.request_id,
        author: instance.author,
        reason: null,
        deleted_row: null,
        before: null,
        after: null,
      };
    });

/**
 * Each life of an instance begins with its creation, passes from owner to owner without a gap, and ends with its
 * deletion; existing instances belong to the last owner in their history. A deleted user no longer appears.
 */
const assertHistoryHolds = (events: Rows<'item_instance_history'>, instances: Rows<'item_instances'>): void => {
  const ownerOf = new Map<string, string | null>();
  const nameOf = (teamId: string, id: string) => `${teamId} | ${id}`;
  const all = [...creationsOf(events, instances), ...events];
  const byInstance = Map.groupBy(all, (event) => nameOf(event.team_id, event.item_instance_id));
  for (const [name, lives] of byInstance) {
    let owner: string | null | undefined;
    for (const [index, event] of lives.toSorted((a, b) => a.sequence - b.sequence).entries()) {
      assert.equal(event.sequence, index + 1, `an event of ${name} is missing`);
      const wasThere = owner !== undefined;
      assert.equal(wasThere, event.event !== 'created', `${event.event} at ${event.sequence} of ${name}`);
      if (event.from_user_id !== null && owner !== null) assert.equal(event.from_user_id, owner, `a gap in ${name}`);
      if (event.event === 'deleted') {
        assert.equal(event.to_user_id, null);
        owner = undefined;
      } else {
        owner = event.to_user_id;
      }
    }
    if (owner !== undefined) ownerOf.set(name, owner);
  }
  assert.deepEqual(
    sorted([...ownerOf].map(([name, owner]) => `${name} of ${owner}`)),
    sorted(instances.map((instance) => `${nameOf(instance.team_id, instance.id)} of ${instance.user_id}`)),
    'what the history says is there is there, once, and nothing else',
  );
};

/**
 * Invariants of the database: the cells of each placement are those that its item covers, numbered from the top-left
 * one; the rows used to find free space contain the same cells; and the history covers every instance.
 */
export const assertInventoriesHold = async (
  { database }: Pick<Service, 'database'>,
  /** If given, only this team is checked. */
  teamId?: string,
): Promise<void> => {
  const { placements, cells, rows, events, instances } = await database.read('', async ({ queries: reader }) => ({
    events: await reader
      .selectFrom('item_instance_history')
      .selectAll()
      .$if(teamId !== undefined, (query) => query.where('team_id', '=', teamId as string))
      .execute(),
    instances: await reader
      .selectFrom('item_instances')
      .selectAll()
      .$if(teamId !== undefined, (query) => query.where('team_id', '=', teamId as string))
      .execute(),
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
      .where('placement.part', '=', 0)
      .select([
        'placement.item_instance_id as id',
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
      .$if(teamId !== undefined, (query) => query.where('placement.team_id', '=', teamId as string))
      .execute(),
    cells: await reader
      .selectFrom('item_instance_spaces')
      .selectAll()
      .$if(teamId !== undefined, (query) => query.where('team_id', '=', teamId as string))
      .execute(),
    rows: await reader
      .selectFrom('user_space_rows')
      .selectAll()
      .$if(teamId !== undefined, (query) => query.where('team_id', '=', teamId as string))
      .execute(),
  }));
  assertHistoryHolds(events, instances);
  const name = (...parts: (string | number)[]) => parts.join(' | ');
  const expectedCells = placements.flatMap((placement) =>
    cellsOf(footprintOf(placement, placement.rotated === 1), placement).map(({ x, y }, index) => {
      assert.ok(x < placement.cols && y < placement.rows, `${placement.id} reaches outside its grid`);
      assert.equal(placement.owner, placement.holder, `${placement.id} is in another user's space`);
      return name(placement.team_id, placement.user_space_id, x, y, placement.id, index === 0 ? 'first' : '');
    }),
  );
  for (const { part, id, rotated, created_at, updated_at } of cells) {
    const isNull = [id, rotated, created_at, updated_at].map((value) => value === null);
    assert.deepEqual(isNull, Array(4).fill(part !== 0), 'only the first cell has the placement data');
  }
  assert.deepEqual(
    sorted(
      cells.map((cell) =>
        name(
          ...[cell.team_id, cell.user_space_id, cell.x, cell.y, cell.item_instance_id],
          cell.part === 0 ? 'first' : '',
        ),
      ),
    ),
    sorted(expectedCells),
    'the cells of all placements are those that their items cover',
  );
  const cellsOfRows = rows.flatMap(({ team_id, user_space_id, y, taken }) =>
    [...BigInt(`0x${taken}`).toString(2)]
      .reverse()
      .flatMap((bit, x) => (bit === '1' ? [name(team_id, user_space_id, x, y)] : [])),
  );
  assert.deepEqual(
    sorted(cellsOfRows),
    sorted(cells.map((cell) => name(cell.team_id, cell.user_space_id, cell.x, cell.y))),
    'the rows of user spaces are the cells of all placements',
  );
};

/** Every row of the tables with user inventories, to compare before and after. */
export const inventoryState = ({ database }: Pick<Service, 'database'>): Promise<Record<string, unknown[]>> =>
  database.read('', async ({ queries: reader }) => {
    const tables = [
      'users',
      'spaces',
      'user_spaces',
      'item_instances',
      'item_instance_spaces',
      'user_space_rows',
      'item_instance_history',
    ] as const;
    const state: Record<string, unknown[]> = {};
    for (const table of tables) {
      const rows = await reader.selectFrom(table).selectAll().execute();
      state[table] = sorted(rows.map((row) => JSON.stringify(row)));
    }
    return state;
  });

/** Items of several sizes, with matching ids: `1x1`, `1x3`, `2x1`, `2x2`, `3x2`. */
export const stockShapes = async (team: Client): Promise<void> => {
  for (const id of ['1x1', '1x3', '2x1', '2x2', '3x2']) {
    const [width, height] = id.split('x').map(Number);
    assert.equal((await team.post('/items', { id, name: id, width, height })).status, 200);
  }
};

/** Creates a user space of a new space of that size; also creates the user if necessary. */
export const openBag = async (team: Client, userId: string, cols: number, rows: number): Promise<string> => {
  const { body: space } = await team.post('/spaces', { name: 'Bag', cols, rows });
  const { status, body } = await team.post(`/users/${encodeURIComponent(userId)}/spaces`, { spaceId: space.id });
  assert.equal(status, 200);
  return body.id;
};

interface Shown {
  readonly id: string;
  readonly item: { readonly width: number; readonly height: number };
  readonly itemInstanceSpace: { spacePositionX: number; spacePositionY: number; rotated: boolean };
}

/** Draws a bag: per cell the last letter of the id of the instance there, or a dot. */
export const pictureOf = async (team: Client, userId: string, bagId: string): Promise<string> => {
  const { status, body } = await team.get(`/users/${encodeURIComponent(userId)}/spaces/${bagId}`);
  assert.equal(status, 200);
  const picture = Array.from({ length: body.space.rows }, () => Array<string>(body.space.cols).fill('.'));
  for (const { id, item, itemInstanceSpace } of body.itemInstances as Shown[]) {
    const { spacePositionX: x, spacePositionY: y, rotated } = itemInstanceSpace;
    for (const cell of cellsOf(footprintOf(item, rotated), { x, y })) {
      const row = picture[cell.y] as string[];
      assert.equal(row[cell.x], '.', `${id} lies on another`);
      row[cell.x] = id.at(-1) as string;
    }
  }
  return picture.map((row) => row.join('')).join('\n');
};
