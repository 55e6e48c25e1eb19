import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { TABLES } from '../../src/database/tables.ts';
import { logAll, lookAtAll } from '../chores.ts';
import { type Client, onEveryQuietDatabase, type Service } from '../harness.ts';
import { guardedRoutesOf } from '../routes.ts';

/** What team A has, under ids that start with `a-` or are listed here. */
interface Stocked {
  readonly client: Client;
  readonly prefix: string;
  readonly optionId: string;
  readonly itemAttributeId: string;
  readonly secretId: string;
}

/** Creates one of everything in a new team, under ids that start with the prefix. */
const stock = async (service: Service, prefix: string): Promise<Stocked> => {
  const client = await service.anotherTeam();
  const send = async (path: string, body: object) => {
    const answer = await client.post(path, body);
    assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  await send('/attributes', { id: `${prefix}-attribute`, name: 'Attribute' });
  const classifier = await send('/classifiers', {
    id: `${prefix}-classifier`,
    name: 'Classifier',
    classifierOptions: [{ name: `${prefix} option` }],
  });
  const optionId = classifier.classifierOptions[0].id;
  const item = await send('/items', {
    id: `${prefix}-item`,
    name: 'Item',
    classifierOptionIds: [optionId],
    itemAttributes: [{ attributeId: `${prefix}-attribute`, min: 1, max: 2 }],
  });
  await send('/templates', {
    id: `${prefix}-template`,
    name: 'Template',
    config: { baseRates: { [optionId]: 1 }, featuredItemIds: [`${prefix}-item`], sparkCurrency: 1 },
  });
  await send('/templates', { id: `${prefix}-fair`, name: 'Fair', config: {}, verifiable: true });
  const user = { id: `${prefix}-user`, externalId: `${prefix}-external` };
  assert.equal((await client.post('/users', user, { headers: { 'idempotency-key': `${prefix}-key` } })).status, 200);
  await send('/spaces', { id: `${prefix}-space`, name: 'Space', cols: 4, rows: 4 });
  await send(`/users/${prefix}-user/spaces`, { id: `${prefix}-user-space`, spaceId: `${prefix}-space` });
  await send('/item-instances', {
    id: `${prefix}-instance`,
    itemId: `${prefix}-item`,
    userId: `${prefix}-user`,
    userSpaceId: `${prefix}-user-space`,
  });
  await send('/item-instances', { id: `${prefix}-deleted`, itemId: `${prefix}-item`, userId: `${prefix}-user` });
  assert.equal((await client.delete(`/item-instances/${prefix}-deleted`)).status, 200);
  await send('/items/roll', { userId: `${prefix}-user` });
  const fairness = `/users/${prefix}-user/fairness`;
  const { nextCommitment: commitment, nextManifest: manifest } = await send(fairness, {});
  await send(`${fairness}/rotate`, { clientSeed: prefix, commitment, manifest });
  await send('/catalog/drafts', { id: `${prefix}-draft`, name: 'Draft' });
  await send(`/templates/${prefix}-template/roll`, { userId: `${prefix}-user` });
  const counters = `/users/${prefix}-user/templates/${prefix}-template/counters`;
  const because = { headers: { 'itemwright-reason': 'a test' } };
  assert.equal((await client.post(counters, { sparkPoints: 3 }, because)).status, 200);
  await send('/items', { id: `${prefix}-gem`, name: 'Gem', currency: true, rollNumerator: 0 });
  const units = { itemId: `${prefix}-gem`, quantity: 9, unitPrice: '0.5', money: 'EUR' };
  await send(`/users/${prefix}-user/balances`, units);
  await send(`/users/${prefix}-user/grants`, { reference: `${prefix}-secret-order`, give: [units] });
  const secret = await send('/secrets', { name: 'Secret', role: 'read' });
  return { client, prefix, optionId, itemAttributeId: item.attributes[0].id, secretId: secret.id };
};

/** The expected response: not found, an invalid reference, an empty list, or something of the caller's own team. */
type Expected = 'not found' | 'invalid' | 'forbidden' | 'empty' | 'own';

interface Attempt {
  readonly path: string;
  readonly body?: object;
  readonly expected: Expected;
}

const attempt = (expected: Expected, path: string, body?: object): Attempt => ({ path, body, expected });

/** Of nothing. */
const HASH = '0'.repeat(64);

/** What team B tries on team A, for every operation. */
const ATTEMPTS: Record<string, (a: Stocked, b: Stocked) => Attempt[]> = {
  'POST /attributes': () => [attempt('own', '/attributes', { id: 'a-attribute', name: 'B' })],
  'GET /catalog': () => [attempt('own', '/catalog'), attempt('not found', '/catalog?version=1000')],
  'GET /catalog/versions': () => [
    attempt('empty', '/catalog/versions?id=a-item'),
    attempt('empty', '/catalog/versions?kind=item&id=a-item'),
    attempt('own', '/catalog/versions'),
  ],
  'GET /catalog/versions/:version': () => [
    attempt('own', '/catalog/versions/1'),
    attempt('not found', '/catalog/versions/1000'),
  ],
  'GET /catalog/drafts': () => [attempt('own', '/catalog/drafts')],
  'POST /catalog/drafts': () => [attempt('own', '/catalog/drafts', { id: 'a-draft', name: 'B' })],
  'GET /catalog/drafts/:id': () => [attempt('not found', '/catalog/drafts/a-draft')],
  'PUT /catalog/drafts/:id': () => [attempt('not found', '/catalog/drafts/a-draft', { name: 'B' })],
  'DELETE /catalog/drafts/:id': () => [attempt('not found', '/catalog/drafts/a-draft')],
  'POST /catalog/drafts/:id/publish': () => [attempt('not found', '/catalog/drafts/a-draft/publish')],
  'POST /catalog/plan': () => [
    attempt('own', '/catalog/plan', { changes: [{ kind: 'item', id: 'a-item', after: null }] }),
    attempt('not found', '/catalog/plan', { rollbackTo: 1000 }),
  ],
  'POST /catalog/publish': () => [attempt('not found', '/catalog/publish', { undo: 1000, baseVersion: 7 })],
  'GET /attributes': () => [attempt('empty', '/attributes?id=a-attribute'), attempt('own', '/attributes')],
  'PUT /attributes/:id': (a) => [
    attempt('not found', '/attributes/a-attribute', { name: 'B' }),
    attempt('forbidden', '/attributes/a-attribute', { teamId: a.client.teamId }),
    attempt('forbidden', '/attributes/b-attribute', { teamId: a.client.teamId }),
  ],
  'GET /attributes/:id': () => [attempt('not found', '/attributes/a-attribute')],
  'DELETE /attributes/:id': () => [attempt('not found', '/attributes/a-attribute')],
  'POST /classifiers': () => [
    attempt('own', '/classifiers', { id: 'a-classifier', name: 'B', classifierOptions: [{ name: 'B' }] }),
  ],
  'GET /classifiers': () => [attempt('own', '/classifiers')],
  'GET /classifiers/:id': () => [attempt('not found', '/classifiers/a-classifier')],
  'PUT /classifiers/:id': (a) => [
    attempt('not found', '/classifiers/a-classifier', { name: 'B' }),
    attempt('not found', '/classifiers/a-classifier', { classifierOptions: [{ id: a.optionId, name: 'B' }] }),
    attempt('invalid', '/classifiers/b-classifier', { classifierOptions: [{ id: a.optionId, name: 'B' }] }),
  ],
  'DELETE /classifiers/:id': () => [attempt('not found', '/classifiers/a-classifier')],
  'POST /items': (a) => [
    attempt('own', '/items', { id: 'a-item', name: 'B' }),
    attempt('invalid', '/items', { name: 'B', classifierOptionIds: [a.optionId] }),
    attempt('invalid', '/items', { name: 'B', itemAttributes: [{ attributeId: 'a-attribute', min: 1, max: 2 }] }),
  ],
  'GET /items': () => [attempt('own', '/items')],
  'GET /items/:id': () => [attempt('not found', '/items/a-item')],
  'PUT /items/:id': (a) => [
    attempt('not found', '/items/a-item', { name: 'B' }),
    attempt('invalid', '/items/b-item', { classifierOptionIds: [a.optionId] }),
    attempt('invalid', '/items/b-item', { itemAttributes: [{ attributeId: 'a-attribute', min: 1, max: 2 }] }),
  ],
  'DELETE /items/:id': () => [attempt('not found', '/items/a-item')],
  'POST /items/roll': (a) => [
    attempt('own', '/items/roll'),
    attempt('own', '/items/roll', { userId: 'a-user' }),
    attempt('invalid', '/items/roll', { classifierOptionIds: [a.optionId] }),
    attempt('invalid', '/items/roll', { userId: 'a-user', userSpaceId: 'a-user-space' }),
    attempt('invalid', '/items/roll', { userId: 'b-user', userSpaceId: 'a-user-space' }),
  ],
  'POST /templates': (a, b) => [
    attempt('own', '/templates', { id: 'a-template', name: 'B', config: {} }),
    attempt('invalid', '/templates', { name: 'B', config: { baseRates: { [a.optionId]: 1 } } }),
    attempt('invalid', '/templates', { name: 'B', config: { baseRates: { 'a option': 1 } } }),
    attempt('invalid', '/templates', { name: 'B', config: { featuredItemIds: ['a-item'] } }),
    attempt('invalid', '/templates', { name: 'B', config: { pool: { itemIds: ['a-item'] } } }),
    attempt('invalid', '/templates', {
      name: 'B',
      config: { baseRates: { [b.optionId]: 1 }, pool: { classifierOptionIds: [a.optionId] } },
    }),
  ],
  'GET /templates': () => [attempt('own', '/templates')],
  'GET /templates/type/:type': () => [attempt('own', '/templates/type/gacha')],
  'GET /templates/:id': () => [attempt('not found', '/templates/a-template')],
  'PUT /templates/:id': (a) => [
    attempt('not found', '/templates/a-template', { name: 'B' }),
    attempt('invalid', '/templates/b-template', { config: { baseRates: { [a.optionId]: 1 } } }),
    attempt('invalid', '/templates/b-template', { config: { featuredItemIds: ['a-item'] } }),
  ],
  'DELETE /templates/:id': () => [attempt('not found', '/templates/a-template')],
  'POST /templates/:id/roll': () => [
    attempt('not found', '/templates/a-template/roll', {}),
    attempt('not found', '/templates/a-template/roll', { userId: 'a-user' }),
    attempt('own', '/templates/b-template/roll', { userId: 'a-user', grant: true }),
    attempt('invalid', '/templates/b-template/roll', { userId: 'a-user', userSpaceId: 'a-user-space' }),
    attempt('invalid', '/templates/b-template/roll', { userId: 'b-user', userSpaceId: 'a-user-space' }),
  ],
  'POST /templates/:id/spark': () => [
    attempt('not found', '/templates/a-template/spark', { userId: 'a-user', itemId: 'a-item' }),
    attempt('invalid', '/templates/b-template/spark', { userId: 'b-user', itemId: 'a-item' }),
    attempt('invalid', '/templates/b-template/spark', {
      userId: 'b-user',
      itemId: 'b-item',
      userSpaceId: 'a-user-space',
    }),
  ],
  'POST /templates/odds': (a) => [
    attempt('invalid', '/templates/odds', { config: { baseRates: { [a.optionId]: 1 } } }),
    attempt('invalid', '/templates/odds', { config: { featuredItemIds: ['a-item'] } }),
  ],
  'POST /templates/test-rolls': (a) => [
    attempt('invalid', '/templates/test-rolls', { templateId: 'a-template' }),
    attempt('invalid', '/templates/test-rolls', { config: { baseRates: { [a.optionId]: 1 } } }),
  ],
  'POST /templates/simulate': (a) => [
    attempt('invalid', '/templates/simulate', { templateId: 'a-template', players: 1, rolls: 1, seed: 's' }),
    attempt('invalid', '/templates/simulate', { config: {}, itemIds: ['a-item'], players: 1, rolls: 1, seed: 's' }),
    attempt('invalid', '/templates/simulate', {
      ...{ config: { baseRates: { [a.optionId]: 1 } }, players: 1, rolls: 1, seed: 's' },
    }),
  ],
  'GET /templates/:id/odds': () => [attempt('not found', '/templates/a-template/odds')],
  'GET /templates/:id/odds/history': () => [attempt('not found', '/templates/a-template/odds/history')],
  'GET /users/:userId/templates/:id': () => [
    attempt('not found', '/users/a-user/templates/a-template'),
    attempt('not found', '/users/a-user/templates/b-template'),
    attempt('not found', '/users/b-user/templates/a-template'),
  ],
  'GET /users/:userId/templates/:id/wait': () => [
    attempt('not found', '/users/a-user/templates/b-template/wait'),
    attempt('not found', '/users/b-user/templates/a-template/wait'),
  ],
  'POST /users/:userId/templates/:id/counters': () => [
    attempt('not found', '/users/a-user/templates/b-template/counters', { sparkPoints: 1 }),
    attempt('not found', '/users/b-user/templates/a-template/counters', { sparkPoints: 1 }),
  ],
  'GET /users/:userId/counter-changes': () => [attempt('not found', '/users/a-user/counter-changes')],
  'GET /users/:userId/deleted-item-instances': () => [attempt('not found', '/users/a-user/deleted-item-instances')],
  'GET /users/:userId/balances': () => [attempt('not found', '/users/a-user/balances')],
  'POST /users/:userId/balances': () => [
    attempt('invalid', '/users/b-user/balances', { itemId: 'a-gem', quantity: 1 }),
    attempt('own', '/users/a-user/balances', { itemId: 'b-gem', quantity: 1 }),
  ],
  'POST /users/:userId/consume': () => [
    attempt('invalid', '/users/b-user/consume', { units: [{ itemId: 'a-gem', quantity: 1 }] }),
  ],
  'GET /users/:userId/balances/:itemId/history': () => [
    attempt('not found', '/users/a-user/balances/a-gem/history'),
    attempt('empty', '/users/b-user/balances/a-gem/history'),
  ],
  'POST /users/:userId/grants': () => [
    attempt('invalid', '/users/b-user/grants', { reference: 'b', give: [{ itemId: 'a-gem', quantity: 1 }] }),
    attempt('own', '/users/a-user/grants', { reference: 'a-order', give: [{ itemId: 'b-gem', quantity: 1 }] }),
  ],
  'GET /grants/:reference': () => [attempt('not found', '/grants/a-secret-order')],
  'POST /grants/:reference/revoke': () => [attempt('not found', '/grants/a-secret-order/revoke')],
  'GET /balances/report': () => [attempt('invalid', '/balances/report?itemId=a-gem')],
  'GET /users/:userId/export': () => [attempt('not found', '/users/a-user/export')],
  'GET /items/odds': () => [attempt('own', '/items/odds')],
  'POST /users': () => [attempt('own', '/users', { id: 'a-user', externalId: 'a-external' })],
  'GET /users': () => [
    attempt('empty', '/users?prefix=a-'),
    attempt('empty', '/users?externalId=a-external'),
    attempt('own', '/users'),
  ],
  'DELETE /users': () => [attempt('not found', '/users?id=a-user')],
  'GET /users/:userId': () => [attempt('not found', '/users/a-user')],
  'DELETE /users/:userId': () => [attempt('not found', '/users/a-user')],
  'POST /users/:userId/spaces': () => [
    attempt('invalid', '/users/a-user/spaces', { spaceId: 'a-space' }),
    attempt('invalid', '/users/b-user/spaces', { spaceId: 'a-space' }),
    attempt('own', '/users/a-user/spaces', { id: 'a-user-space', spaceId: 'b-space' }),
  ],
  'GET /users/:userId/spaces': () => [attempt('not found', '/users/a-user/spaces')],
  'DELETE /users/:userId/spaces/:id': () => [
    attempt('not found', '/users/a-user/spaces/a-user-space'),
    attempt('not found', '/users/b-user/spaces/a-user-space'),
  ],
  'POST /spaces': () => [attempt('own', '/spaces', { id: 'a-space', name: 'B', cols: 1, rows: 1 })],
  'GET /spaces': () => [attempt('empty', '/spaces?userId=a-user'), attempt('own', '/spaces')],
  'GET /spaces/:id': () => [attempt('not found', '/spaces/a-space')],
  'GET /spaces/:id/user-spaces': () => [attempt('not found', '/spaces/a-space/user-spaces')],
  'PUT /spaces/:id': () => [attempt('not found', '/spaces/a-space', { name: 'B' })],
  'DELETE /spaces/:id': () => [attempt('not found', '/spaces/a-space')],
  'POST /item-instances': (a) => [
    attempt('own', '/item-instances', { id: 'a-instance', itemId: 'b-item', userId: 'a-user' }),
    attempt('invalid', '/item-instances', { itemId: 'a-item', userId: 'b-user' }),
    attempt('invalid', '/item-instances', { itemId: 'b-item', userId: 'a-user', userSpaceId: 'a-user-space' }),
    attempt('invalid', '/item-instances', { itemId: 'b-item', userId: 'b-user', userSpaceId: 'a-user-space' }),
    attempt('invalid', '/item-instances', {
      itemId: 'b-item',
      userId: 'b-user',
      itemAttributeInstances: [{ itemAttributeId: a.itemAttributeId, value: 1 }],
    }),
  ],
  'GET /item-instances': (a) => [
    attempt('empty', '/item-instances?userId=a-user'),
    attempt('empty', '/item-instances?userSpaceId=a-user-space'),
    attempt('empty', '/item-instances?itemId=a-item'),
    attempt('empty', `/item-instances?classifierOptionIds=${a.optionId}`),
    attempt('empty', '/item-instances?instanceIds=a-instance'),
    attempt('own', '/item-instances'),
  ],
  'GET /item-instances/:id': () => [attempt('not found', '/item-instances/a-instance')],
  'DELETE /item-instances/:id': () => [attempt('not found', '/item-instances/a-instance')],
  'POST /item-instances/:id/move': () => [
    attempt('not found', '/item-instances/a-instance/move', { userId: 'a-user', spacePositionX: 1, spacePositionY: 1 }),
    attempt('not found', '/item-instances/b-instance/move', { userId: 'a-user', spacePositionX: 1, spacePositionY: 1 }),
    attempt('invalid', '/item-instances/b-instance/move', {
      userId: 'b-user',
      spacePositionX: 1,
      spacePositionY: 1,
      userSpaceId: 'a-user-space',
    }),
    attempt('invalid', '/item-instances/b-instance/move', {
      userId: 'b-user',
      spacePositionX: 1,
      spacePositionY: 1,
      spaceId: 'a-space',
    }),
  ],
  'PATCH /item-instances/:id': () => [
    attempt('not found', '/item-instances/a-instance', { locked: true }),
    attempt('not found', '/item-instances/b-instance', { userId: 'a-user', increment: { hits: 1 } }),
  ],
  'POST /item-instances/:id/take-out': () => [
    attempt('not found', '/item-instances/a-instance/take-out', { userId: 'a-user' }),
    attempt('not found', '/item-instances/b-instance/take-out', { userId: 'a-user' }),
  ],
  'POST /item-instances/:id/restore': () => [
    attempt('not found', '/item-instances/a-deleted/restore'),
    attempt('not found', '/item-instances/a-instance/restore'),
  ],
  'POST /item-instances/:id/transfer': () => [
    attempt('not found', '/item-instances/a-instance/transfer', { toUserId: 'b-user' }),
    attempt('not found', '/item-instances/a-instance/transfer', { userId: 'a-user', toUserId: 'a-user' }),
    attempt('invalid', '/item-instances/b-instance/transfer', { toUserId: 'a-user' }),
    attempt('invalid', '/item-instances/b-instance/transfer', { toUserId: 'a-user', toUserSpaceId: 'a-user-space' }),
  ],
  'POST /item-instances/batch': () => [
    ...[
      { type: 'delete', id: 'a-instance' },
      { type: 'move', id: 'a-instance', userId: 'a-user', spacePositionX: 1, spacePositionY: 1 },
      { type: 'transfer', id: 'a-instance', toUserId: 'b-user' },
      { type: 'transfer', id: 'b-instance', toUserId: 'a-user' },
      { type: 'create', itemId: 'a-item', userId: 'b-user' },
      { type: 'create', itemId: 'b-item', userId: 'b-user', userSpaceId: 'a-user-space' },
    ].map((operation) => attempt('invalid', '/item-instances/batch', { operations: [operation] })),
    attempt('own', '/item-instances/batch', {
      operations: [{ type: 'create', id: 'a-instance', itemId: 'b-item', userId: 'b-user' }],
    }),
  ],
  'GET /item-instances/:id/history': () => [attempt('not found', '/item-instances/a-instance/history')],
  'GET /users/:userId/spaces/:id': () => [
    attempt('not found', '/users/a-user/spaces/a-user-space'),
    attempt('not found', '/users/b-user/spaces/a-user-space'),
  ],
  'POST /users/:userId/spaces/:id/sort': () => [
    attempt('not found', '/users/a-user/spaces/a-user-space/sort'),
    attempt('not found', '/users/b-user/spaces/a-user-space/sort'),
  ],
  'GET /item-instance-spaces': () => [
    attempt('empty', '/item-instance-spaces?teamUserSpaceId=a-user-space'),
    attempt('own', '/item-instance-spaces'),
  ],
  'GET /roll-events': () => [
    attempt('own', '/roll-events'),
    attempt('empty', '/roll-events?userId=a-user'),
    attempt('empty', '/roll-events?templateId=a-template'),
  ],
  'GET /users/:userId/rolls': () => [attempt('not found', '/users/a-user/rolls')],
  'GET /roll-events/stats': () => [
    attempt('own', '/roll-events/stats'),
    attempt('own', '/roll-events/stats?templateId=a-template'),
  ],
  'GET /roll-events/drop-rates': () => [
    attempt('own', '/roll-events/drop-rates'),
    attempt('empty', '/roll-events/drop-rates?templateId=a-template'),
  ],
  'GET /users/:userId/fairness': () => [attempt('not found', '/users/a-user/fairness')],
  'POST /users/:userId/fairness': () => [attempt('own', '/users/a-user/fairness')],
  'POST /users/:userId/fairness/rotate': () => [
    attempt('not found', '/users/a-user/fairness/rotate', { clientSeed: 'b', commitment: HASH, manifest: HASH }),
  ],
  'GET /users/:userId/receipts': () => [attempt('not found', '/users/a-user/receipts')],
  'GET /users/:userId/proof': () => [attempt('not found', '/users/a-user/proof')],
  'GET /roll-events/evidence': () => [
    attempt('own', '/roll-events/evidence'),
    attempt('empty', '/roll-events/evidence?templateId=a-template'),
  ],
  'GET /team': () => [attempt('own', '/team')],
  'GET /events': () => [attempt('own', '/events'), attempt('own', '/events?userId=a-user')],
  'GET /team/events': () => [attempt('own', '/team/events')],
  'PUT /team/events': () => [attempt('own', '/team/events', { types: [] })],
  'PUT /team': () => [attempt('own', '/team', {})],
  'POST /secrets': () => [attempt('own', '/secrets', { name: 'B', role: 'read' })],
  'GET /secrets': () => [attempt('own', '/secrets')],
  'DELETE /secrets/:id': (a) => [attempt('not found', `/secrets/${a.secretId}`)],
};

const STATUSES: Record<Expected, number> = { 'not found': 404, invalid: 400, forbidden: 403, empty: 200, own: 200 };

/** The tables that have a team column. */
const teamTablesOf = async ({ database }: Service): Promise<string[]> => {
  const tables = await database.read('', ({ queries: reader }) => reader.introspection.getTables());
  // Of a partitioned table, the parent is enough.
  const ours = tables.filter(({ name }) => (TABLES as readonly string[]).includes(name));
  return ours.flatMap(({ name, columns }) => (columns.some((column) => column.name === 'team_id') ? [name] : []));
};

/** Every row of a team in these tables. */
const rowsOf = ({ database }: Service, tables: readonly string[], teamId: string): Promise<Record<string, string[]>> =>
  database.read('', async ({ queries: reader }) => {
    const rows: Record<string, string[]> = {};
    for (const name of tables) {
      const found = await sql`select * from ${sql.table(name)} where team_id = ${teamId}`.execute(reader);
      rows[name] = found.rows.map((row) => JSON.stringify(row)).sort();
    }
    return rows;
  });

onEveryQuietDatabase('teams', (service, engine) => {
  let a: Stocked;
  let unchanging: Stocked;
  let tables: string[];
  before(async () => {
    tables = await teamTablesOf(service());
    a = await stock(service(), 'a');
    await lookAtAll(service());
    await logAll(service());
    unchanging = await stock(service(), 'b');
  });

  test('have an attempt for every route of the service', () => {
    const routes = guardedRoutesOf(service().app)
      .filter(({ method }) => method !== 'HEAD')
      .map(({ method, url }) => `${method} ${url}`);
    assert.deepEqual(routes.sort(), Object.keys(ATTEMPTS).sort());
  });

  test('have rows in every table except those of deleted and pending things', async () => {
    const rows = await rowsOf(service(), tables, a.client.teamId);
    const empty = Object.keys(rows).filter((table) => rows[table]?.length === 0);
    const expected = ['deleted_items', 'evidence_due', 'evidence_frozen', 'roll_pending'];
    assert.deepEqual(empty, expected);
  });

  for (const [operation, attempts] of Object.entries(ATTEMPTS)) {
    test(`cannot reach each other through ${operation}`, async () => {
      const [method = ''] = operation.split(' ');
      const b = method === 'POST' ? await stock(service(), 'b') : unchanging;
      const rows = await rowsOf(service(), tables, a.client.teamId);
      for (const { path, body, expected } of attempts(a, b)) {
        const answer = await b.client.request(method, path, body);
        const what = `${method} ${path} ${JSON.stringify(body)}: ${answer.status} ${JSON.stringify(answer.body)}`;
        assert.equal(answer.status, STATUSES[expected], what);
        if (expected === 'empty') assert.deepEqual(answer.body, [], what);
        if (expected === 'not found')
          assert.deepEqual(answer.body, { code: 'NOT_FOUND', message: 'Not found', issues: [] }, what);
        const text = JSON.stringify(answer.body);
        const asked = path + JSON.stringify(body);
        for (const known of [a.client.teamId, a.optionId, a.itemAttributeId, a.secretId])
          assert.ok(asked.includes(known) || !text.includes(known), `${what} reveals ${known}`);
        if (method === 'GET') assert.ok(!text.includes('"a-'), `${what} reveals team A`);
      }
      assert.deepEqual(await rowsOf(service(), tables, a.client.teamId), rows, 'team A has what it had');
    });
  }

  test('count only their own rolls', async () => {
    const b = await stock(service(), 'b');
    assert.equal((await b.client.get('/roll-events/stats')).body.totalRolls, 2);
    assert.equal((await a.client.get('/roll-events/stats')).body.totalRolls, 2);
    assert.deepEqual(
      (await b.client.get('/roll-events/drop-rates')).body.map(({ itemId }: { itemId: string }) => itemId),
      ['b-item'],
    );
  });

  describe('in the database itself', { concurrency: true }, () => {
    /** The columns that refer to a row of the same team. */
    const REFERENCES: Record<string, readonly string[]> = {
      classifier_options: ['classifier_id'],
      item_classifiers: ['item_id', 'classifier_option_id'],
      item_attributes: ['item_id', 'attribute_id'],
      template_options: ['template_id', 'classifier_option_id'],
      template_items: ['template_id', 'item_id'],
      user_spaces: ['user_id', 'space_id'],
      user_states: ['user_id', 'template_id'],
      // On PostgreSQL, item_id is protected by the lock that deleting an item takes.
      item_instances: engine === 'sqlite' ? ['item_id', 'user_id'] : ['user_id'],
      item_instance_spaces: ['item_instance_id', 'user_space_id'],
      user_space_rows: ['user_space_id'],
    };

    const isForeignKeyFault = (error: unknown): boolean => {
      // Another command could have caused the error, so the transaction was retried before it failed.
      const { code, message } = (error as Error).cause as { code?: string; message: string };
      return code === '23503' || /FOREIGN KEY constraint failed/.test(message);
    };

    test('include every table that refers to another', async () => {
      const tables = await service().database.read('', ({ queries: reader }) => reader.introspection.getTables());
      const referring = tables.filter(
        ({ name, columns }) =>
          !name.startsWith('roll_') &&
          columns.some((column) => column.name === 'team_id') &&
          columns.some((column) => column.name.endsWith('_id') && column.name !== 'team_id'),
      );
      // User ids come from elsewhere; histories refer to things that may be deleted, so they have no foreign keys.
      const free = [
        ...['users', 'item_instance_history', 'catalog_versions', 'catalog_drafts'],
        ...['template_versions', 'evidence_due', 'evidence_streams', 'evidence_frozen'],
        ...['player_seeds', 'player_receipts', 'counter_changes', 'balances', 'balance_entries', 'grants'],
        'event_feeds',
      ];
      assert.deepEqual(referring.map(({ name }) => name).sort(), [...Object.keys(REFERENCES), ...free].sort());
    });

    for (const [table, columns] of Object.entries(REFERENCES)) {
      test(`reject a row of ${table} that refers to another team`, async () => {
        const b = unchanging;
        const select = (teamId: string) =>
          service().database.read('', async ({ queries: reader }) => {
            const found = await sql<
              Record<string, unknown>
            >`select * from ${sql.table(table)} where team_id = ${teamId}`.execute(reader);
            return found.rows.find((row) => columns.every((column) => row[column] !== null));
          });
        const foreign = await select(a.client.teamId);
        const own = await select(b.client.teamId);
        assert.ok(foreign !== undefined && own !== undefined);
        const copy: Record<string, unknown> = { ...foreign, team_id: b.client.teamId };
        await assert.rejects(
          service().database.transaction('', ({ queries: tx }) =>
            tx
              .insertInto(table as never)
              .values(copy as never)
              .execute(),
          ),
          isForeignKeyFault,
        );
        for (const column of columns) {
          await assert.rejects(
            service().database.transaction('', ({ queries: tx }) =>
              sql`update ${sql.table(table)} set ${sql.ref(column)} = ${foreign[column]} where team_id = ${b.client.teamId}`.execute(
                tx,
              ),
            ),
            isForeignKeyFault,
            column,
          );
        }
        assert.deepEqual(await select(b.client.teamId), own);
      });
    }
  });
});
