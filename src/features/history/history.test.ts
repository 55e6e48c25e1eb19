import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type ApiResponse, type Client, issuePaths, onEveryDatabase } from '../../../test/harness.ts';
import { assertInventoriesHold, openBag, stockShapes } from '../../../test/inventories.ts';

const MOMENT = Date.parse('2026-11-14T09:30:00.000Z');
const TIME = '2026-11-14T09:30:00.000Z';
const LATER = '2026-11-14T09:30:01.000Z';

onEveryDatabase('item instance history', (service) => {
  let team: Client;
  before(async () => {
    service().setClock(MOMENT);
    team = await service().anotherTeam();
    await stockShapes(team);
    for (const id of ['ann', 'bob', 'cyd']) await team.post('/users', { id });
  });

  const as = (requestId: string) => ({ headers: { 'x-request-id': requestId } });
  const historyOf = async (id: string) => {
    const { status, body } = await team.get(`/item-instances/${id}/history`);
    assert.equal(status, 200);
    return body;
  };
  /** Each event as `event from → to, cause`. */
  const eventsOf = async (id: string): Promise<string[]> =>
    (await historyOf(id)).map(
      ({ event, fromUserId, toUserId, cause }: Record<string, string | null>) =>
        `${event} ${fromUserId} → ${toUserId}, ${cause}`,
    );

  test('contains creation, transfers and deletion, and outlives the instance', async () => {
    await team.post('/item-instances', { id: 'sword', itemId: '1x1', userId: 'ann' }, as('first'));
    service().setClock(MOMENT + 1000);
    await team.post('/item-instances/sword/transfer', { toUserId: 'bob' }, as('second'));
    await team.delete('/item-instances/sword', as('third'));
    service().setClock(MOMENT);
    const common = { itemInstanceId: 'sword', itemId: '1x1', cause: 'request', author: 'first', reason: null };
    assert.deepEqual(await historyOf('sword'), [
      {
        ...{ ...common, sequence: 1, event: 'created', fromUserId: null, toUserId: 'ann' },
        ...{ requestId: 'first', createdAt: TIME },
      },
      {
        ...{ ...common, sequence: 2, event: 'transferred', fromUserId: 'ann', toUserId: 'bob' },
        ...{ requestId: 'second', createdAt: LATER },
      },
      {
        ...{ ...common, sequence: 3, event: 'deleted', fromUserId: 'bob', toUserId: null },
        ...{ requestId: 'third', createdAt: LATER },
      },
    ]);
    assert.equal((await team.get('/item-instances/sword')).status, 404);
  });

  test('continues when an id is reused', async () => {
    for (const userId of ['ann', 'bob']) {
      assert.equal((await team.post('/item-instances', { id: 'phoenix', itemId: '1x1', userId })).status, 200);
      assert.equal((await team.delete('/item-instances/phoenix')).status, 200);
    }
    assert.deepEqual(await eventsOf('phoenix'), [
      'created null → ann, request',
      'deleted ann → null, request',
      'created null → bob, request',
      'deleted bob → null, request',
    ]);
  });

  const storedOf = (id: string) =>
    service().database.read(team.teamId, ({ queries }) =>
      queries
        .selectFrom('item_instance_history')
        .select(['sequence', 'event', 'to_user_id'])
        .where('team_id', '=', team.teamId)
        .where('item_instance_id', '=', id)
        .orderBy('sequence')
        .execute(),
    );

  test('starts with the creation, whether the instance or the history records it', async () => {
    await team.post('/item-instances', { id: 'shield', itemId: '1x1', userId: 'ann' }, as('first'));
    assert.deepEqual(await eventsOf('shield'), ['created null → ann, request']);
    assert.deepEqual(await storedOf('shield'), []);
    await team.post('/item-instances/shield/transfer', { toUserId: 'bob' });
    await team.post('/item-instances/shield/transfer', { toUserId: 'cyd' });
    const before = await historyOf('shield');
    assert.deepEqual(
      before.map(({ sequence, toUserId }: { sequence: number; toUserId: string }) => `${sequence} ${toUserId}`),
      ['1 ann', '2 bob', '3 cyd'],
    );
    assert.equal((await storedOf('shield')).length, 2);
    await team.delete('/item-instances/shield');
    const after = await historyOf('shield');
    assert.deepEqual(after.slice(0, 3), before);
    assert.equal(after.length, 4);
    assert.equal((await storedOf('shield')).length, 4);
  });

  test('contains every life of an id, with its owners in each', async () => {
    for (const [userId, toUserId] of [
      ['ann', 'bob'],
      ['bob', 'cyd'],
    ]) {
      await team.post('/item-instances', { id: 'hydra', itemId: '1x1', userId });
      await team.post('/item-instances/hydra/transfer', { toUserId });
      assert.equal((await team.delete('/item-instances/hydra')).status, 200);
    }
    await team.post('/item-instances', { id: 'hydra', itemId: '2x2', userId: 'ann' });
    assert.deepEqual(await eventsOf('hydra'), [
      'created null → ann, request',
      'transferred ann → bob, request',
      'deleted bob → null, request',
      'created null → bob, request',
      'transferred bob → cyd, request',
      'deleted cyd → null, request',
      'created null → ann, request',
    ]);
    assert.deepEqual(
      (await historyOf('hydra')).map(({ sequence, itemId }: { sequence: number; itemId: string }) => [
        sequence,
        itemId,
      ]),
      [1, 2, 3, 4, 5, 6, 7].map((sequence) => [sequence, sequence === 7 ? '2x2' : '1x1']),
    );
    await assertInventoriesHold(service());
  });

  test('contains no trace of a deleted user, whatever happened to their instances', async () => {
    await team.post('/users', { id: 'ghost' });
    const create = (id: string, userId: string) => team.post('/item-instances', { id, itemId: '1x1', userId });
    const give = (id: string, toUserId: string) => team.post(`/item-instances/${id}/transfer`, { toUserId });
    await create('round', 'ghost');
    await give('round', 'ann');
    await give('round', 'ghost');
    await create('lent', 'ghost');
    await give('lent', 'ann');
    await create('twice', 'ghost');
    await team.delete('/item-instances/twice');
    await create('twice', 'ghost');
    assert.equal((await team.delete('/users/ghost')).status, 200);
    assert.deepEqual(await eventsOf('round'), [
      'created null → null, request',
      'transferred null → ann, request',
      'transferred ann → null, request',
      'deleted null → null, user deleted',
    ]);
    assert.deepEqual(await eventsOf('lent'), ['created null → null, request', 'transferred null → ann, request']);
    await team.delete('/item-instances/lent');
    assert.deepEqual(await eventsOf('twice'), [
      'created null → null, request',
      'deleted null → null, request',
      'created null → null, request',
      'deleted null → null, user deleted',
    ]);
    const named = await service().database.read(team.teamId, ({ queries }) =>
      queries
        .selectFrom('item_instance_history')
        .select('item_instance_id')
        .where((eb) => eb.or([eb('from_user_id', '=', 'ghost'), eb('to_user_id', '=', 'ghost')]))
        .execute(),
    );
    assert.deepEqual(named, []);
    await assertInventoriesHold(service());
  });

  test('does not contain moves or rejected operations', async () => {
    const bag = await openBag(team, 'ann', 2, 1);
    const { body } = await team.post('/item-instances', { itemId: '1x1', userId: 'ann', userSpaceId: bag });
    const move = (x: number) =>
      team.post(`/item-instances/${body.id}/move`, { userId: 'ann', spacePositionX: x, spacePositionY: 0 });
    assert.equal((await move(1)).status, 200);
    assert.equal((await move(2)).status, 409);
    const transfer = { userId: 'bob', toUserId: 'cyd' };
    assert.equal((await team.post(`/item-instances/${body.id}/transfer`, transfer)).status, 404);
    await team.post(`/users/ann/spaces/${bag}/sort`);
    await team.delete(`/users/ann/spaces/${bag}`);
    assert.deepEqual(await eventsOf(body.id), ['created null → ann, request']);
    const rejected = { id: 'never', itemId: '1x1', userId: 'ann', userSpaceId: bag };
    assert.equal((await team.post('/item-instances', rejected)).status, 400);
    assert.equal((await team.get('/item-instances/never/history')).status, 404);
  });

  test('names the batch, roll, template or spark that caused an event', async () => {
    const { body: rolled } = await team.post('/items/roll', { userId: 'ann' });
    assert.deepEqual(await eventsOf(rolled.itemInstance.id), ['created null → ann, roll']);
    const { body: classifier } = await team.post('/classifiers', {
      name: 'Rarity',
      classifierOptions: [{ name: 'five' }],
    });
    const optionId = classifier.classifierOptions[0].id;
    await team.post('/items', { id: 'featured', name: 'Featured', classifierOptionIds: [optionId] });
    const template = await team.post('/templates', {
      id: 'banner',
      name: 'Banner',
      config: { baseRates: { [optionId]: 1 }, featuredItemIds: ['featured'], sparkCurrency: 1 },
    });
    assert.equal(template.status, 200, JSON.stringify(template.body));
    const { body: pulled } = await team.post('/templates/banner/roll', { userId: 'ann', grant: true, count: 2 });
    for (const { itemInstance } of pulled.rolls)
      assert.deepEqual(await eventsOf(itemInstance.id), ['created null → ann, template:banner']);
    const spark = await team.post('/templates/banner/spark', { userId: 'ann', itemId: 'featured' });
    assert.equal(spark.status, 200, JSON.stringify(spark.body));
    assert.deepEqual(await eventsOf(spark.body.itemInstance.id), ['created null → ann, spark:banner']);
    await team.post(
      '/item-instances/batch',
      {
        operations: [
          { type: 'create', id: 'batched', itemId: '1x1', userId: 'ann' },
          { type: 'transfer', id: 'batched', toUserId: 'bob' },
          { type: 'delete', id: 'batched' },
        ],
      },
      as('one request'.replace(' ', '-')),
    );
    assert.deepEqual(await eventsOf('batched'), [
      'created null → ann, batch',
      'transferred ann → bob, batch',
      'deleted bob → null, batch',
    ]);
    for (const { requestId } of await historyOf('batched')) assert.equal(requestId, 'one-request');
  });

  test('of a deleted user is kept without the user', async () => {
    const bag = await openBag(team, 'leaver', 3, 3);
    const at = { itemId: '1x1', userId: 'leaver' };
    await team.post('/item-instances', { ...at, id: 'kept-by-bob' });
    await team.post('/item-instances/kept-by-bob/transfer', { toUserId: 'bob' });
    await team.post('/item-instances', { ...at, id: 'from-cyd', userId: 'cyd' });
    await team.post('/item-instances/from-cyd/transfer', { toUserId: 'leaver', toUserSpaceId: bag });
    await team.post('/item-instances', { ...at, id: 'placed', userSpaceId: bag });
    await team.post('/item-instances', { ...at, id: 'gone-before' });
    await team.delete('/item-instances/gone-before');
    service().setClock(MOMENT + 1000);
    assert.equal((await team.delete('/users/leaver', as('farewell'))).status, 200);
    service().setClock(MOMENT);
    assert.deepEqual(await eventsOf('kept-by-bob'), [
      'created null → null, request',
      'transferred null → bob, request',
    ]);
    assert.deepEqual(await eventsOf('from-cyd'), [
      'created null → cyd, request',
      'transferred cyd → null, request',
      'deleted null → null, user deleted',
    ]);
    assert.deepEqual(await eventsOf('placed'), ['created null → null, request', 'deleted null → null, user deleted']);
    assert.deepEqual(await eventsOf('gone-before'), ['created null → null, request', 'deleted null → null, request']);
    const last = (await historyOf('placed')).at(-1);
    assert.deepEqual([last.requestId, last.createdAt, last.sequence], ['farewell', LATER, 2]);
    await assertInventoriesHold(service());
  });

  test('is paged, oldest first', async () => {
    await team.post('/item-instances', { id: 'ball', itemId: '1x1', userId: 'ann' });
    for (let n = 0; n < 6; n += 1)
      await team.post('/item-instances/ball/transfer', { toUserId: n % 2 === 0 ? 'bob' : 'ann' });
    const seen: number[] = [];
    const { body: first } = await team.get('/item-instances/ball/history?limit=1');
    assert.deepEqual([first.length, first[0].event, first[0].toUserId], [1, 'created', 'ann']);
    let path: string | undefined = '/item-instances/ball/history?limit=3';
    while (path !== undefined) {
      const { body, headers }: ApiResponse = await team.get(path);
      seen.push(...body.map(({ sequence }: { sequence: number }) => sequence));
      path = /^<([^>]*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    }
    assert.deepEqual(seen, [1, 2, 3, 4, 5, 6, 7]);
    const far = Buffer.from(JSON.stringify([Number.MAX_SAFE_INTEGER, ''])).toString('base64url');
    assert.deepEqual((await team.get(`/item-instances/ball/history?cursor=${far}`)).body, []);
    const answer = await team.get('/item-instances/ball/history?limit=0&event=deleted&cursor=x');
    assert.deepEqual([answer.status, issuePaths(answer).sort()], [400, ['/query/event', '/query/limit']]);
  });

  test('returns 404 for unknown instances and those of another team', async () => {
    await team.post('/item-instances', { id: 'secretly', itemId: '1x1', userId: 'ann' });
    const other = await service().anotherTeam();
    for (const answer of [
      await team.get('/item-instances/nothing/history'),
      await team.get('/item-instances/%00/history'),
      await other.get('/item-instances/secretly/history'),
    ])
      assert.deepEqual([answer.status, answer.body], [404, { code: 'NOT_FOUND', message: 'Not found', issues: [] }]);
    assert.equal((await team.get(`/item-instances/${'x'.repeat(192)}/history`)).status, 400);
  });
});
