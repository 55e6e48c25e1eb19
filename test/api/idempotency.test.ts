import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { removeOldResponses } from '../../src/http/idempotency.ts';
import { LIMITS } from '../../src/shared/limits.ts';
import {
  type ApiResponse,
  type Client,
  issuePaths,
  onEveryQuietDatabase,
  type Service,
  startService,
} from '../harness.ts';
import { guardedRoutesOf } from '../routes.ts';

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

/** The next server seed of a player, whose commitment is then known. */
const SEED = '01'.repeat(32);

/** A request for every POST and PATCH that accepts a key, on a team prepared by `stock`. */
const REQUESTS: Record<string, { path: string; body?: object; isEffectless?: boolean }> = {
  'POST /attributes': { path: '/attributes', body: { name: 'Damage' } },
  'POST /classifiers': { path: '/classifiers', body: { name: 'Rarity', classifierOptions: [{ name: 'rare' }] } },
  'POST /items': { path: '/items', body: { name: 'Sword' } },
  'POST /items/roll': { path: '/items/roll' },
  'POST /templates': { path: '/templates', body: { name: 'Banner', config: {} } },
  'POST /templates/odds': { path: '/templates/odds', body: { config: {} }, isEffectless: true },
  'POST /templates/simulate': {
    path: '/templates/simulate',
    body: { templateId: 'banner', players: 20, rolls: 5, seed: 'seed-1' },
    isEffectless: true,
  },
  'POST /templates/test-rolls': {
    path: '/templates/test-rolls',
    body: { templateId: 'banner', count: 3 },
    isEffectless: true,
  },
  'POST /templates/:id/roll': { path: '/templates/banner/roll', body: { userId: 'ann', count: 3, grant: true } },
  'POST /templates/:id/spark': { path: '/templates/banner/spark', body: { userId: 'bob', itemId: 'sword' } },
  'POST /catalog/plan': { path: '/catalog/plan', body: { changes: [] }, isEffectless: true },
  'POST /catalog/publish': {
    path: '/catalog/publish',
    body: { changes: [{ kind: 'item', id: 'axe', after: { id: 'axe', name: 'Axe' } }], baseVersion: 5 },
  },
  'POST /catalog/drafts': { path: '/catalog/drafts', body: { name: 'Winter' } },
  'POST /catalog/drafts/:id/publish': { path: '/catalog/drafts/winter/publish' },
  'POST /users': { path: '/users', body: {} },
  'POST /users/:userId/templates/:id/counters': {
    path: '/users/bob/templates/banner/counters',
    body: { sparkPoints: 7 },
  },
  'POST /users/:userId/balances': { path: '/users/ann/balances', body: { itemId: 'gem', quantity: 5 } },
  'POST /users/:userId/consume': { path: '/users/ann/consume', body: { units: [{ itemId: 'gem', quantity: 5 }] } },
  'POST /users/:userId/grants': {
    path: '/users/ann/grants',
    body: { reference: 'order-2', give: [{ itemId: 'gem', quantity: 5 }] },
  },
  'POST /grants/:reference/revoke': { path: '/grants/order-1/revoke' },
  'POST /users/:userId/spaces': { path: '/users/ann/spaces', body: { spaceId: 'bag' } },
  'POST /spaces': { path: '/spaces', body: { name: 'Bag', cols: 3, rows: 3 } },
  'POST /item-instances': { path: '/item-instances', body: { itemId: 'sword', userId: 'ann' } },
  'POST /item-instances/:id/move': {
    path: '/item-instances/blade/move',
    body: { userId: 'ann', spaceId: 'bag', spacePositionX: 1, spacePositionY: 1 },
  },
  'PATCH /item-instances/:id': { path: '/item-instances/placed', body: { increment: { hits: 1 } } },
  'POST /item-instances/:id/take-out': { path: '/item-instances/placed/take-out', body: { userId: 'bob' } },
  'POST /item-instances/:id/restore': { path: '/item-instances/gone/restore' },
  'POST /item-instances/:id/transfer': { path: '/item-instances/blade/transfer', body: { toUserId: 'bob' } },
  'POST /item-instances/batch': {
    path: '/item-instances/batch',
    body: { operations: [{ type: 'create', itemId: 'sword', userId: 'ann' }] },
  },
  'POST /users/:userId/fairness': { path: '/users/bob/fairness' },
  'POST /users/:userId/fairness/rotate': {
    path: '/users/ann/fairness/rotate',
    body: {
      clientSeed: 'lucky',
      commitment: createHash('sha256').update(SEED, 'hex').digest('hex'),
      // Nothing is verifiable.
      manifest: createHash('sha256').update('{"templates":[],"v":2}').digest('hex'),
    },
  },
  'POST /users/:userId/spaces/:id/sort': { path: '/users/bob/spaces/bob-bag/sort' },
};

