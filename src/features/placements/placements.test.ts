import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Client, onEveryDatabase } from '../../../test/harness.ts';
import { assertInventoriesHold, inventoryState, openBag, stockShapes } from '../../../test/inventories.ts';
import { type DatabaseObserver, unobserved } from '../../database/observer.ts';

onEveryDatabase('placements', (service) => {
  let team: Client;
  before(async () => {
    team = await service().anotherTeam();
    await stockShapes(team);
  });

  test('cannot overlap, because the database has one row per cell', async () => {
    const bag = await openBag(team, 'ann', 3, 2);
    const { body: under } = await team.post('/item-instances', { itemId: '2x2', userId: 'ann', userSpaceId: bag });
    const { body: over } = await team.post('/item-instances', { itemId: '1x1', userId: 'ann' });
    assert.equal(under.itemInstanceSpace.spacePositionX, 0);
    const insert = (x: number, y: number) =>
      service().database.transaction(team.teamId, ({ queries }) =>
        queries
          .insertInto('item_instance_spaces')
          .values({
            team_id: team.teamId,
            user_space_id: bag,
            x,
            y,
            item_instance_id: over.id,
            part: 0,
            id: 'by-hand',
            rotated: 0,
            created_at: 1,
            updated_at: 1,
          })
          .execute(),
      );
    const before = await inventoryState(service());
    for (const [x, y] of [
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
    ] as const)
      await assert.rejects(insert(x, y), `${x}, ${y}`);
    assert.deepEqual(await inventoryState(service()), before);
    // Nor can one instance be placed twice.
    await insert(2, 0);
    await assert.rejects(insert(2, 1));
    await service().database.transaction(team.teamId, ({ queries }) =>
      queries.deleteFrom('item_instance_spaces').where('id', '=', 'by-hand').execute(),
    );
    await assertInventoriesHold(service());
  });

  test('are changed by commands that share a transaction, though all of them hold the same bag', async () => {
    const bag = await openBag(team, 'cleo', 8, 8);
    const ids: string[] = [];
    for (let index = 0; index < 8; index += 1)
      ids.push((await team.post('/item-instances', { itemId: '1x1', userId: 'cleo', userSpaceId: bag })).body.id);
    const reruns: string[] = [];
    const observer: DatabaseObserver = { ...unobserved().by, reran: (reason) => reruns.push(reason) };
    service().database.observe(observer);
    try {
      // Each instance has a row of its own, in which it goes to and fro.
      const moves = Array.from({ length: 64 }, (_, index) => ({
        id: ids[index % 8] as string,
        to: { spacePositionX: Math.floor(index / 8), spacePositionY: index % 8 },
      }));
      const responses = await Promise.all(
        moves.map(({ id, to }) => team.post(`/item-instances/${id}/move`, { userId: 'cleo', ...to })),
      );
      const isDone = ({ status }: { status: number }): boolean => status === 200;
      // A cell of the first row may still be taken by an instance that has not left it yet.
      assert.ok(responses.filter(isDone).length >= 56, JSON.stringify(responses.filter((one) => !isDone(one))));
      for (const { status, body } of responses)
        assert.ok(status === 200 || body.code === 'CONFLICT', JSON.stringify(body));
      // Those of one group wait within it, up to a limit. If each waited for a group of its own, there would be 2,000.
      assert.ok(reruns.length <= 4 * moves.length, `${reruns.length} reruns: ${[...new Set(reruns)]}`);
    } finally {
      service().database.observe(unobserved().by);
    }
    await assertInventoriesHold(service());
  });

  test('are rejected by the database even if the grid rows say that a cell is free', async () => {
    const bag = await openBag(team, 'bob', 2, 1);
    await team.post('/item-instances', { itemId: '1x1', userId: 'bob', userSpaceId: bag });
    const sayTaken = (taken: string) =>
      service().database.transaction(team.teamId, ({ queries }) =>
        queries.updateTable('user_space_rows').set({ taken }).where('user_space_id', '=', bag).execute(),
      );
    await sayTaken('0');
    const before = await inventoryState(service());
    const { status } = await team.post('/item-instances', { itemId: '1x1', userId: 'bob', userSpaceId: bag });
    assert.equal(status, 503);
    assert.deepEqual(await inventoryState(service()), before);
    await sayTaken('1');
    await assertInventoriesHold(service());
  });

  test('of an item follow a change of its footprint by the thousand', async () => {
    await team.post('/items', { id: 'tile', name: 'Tile' });
    const bag = await openBag(team, 'cyd', 100, 100);
    const operations = Array.from({ length: 100 }, (_, n) => ({
      ...{ type: 'create', itemId: 'tile', userId: 'cyd', userSpaceId: bag },
      ...{ spacePositionX: (n % 50) * 2, spacePositionY: 0, rotated: n % 2 === 1 },
    }));
    for (let row = 0; row < 20; row += 1) {
      const moved = operations.map((operation, n) => ({ ...operation, spacePositionY: row * 4 + (n < 50 ? 0 : 2) }));
      assert.equal((await team.post('/item-instances/batch', { operations: moved })).status, 200);
    }
    assert.equal((await team.put('/items/tile', { width: 2, height: 1 })).status, 200);
    await assertInventoriesHold(service(), team.teamId);
    assert.equal((await team.put('/items/tile', { width: 1, height: 2 })).status, 200);
    await assertInventoriesHold(service(), team.teamId);
    const state = await inventoryState(service());
    const rejected = await team.put('/items/tile', { width: 3, height: 3 });
    assert.equal(rejected.status, 409);
    assert.equal(rejected.body.issues.length, 100);
    assert.deepEqual(await inventoryState(service()), state);
  });
});
