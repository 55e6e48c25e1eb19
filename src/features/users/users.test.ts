import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ApiResponse, type Client, issuePaths, onEveryDatabase } from '../../../test/harness.ts';
import { assertInventoriesHold, inventoryState } from '../../../test/inventories.ts';
import { keepsTheRulesOfLists, keepsTheRulesOfRows } from '../../../test/rules.ts';

const MOMENT = Date.parse('2026-11-14T09:30:00.000Z');
const TIME = '2026-11-14T09:30:00.000Z';
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** User ids as they come from other systems. */
const ODD_IDS = [
  'auth0|5f7c8ec7c33c6c004bbafe82',
  'a@b.c',
  'a space',
  ' ',
  '🐉🔥',
  'a/b/c',
  '..',
  '.',
  'roll',
  'a?b=c&d#e',
  '100%',
  '%2F',
  "o'brien; drop table users",
  '"quoted"',
  '日本語',
  'a\\b',
  '\u2028',
];

const pathOf = (userId: string): string => `/users/${encodeURIComponent(userId).replaceAll('.', '%2E')}`;

const next = (link: string | null): string | undefined => /^<([^>]*)>; rel="next"$/.exec(link ?? '')?.[1];

onEveryDatabase('users', (service) => {
  test('creates a user with a generated id', async () => {
    service().setClock(MOMENT);
    const { status, body } = await service().post('/users', {});
    assert.equal(status, 200);
    assert.match(body.id, UUID_V7);
    assert.deepEqual(body, {
      id: body.id,
      externalId: null,
      teamId: service().teamId,
      createdAt: TIME,
      updatedAt: TIME,
    });
  });

  test('creates a user with a given id and external id', async () => {
    service().setClock(MOMENT);
    const { status, body } = await service().post('/users', { id: 'player-1', externalId: 'steam:76561197960287930' });
    assert.equal(status, 200);
    assert.deepEqual(body, {
      id: 'player-1',
      externalId: 'steam:76561197960287930',
      teamId: service().teamId,
      createdAt: TIME,
      updatedAt: TIME,
    });
    assert.deepEqual((await service().get('/users/player-1')).body, body);
  });

  test('accepts null external ids any number of times', async () => {
    for (const id of ['no-external-1', 'no-external-2']) {
      const { status, body } = await service().post('/users', { id, externalId: null });
      assert.equal(status, 200);
      assert.equal(body.externalId, null);
    }
  });

  for (const id of ODD_IDS) {
    test(`stores the id ${JSON.stringify(id)} as given`, async () => {
      const team = await service().anotherTeam();
      const created = await team.post('/users', { id, externalId: id });
      assert.equal(created.status, 200, JSON.stringify(created.body));
      assert.equal(created.body.id, id);
      assert.deepEqual((await team.get(`/users?externalId=${encodeURIComponent(id)}`)).body, [created.body]);
      // Clients resolve escaped dot segments in paths, so these two can only be reached by query.
      if (id !== '.' && id !== '..') assert.deepEqual((await team.get(pathOf(id))).body, created.body);
      assert.deepEqual((await team.delete(`/users?id=${encodeURIComponent(id)}`)).body, {});
      assert.deepEqual((await team.get('/users')).body, []);
    });
  }

  test('accepts ids of 191 characters, however many bytes they have', async () => {
    const team = await service().anotherTeam();
    for (const id of ['a'.repeat(191), '🐉'.repeat(191)]) {
      assert.equal((await team.post('/users', { id, externalId: id })).body.id, id);
      assert.equal((await team.get(pathOf(id))).body.externalId, id);
    }
  });

  test('continues after the longest possible ids', async () => {
    const team = await service().anotherTeam();
    service().setClock(MOMENT);
    const [first, second] = [`${'🐉'.repeat(190)}a`, '🐉'.repeat(191)];
    await team.post('/users', { id: first });
    await team.post('/users', { id: second });
    const { body, headers } = await team.get('/users?limit=1');
    assert.equal(body[0].id, first);
    const link = next(headers.get('link'));
    assert.ok(link);
    const following = await team.get(link);
    assert.equal(following.status, 200, JSON.stringify(following.body));
    assert.deepEqual(
      following.body.map((user: { id: string }) => user.id),
      [second],
    );
  });

  test('finds nobody by an unknown external id', async () => {
    for (const externalId of ['nobody', '', '%00', 'steam%00', 'steam:76561197960287930%00']) {
      const { status, body } = await service().get(`/users?externalId=${externalId}`);
      assert.equal(status, 200);
      assert.deepEqual(body, []);
    }
  });

  for (const [form, remove] of [
    ['the query', (client: Client, id: string) => client.delete(`/users?id=${encodeURIComponent(id)}`)],
    ['the path', (client: Client, id: string) => client.delete(pathOf(id))],
  ] as const) {
    test(`deletes a user given by ${form}, with everything that is theirs, and nothing else`, async () => {
      const team = await service().anotherTeam();
      await team.post('/spaces', { id: 'bag', name: 'Bag', cols: 2, rows: 2 });
      await team.post('/items', { id: 'sword', name: 'Sword' });
      for (const id of ['leaver', 'stayer']) {
        await team.post(`/users/${id}/spaces`, { id: `bag-of-${id}`, spaceId: 'bag' });
        for (let n = 0; n < 2; n += 1)
          await team.post('/item-instances', { itemId: 'sword', userId: id, userSpaceId: `bag-of-${id}` });
        await team.post('/item-instances', { itemId: 'sword', userId: id });
        assert.equal((await team.post('/items/roll', { userId: id, userSpaceId: `bag-of-${id}` })).status, 200);
      }
      const before = {
        statistics: (await team.get('/roll-events/stats')).body,
        dropRates: (await team.get('/roll-events/drop-rates')).body,
        instances: (await team.get('/item-instances?userId=stayer')).body,
        places: (await team.get('/item-instance-spaces?teamUserSpaceId=bag-of-stayer')).body,
      };
      assert.equal(before.instances.length, 4);
      assert.equal(before.places.length, 3);
      assert.equal(before.statistics.totalRolls, 2);

      const answer = await remove(team, 'leaver');
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.body, {});

      assert.equal((await team.get('/users/leaver')).status, 404);
      assert.equal((await team.get('/users/leaver/spaces')).status, 404);
      assert.deepEqual(
        (await team.get('/users')).body.map((user: { id: string }) => user.id),
        ['stayer'],
      );
      assert.deepEqual((await team.get('/item-instances')).body, before.instances);
      assert.deepEqual((await team.get('/item-instance-spaces')).body, before.places);
      assert.deepEqual((await team.get('/spaces')).body[0].userSpaces, [{ id: 'bag-of-stayer', userId: 'stayer' }]);
      assert.deepEqual((await team.get('/roll-events/stats')).body, before.statistics);
      assert.deepEqual((await team.get('/roll-events/drop-rates')).body, before.dropRates);
      const rollers = await service().database.read('', ({ queries: reader }) =>
        reader
          .selectFrom('roll_events')
          .leftJoin('users', (join) =>
            join
              .onRef('users.team_id', '=', 'roll_events.team_id')
              .onRef('users.roller_id', '=', 'roll_events.roller_id'),
          )
          .select(['roll_events.roller_id', 'users.id'])
          .where('roll_events.team_id', '=', team.teamId)
          .execute(),
      );
      // The record uses other ids for users, and nothing links them to the deleted user any more.
      assert.deepEqual(rollers.map(({ id }) => id).sort(), ['stayer', null].sort());
      assert.doesNotMatch(JSON.stringify(rollers.map(({ roller_id }) => roller_id)), /leaver|stayer/);
      assert.equal((await remove(team, 'leaver')).status, 404);
      await assertInventoriesHold(service());
    });
  }

  test('creates a user without a body, with a generated id', async () => {
    for (const options of [{}, { raw: '' }]) {
      const { status, body } = await service().post('/users', undefined, options);
      assert.equal(status, 200);
      assert.equal((await service().get(`/users/${body.id}`)).body.externalId, null);
    }
  });

  describe('rejects', () => {
    test('an id that is taken', async () => {
      await service().post('/users', { id: 'taken' });
      const before = await inventoryState(service());
      const { status, body } = await service().post('/users', { id: 'taken', externalId: 'new' });
      assert.equal(status, 400);
      assert.deepEqual(body, {
        code: 'BAD_REQUEST',
        message: 'Invalid input data',
        issues: [{ path: '/body/id', message: 'is already in use' }],
      });
      assert.deepEqual(await inventoryState(service()), before);
    });

    test('an external id that another user of the team has with 409', async () => {
      await service().post('/users', { id: 'holder', externalId: 'held' });
      const { status, body, headers } = await service().post('/users', { id: 'other', externalId: 'held' });
      assert.equal(status, 409);
      assert.deepEqual(body, {
        code: 'CONFLICT',
        message: 'Conflict',
        issues: [{ path: '/body/externalId', message: 'already belongs to another user' }],
      });
      assert.equal(headers.get('x-should-retry'), 'false');
      assert.equal((await service().get('/users/other')).status, 404);
      const other = await service().anotherTeam();
      assert.equal((await other.post('/users', { id: 'holder', externalId: 'held' })).status, 200);
    });

    test('a taken id before a taken external id', async () => {
      await service().post('/users', { id: 'both', externalId: 'both' });
      assert.equal((await service().post('/users', { id: 'both', externalId: 'both' })).status, 400);
    });

    test('all invalid members at once, each with its path', async () => {
      const answer = await service().post('/users', { id: 7, externalId: ['x'], nickname: 'Bob', 'a/b': 1 });
      assert.equal(answer.status, 400);
      assert.deepEqual(issuePaths(answer).sort(), ['/body/a~1b', '/body/externalId', '/body/id', '/body/nickname']);
    });

    for (const [what, id] of [
      ['an empty id', ''],
      ['an id of 192 characters', 'a'.repeat(192)],
      ['an id with a NUL', 'a\0b'],
      ['an id with a line feed', 'a\nb'],
      ['an id with a tab', '\t'],
      ['an id with DEL', 'a\u007f'],
      ['an id with a C1 control character', '\u0085'],
      ['an id with half of a surrogate pair', 'a\ud83d'],
      ['an id that is null', null],
    ] as const) {
      test(what, async () => {
        const answer = await service().post('/users', { id });
        assert.equal(answer.status, 400);
        assert.deepEqual(issuePaths(answer), ['/body/id']);
        if (id === null) return;
        const external = await service().post('/users', { externalId: id });
        assert.equal(external.status, 400);
        assert.deepEqual(issuePaths(external), ['/body/externalId']);
      });
    }

    for (const raw of ['[]', 'null', '7', '"id"', '{', '{"id":"a"', '{"id":"a",}', '{"__proto__":{"id":"x"}}']) {
      test(`the body ${JSON.stringify(raw)}`, async () => {
        const { status, body } = await service().post('/users', undefined, { raw });
        assert.equal(status, 400);
        assert.equal(body.code, 'BAD_REQUEST');
        assert.equal(body.message, 'Invalid input data');
        assert.equal(body.issues.length, 1);
        assert.equal(body.issues[0].path, '/body');
      });
    }

    test('the deletion of an unknown user given by the query, whatever the id', async () => {
      await service().post('/users', { id: 'nul-1' });
      for (const id of ['nobody', 'nul-1%00', '%00', '%0A', '%F0%9F%90%89', 'a%2Fb', 'x'.repeat(191)])
        assert.equal((await service().delete(`/users?id=${id}`)).status, 404, id);
      assert.equal((await service().get('/users/nul-1')).status, 200);
    });

    test('ids of more than 191 characters in a query', async () => {
      const long = 'x'.repeat(192);
      for (const [answer, path] of [
        [await service().delete(`/users?id=${long}`), '/query/id'],
        [await service().get(`/users?externalId=${long}`), '/query/externalId'],
      ] as const) {
        assert.equal(answer.status, 400);
        assert.deepEqual(issuePaths(answer), [path]);
      }
    });

    test('a deletion without a user id', async () => {
      for (const path of ['/users', '/users?id=']) {
        const answer = await service().delete(path);
        assert.equal(answer.status, 400);
        assert.deepEqual(issuePaths(answer), ['/query/id']);
      }
    });

    test('invalid queries, all issues at once', async () => {
      const answer = await service().get('/users?limit=0&cursor=x&nickname=y&name=z');
      assert.equal(answer.status, 400);
      assert.deepEqual(issuePaths(answer).sort(), ['/query/limit', '/query/name', '/query/nickname']);
      assert.equal((await service().delete('/users?id=a&id=b')).status, 400);
    });
  });

  const create = (client: Client, id: string) => client.post('/users', { id });

  describe('list', () => keepsTheRulesOfLists(service, '/users', create));

  for (const [operation, call] of Object.entries<(client: Client, id: string) => Promise<ApiResponse>>({
    'GET /users/{userId}': (client, id) => client.get(`/users/${id}`),
    'GET /users/{userId}/spaces': (client, id) => client.get(`/users/${id}/spaces`),
    'DELETE /users/{userId}': (client, id) => client.delete(`/users/${id}`),
  }))
    keepsTheRulesOfRows(service, operation, call, create, 'userId');

  test('keeps cells, placements and grid rows consistent', () => assertInventoriesHold(service()));
});