const stock = async (service: Service): Promise<Client> => {
  const team = await service.anotherTeam();
  const send = async (path: string, body: object) => {
    const answer = await team.post(path, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  };
  await send('/attributes', { id: 'damage', name: 'Damage' });
  await send('/items', { id: 'sword', name: 'Sword', itemAttributes: [{ attributeId: 'damage', min: 0, max: 100 }] });
  await send('/items', { id: 'gem', name: 'Gem', currency: true, rollNumerator: 0 });
  const config = { featuredItemIds: ['sword'], sparkCurrency: 1 };
  await send('/templates', { id: 'banner', name: 'Banner', config });
  await send('/templates/banner/roll', { userId: 'bob', count: 2 });
  await send('/spaces', { id: 'bag', name: 'Bag', cols: 3, rows: 3 });
  await send('/users/ann/spaces', { id: 'ann-bag', spaceId: 'bag' });
  await send('/item-instances', { id: 'blade', itemId: 'sword', userId: 'ann' });
  await send('/item-instances', { id: 'gone', itemId: 'sword', userId: 'ann' });
  assert.equal((await team.delete('/item-instances/gone')).status, 200);
  const changes = [{ kind: 'item', id: 'bow', after: { id: 'bow', name: 'Bow' } }];
  await send('/catalog/drafts', { id: 'winter', name: 'Winter', changes });
  await send('/users/bob/spaces', { id: 'bob-bag', spaceId: 'bag' });
  await send('/users/ann/fairness', {});
  await service.database.transaction(team.teamId, ({ queries }) =>
    queries.updateTable('player_seeds').set({ next_seed: SEED }).where('team_id', '=', team.teamId).execute(),
  );
  const corner = { userSpaceId: 'bob-bag', spacePositionX: 2, spacePositionY: 2 };
  await send('/item-instances', { id: 'placed', itemId: 'sword', userId: 'bob', ...corner });
  await send('/users/ann/balances', { itemId: 'gem', quantity: 100 });
  await send('/users/ann/grants', { reference: 'order-1', give: [{ itemId: 'gem', quantity: 5 }] });
  return team;
};

/** Written when a response is stored, or beside requests, whenever the service gets to it. */
const NOT_EFFECTS = ['event_feeds', 'noted_versions', 'snapshots', 'stored_answers', 'template_versions'];

/** Every other row of a team, so that any effect is noticed. */
const stateOf = (service: Service, { teamId }: Client): Promise<string> =>
  service.database.read('', async ({ queries: reader }) => {
    const tables = await reader.introspection.getTables();
    const found: string[] = [];
    for (const { name, columns } of tables) {
      if (NOT_EFFECTS.includes(name) || !columns.some((column) => column.name === 'team_id')) continue;
      const { rows } = await sql`select * from ${sql.table(name)} where team_id = ${teamId}`.execute(reader);
      // On PostgreSQL, events, in partitions, get their places after the commit.
      const lasting = /^events(_|$)/.test(name) ? rows.map((row) => ({ ...(row as object), position: null })) : rows;
      found.push(name, ...lasting.map((row) => JSON.stringify(row)).sort());
    }
    return found.join('\n');
  });

const textOf = async (service: Service, team: Client, path: string, key: string, body?: object, method = 'POST') => {
  const response = await fetch(`${service.address}${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${team.teamId}:${team.secret}`).toString('base64')}`,
      'idempotency-key': key,
      ...(path.endsWith('/counters') && { 'itemwright-reason': 'a test' }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return {
    status: response.status,
    text: await response.text(),
    replayed: response.headers.get('idempotency-replayed'),
    type: response.headers.get('content-type'),
  };
};

onEveryQuietDatabase('repeated requests', (service) => {
  test('have an example for every POST and PATCH', () => {
    const posts = guardedRoutesOf(service().app)
      .filter(({ method, url }) => /^(POST|PATCH)$/.test(method) && url !== '/secrets')
      .map(({ method, url }) => `${method} ${url}`);
    assert.deepEqual(posts.sort(), Object.keys(REQUESTS).sort());
  });

  for (const [operation, { path, body, isEffectless = false }] of Object.entries(REQUESTS)) {
    test(`have one effect and one response, byte for byte: ${operation}`, async () => {
      const [method] = operation.split(' ');
      const team = await stock(service());
      const key = randomUUID();
      const before = await stateOf(service(), team);
      const first = await textOf(service(), team, path, key, body, method);
      assert.equal(first.status, 200, first.text);
      assert.equal(first.replayed, null);
      const after = await stateOf(service(), team);
      assert.equal(after === before, isEffectless, 'the first has an effect');
      const second = await textOf(service(), team, path, key, body, method);
      assert.deepEqual(second, { ...first, replayed: 'true' });
      assert.equal(await stateOf(service(), team), after, 'the second has none');
    });
  }

  const storedOf = async ({ teamId }: Client, key: string): Promise<string> =>
    service().database.read(teamId, async ({ queries }) => {
      const found = queries.selectFrom('stored_answers').select('answer').where('team_id', '=', teamId);
      return (await found.where('key', '=', key).executeTakeFirstOrThrow()).answer;
    });

  test('compress long stored responses, and store short ones as they are', async () => {
    const team = await stock(service());
    const long = { path: '/templates/banner/roll', body: { userId: 'ann', count: 10, grant: true } };
    const first = await textOf(service(), team, long.path, 'long', long.body);
    assert.ok((await storedOf(team, 'long')).length < first.text.length / 3);
    assert.deepEqual(await textOf(service(), team, long.path, 'long', long.body), { ...first, replayed: 'true' });
    const short = await textOf(service(), team, '/items/roll', 'short');
    assert.equal(await storedOf(team, 'short'), short.text);
  });

  test('are rejected without an effect if the response would be too long to store', async () => {
    const team = await service().anotherTeam();
    const attributes = Array.from({ length: LIMITS.attributesPerItem }, (_, number) => ({
      id: `attribute-${number}-`.padEnd(LIMITS.idLength, 'x'),
      name: 'x'.repeat(LIMITS.nameLength),
    }));
    await Promise.all(attributes.map((attribute) => team.post('/attributes', attribute)));
    const itemAttributes = attributes.map(({ id }) => ({ attributeId: id, min: 0, max: 100 }));
    assert.equal((await team.post('/items', { id: 'sword', name: 'Sword', itemAttributes })).status, 200);
    await team.post('/templates', { id: 'banner', name: 'Banner', config: {} });
    const before = await stateOf(service(), team);
    const body = { userId: 'ann', count: LIMITS.rollsPerCall, grant: true };
    const rejected = await team.post('/templates/banner/roll', body, keyed('long'));
    assert.deepEqual([rejected.status, issuePaths(rejected)], [400, ['/headers/idempotency-key']]);
    assert.equal(await stateOf(service(), team), before);
    const fewer = await team.post('/templates/banner/roll', { ...body, count: 1 }, keyed('long'));
    assert.equal(fewer.status, 200, 'the key may be used again');
  });

  test('have one effect and one response when a hundred arrive at once', async () => {
    const team = await stock(service());
    const key = randomUUID();
    const { path, body } = { path: '/templates/banner/roll', body: { userId: 'cy', grant: true } };
    const responses = await Promise.all(Array.from({ length: 100 }, () => textOf(service(), team, path, key, body)));
    assert.ok(responses.every(({ status }) => status === 200));
    assert.equal(new Set(responses.map(({ text }) => text)).size, 1);
    assert.equal(responses.filter(({ replayed }) => replayed === null).length, 1);
    assert.equal((await team.get('/item-instances?userId=cy')).body.length, 1);
    assert.equal((await team.get('/users/cy/templates/banner')).body.rolls, 1);
  });

  test('are recognized on another node and after a restart', async () => {
    const team = await stock(service());
    const { path, body } = { path: '/item-instances', body: { itemId: 'sword', userId: 'ann' } };
    let other = await startService(service().databaseUrl);
    try {
      const [first, second] = await Promise.all([
        textOf(service(), team, path, 'shared', body),
        textOf(other, team, path, 'shared', body),
      ]);
      assert.equal(first.text, second.text);
      const third = await textOf(other, team, path, 'shared', body);
      assert.deepEqual([third.text, third.replayed], [first.text, 'true']);
      await other.stop();
      other = await startService(service().databaseUrl);
      const fourth = await textOf(other, team, path, 'shared', body);
      assert.deepEqual([fourth.text, fourth.replayed], [first.text, 'true']);
    } finally {
      await other.stop();
    }
  });

  test('keep keys of different teams apart', async () => {
    const [one, other] = [await stock(service()), await stock(service())];
    const first = await one.post('/attributes', { name: 'Damage' }, keyed('same'));
    const second = await other.post('/attributes', { name: 'Damage' }, keyed('same'));
    assert.notEqual(first.body.id, second.body.id);
    assert.equal(second.headers.get('idempotency-replayed'), null);
  });

  test('store no errors, so that the same key may succeed later', async () => {
    const team = await stock(service());
    const roll = (): Promise<ApiResponse> =>
      team.post('/templates/banner/spark', { userId: 'dee', itemId: 'sword' }, keyed('spark-1'));
    assert.equal((await roll()).status, 409);
    await team.post('/templates/banner/roll', { userId: 'dee' });
    const done = await roll();
    assert.equal(done.status, 200);
    assert.equal(done.headers.get('idempotency-replayed'), null);
    assert.equal((await roll()).headers.get('idempotency-replayed'), 'true');
  });

  test('are kept for 24 hours, and then removed', async () => {
    const team = await stock(service());
    for (const key of ['a', 'b', 'c']) await team.post('/users', {}, keyed(key));
    const replayed = async (key: string) =>
      (await team.post('/users', {}, keyed(key))).headers.get('idempotency-replayed');
    const removeAt = (nowMs: number) =>
      removeOldResponses(
        service().database,
        () => nowMs,
        () => true,
      );
    const HOUR_MS = 3_600_000;
    await removeAt(Date.now() + 24 * HOUR_MS);
    for (const key of ['a', 'b', 'c']) assert.equal(await replayed(key), 'true', 'it is gone too early');
    assert.ok((await removeAt(Date.now() + 26 * HOUR_MS)) >= 3);
    for (const key of ['a', 'b', 'c']) assert.equal(await replayed(key), null);
  });

  describe('reject', () => {
    test('the same key with a different request', async () => {
      const team = await stock(service());
      await team.post('/attributes', { name: 'Damage' }, keyed('once'));
      for (const [path, body] of [
        ['/attributes', { name: 'Armour' }],
        ['/spaces', { name: 'Damage', cols: 1, rows: 1 }],
      ] as const) {
        const answer = await team.post(path, body, keyed('once'));
        assert.equal(answer.status, 400);
        assert.deepEqual(issuePaths(answer), ['/headers/idempotency-key']);
      }
      assert.equal((await team.get('/attributes')).body.length, 2);
    });

    test('a key that is too long or empty', async () => {
      for (const key of ['', 'k'.repeat(192)]) {
        const answer = await service().post('/attributes', { name: 'Damage' }, keyed(key));
        assert.deepEqual([answer.status, issuePaths(answer)], [400, ['/headers/idempotency-key']]);
      }
      assert.equal((await service().post('/attributes', { name: 'Damage' }, keyed('k'.repeat(191)))).status, 200);
    });

    test('a key for a secret, which must not be stored', async () => {
      const answer = await service().post('/secrets', { name: 'x', role: 'read' }, keyed('secret'));
      assert.deepEqual([answer.status, issuePaths(answer)], [400, ['/headers/idempotency-key']]);
    });
  });
});
