import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryDatabase } from '../../../test/harness.ts';
import { assertInventoriesHold, openBag, stockShapes } from '../../../test/inventories.ts';
import { assertDone, assertNotFound } from '../../../test/rules.ts';
import { LIMITS } from '../../shared/limits.ts';

onEveryDatabase('exports of users', (service) => {
  test('have everything about a user, and nothing about others', async () => {
    const team = await service().anotherTeam();
    await stockShapes(team);
    for (const id of ['ann', 'bob']) assertDone(await team.post('/users', { id, externalId: `steam:${id}` }));
    const bag = await openBag(team, 'ann', 3, 3);
    const give = async (id: string, userId: string, more: object = {}) =>
      assertDone(await team.post('/item-instances', { id, itemId: '1x1', userId, ...more }));
    const transfer = async (id: string, toUserId: string) =>
      assertDone(await team.post(`/item-instances/${id}/transfer`, { toUserId }));
    await give('placed', 'ann', { userSpaceId: bag });
    await give('from-bob', 'bob');
    await transfer('from-bob', 'ann');
    await give('lent', 'ann');
    await transfer('lent', 'bob');
    await transfer('lent', 'ann');
    await give('given-away', 'ann');
    await transfer('given-away', 'bob');
    await give('lost', 'ann');
    assertDone(await team.delete('/item-instances/lost'));
    await give('of-bob', 'bob');
    assertDone(await team.post('/templates', { id: 'banner', name: 'Banner', config: {} }));
    assertDone(await team.put('/team', { verifiableRolls: true }));
    const { nextCommitment: commitment, nextManifest: manifest } = (await team.post('/users/ann/fairness')).body;
    assertDone(await team.post('/users/ann/fairness/rotate', { clientSeed: 'mine', commitment, manifest }));
    for (const userId of ['ann', 'bob'])
      assertDone(await team.post('/templates/banner/roll', { userId, count: 3, grant: userId === 'ann' }));
    assertDone(await team.post('/items/roll', { userId: 'ann' }));
    const because = { headers: { 'itemwright-reason': 'a gift' } };
    assertDone(await team.post('/users/ann/templates/banner/counters', { sparkPoints: 300 }, because));

    const { body, headers } = assertDone(await team.get('/users/ann/export'));
    assert.equal(headers.get('content-disposition'), 'attachment; filename="player.json"');
    const all = async (path: string) => assertDone(await team.get(path)).body;
    assert.deepEqual(body.user, await all('/users/ann'));
    const spaces = await all('/users/ann/spaces');
    assert.deepEqual(
      body.userSpaces,
      spaces.map(({ space: _, ...own }: { space: object }) => own),
    );
    assert.deepEqual(body.itemInstances, await all('/item-instances?userId=ann'));
    assert.deepEqual(body.rolls, await all('/users/ann/rolls'));
    assert.deepEqual(body.receipts, await all('/users/ann/receipts'));
    assert.deepEqual(body.counterChanges, await all('/users/ann/counter-changes'));
    assert.deepEqual(
      body.states.map(({ scope }: { scope: string }) => scope),
      ['template:banner'],
    );
    const named = body.history
      .filter(({ itemInstanceId }: { itemInstanceId: string }) => !/^[0-9a-f]{8}-/.test(itemInstanceId))
      .map(({ itemInstanceId, event }: Record<string, string>) => `${itemInstanceId} ${event}`);
    assert.deepEqual(named.sort(), [
      'from-bob created',
      'from-bob transferred',
      'given-away transferred',
      'lent created',
      'lent transferred',
      'lent transferred',
      'lost deleted',
      'placed created',
    ]);
    assert.doesNotMatch(JSON.stringify({ ...body, itemInstances: [] }), /"bob"|steam:bob/);
  });

  test('are complete however much a user has', async () => {
    const team = await service().anotherTeam();
    await stockShapes(team);
    const count = LIMITS.exportedRows * 2 + 1;
    const operations = Array.from({ length: count }, () => ({ type: 'create', itemId: '1x1', userId: 'rich' }));
    for (let start = 0; start < count; start += LIMITS.operationsPerBatch)
      assertDone(
        await team.post('/item-instances/batch', {
          operations: operations.slice(start, start + LIMITS.operationsPerBatch),
        }),
      );
    const { body } = assertDone(await team.get('/users/rich/export'));
    assert.equal(new Set(body.itemInstances.map(({ id }: { id: string }) => id)).size, count);
    assert.equal(new Set(body.history.map(({ itemInstanceId: id }: { itemInstanceId: string }) => id)).size, count);
    await assertInventoriesHold(service());
  });

  test('of a user without anything are empty, and of nobody are not found', async () => {
    const team = await service().anotherTeam();
    assertDone(await team.post('/users', { id: 'a/b c' }));
    const { body } = assertDone(await team.get('/users/a%2Fb%20c/export'));
    for (const list of ['userSpaces', 'states', 'counterChanges', 'itemInstances', 'history', 'rolls', 'receipts'])
      assert.deepEqual(body[list], [], list);
    assertNotFound(await team.get('/users/nobody/export'));
  });
});
