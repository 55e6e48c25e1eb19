import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { type Client, issuePaths, onEveryDatabase } from '../../../test/harness.ts';
import { assertInventoriesHold, openBag, stockShapes } from '../../../test/inventories.ts';
import { assertDone, assertNotFound } from '../../../test/rules.ts';

const MOMENT = Date.parse('2026-11-14T09:30:00.000Z');
const DAY_MS = 86_400_000;

onEveryDatabase('restoring item instances', (service) => {
  let team: Client;
  before(async () => {
    team = await service().anotherTeam();
    await stockShapes(team);
    assertDone(await team.post('/attributes', { id: 'power', name: 'Power', min: 0, max: 1000 }));
    const itemAttributes = [{ attributeId: 'power', min: 0, max: 1000 }];
    assertDone(await team.post('/items', { id: 'sword', name: 'Sword', itemAttributes }));
    for (const id of ['ann', 'bob']) assertDone(await team.post('/users', { id }));
  });
  beforeEach(() => service().setClock(MOMENT));

  const restore = (id: string, headers: Record<string, string> = {}) =>
    team.post(`/item-instances/${id}/restore`, undefined, { headers });
  const give = async (id: string, userId = 'ann', more: object = {}) =>
    assertDone(await team.post('/item-instances', { id, itemId: 'sword', userId, ...more })).body;
  const remove = async (id: string) => assertDone(await team.delete(`/item-instances/${id}`));
  const read = async (id: string) => assertDone(await team.get(`/item-instances/${id}`)).body;
  const refused = async (id: string, message: RegExp) => {
    const answer = await restore(id);
    assert.equal(answer.status, 409, JSON.stringify(answer.body));
    assert.deepEqual(issuePaths(answer), ['/path/id']);
    assert.match(answer.body.issues[0].message, message);
  };

  test('gives it back to its last owner, unplaced, with its values and the time of its creation', async () => {
    const userSpaceId = await openBag(team, 'ann', 3, 3);
    await give('blade', 'bob');
    const { attributes } = await read('blade');
    assertDone(await team.post('/item-instances/blade/transfer', { toUserId: 'ann', toUserSpaceId: userSpaceId }));
    service().setClock(MOMENT + 1000);
    await remove('blade');
    service().setClock(MOMENT + 2000);
    const { body } = assertDone(await restore('blade'));
    assert.deepEqual(body, {
      ...{ id: 'blade', itemId: 'sword', userId: 'ann', teamId: team.teamId },
      ...{ createdAt: new Date(MOMENT).toISOString(), updatedAt: new Date(MOMENT + 2000).toISOString() },
      itemInstanceSpace: null,
    });
    assert.deepEqual((await read('blade')).attributes, attributes);
    const { body: history } = await team.get('/item-instances/blade/history');
    assert.deepEqual(
      history.map(({ event, cause, toUserId }: Record<string, string>) => [event, cause, toUserId]),
      [
        ['created', 'request', 'bob'],
        ['transferred', 'request', 'ann'],
        ['deleted', 'request', null],
        ['created', 'restored', 'ann'],
      ],
    );
    await assertInventoriesHold(service());
  });

  test('works again and again, with the values of the last life', async () => {
    await give('any');
    const [{ id: itemAttributeId }] = (await read('any')).attributes;
    for (const value of [1, 2]) {
      await give('phoenix', 'ann', { itemAttributeInstances: [{ itemAttributeId, value }] });
      await remove('phoenix');
    }
    for (let count = 0; count < 2; count += 1) {
      assertDone(await restore('phoenix'));
      assert.deepEqual(
        (await read('phoenix')).attributes.map(({ value }: { value: number }) => value),
        [2],
      );
      await remove('phoenix');
    }
  });

  test('is possible for 30 days', async () => {
    await give('old');
    await remove('old');
    service().setClock(MOMENT + 30 * DAY_MS + 1);
    await refused('old', /^was deleted at 2026-11-14T09:30:00.000Z, more than 30 days ago$/);
    service().setClock(MOMENT + 30 * DAY_MS);
    assertDone(await restore('old'));
  });

  test('is refused if it exists, and if its owner, its item or what it takes is gone', async () => {
    await give('here');
    await refused('here', /^exists$/);

    assertDone(await team.post('/users', { id: 'leaver' }));
    for (const id of ['theirs', 'taken']) await give(id, 'leaver');
    await remove('taken');
    assertDone(await team.delete('/users/leaver'));
    for (const id of ['theirs', 'taken']) await refused(id, /no owner/);

    assertDone(await team.post('/items', { id: 'relic', name: 'Relic' }));
    assertDone(await team.post('/item-instances', { id: 'of-relic', itemId: 'relic', userId: 'ann' }));
    await remove('of-relic');
    assertDone(await team.delete('/items/relic'));
    await refused('of-relic', /item that was deleted/);

    await give('by-old-node');
    await remove('by-old-node');
    await service().database.transaction(team.teamId, ({ queries }) =>
      queries
        .updateTable('item_instance_history')
        .set({ deleted_row: null, author: null })
        .where('team_id', '=', team.teamId)
        .where('item_instance_id', '=', 'by-old-node')
        .execute(),
    );
    await refused('by-old-node', /before the service kept/);
  });

  test('is offered for what was deleted and does not exist, once, to its last owner', async () => {
    assertDone(await team.post('/users', { id: 'cyd' }));
    const offered = async (query = '') =>
      assertDone(await team.get(`/users/cyd/deleted-item-instances${query}`)).body.map(
        ({ itemInstanceId, sequence }: { itemInstanceId: string; sequence: number }) => `${itemInstanceId} ${sequence}`,
      );
    assert.deepEqual(await offered(), []);
    for (const id of ['c-one', 'c-two', 'c-three']) await give(id, 'cyd');
    for (const id of ['c-one', 'c-two', 'c-three']) await remove(id);
    assertDone(await restore('c-two'));
    assertDone(await restore('c-three'));
    await remove('c-three');
    assert.deepEqual(await offered(), ['c-one 2', 'c-three 4']);
    service().setClock(MOMENT + 30 * DAY_MS + 1);
    assert.deepEqual(await offered(), []);
    assertNotFound(await team.get('/users/nobody/deleted-item-instances'));
  });

  test('finds nothing that never existed, or is of another team', async () => {
    assertNotFound(await restore('never'));
    await give('secretly');
    await remove('secretly');
    const other = await service().anotherTeam();
    assertNotFound(await other.post('/item-instances/secretly/restore'));
  });

  test('happens once, however many ask at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      await give(`wanted-${round}`);
      await remove(`wanted-${round}`);
      const answers = await Promise.all(Array.from({ length: 8 }, () => restore(`wanted-${round}`)));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 7 }, () => 409)]);
      const { body } = await team.get(`/item-instances/wanted-${round}/history`);
      assert.deepEqual(
        body.map(({ cause }: { cause: string }) => cause),
        ['request', 'request', 'restored'],
      );
    }
    await assertInventoriesHold(service());
  });

  test('and a deletion of its owner at the same time leave nothing without an owner', async () => {
    for (let round = 0; round < 5; round += 1) {
      const userId = `fleeting-${round}`;
      await give(`of-${userId}`, userId);
      await remove(`of-${userId}`);
      const [restored, deleted] = await Promise.all([restore(`of-${userId}`), team.delete(`/users/${userId}`)]);
      assert.equal(deleted.status, 200);
      assert.ok([200, 409].includes(restored.status), JSON.stringify(restored.body));
      assertNotFound(await team.get(`/item-instances/of-${userId}`));
    }
    await assertInventoriesHold(service());
  });

  test('is not for those who only read or design', async () => {
    await give('guarded');
    await remove('guarded');
    for (const role of ['read', 'design'] as const) {
      const caller = await service().as(role);
      assert.equal((await caller.post('/item-instances/guarded/restore')).status, 403);
    }
  });
});
