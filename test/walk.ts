import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from './harness.ts';

const { paths } = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, unknown>>;
};

/** Every operation of the API, as `GET /items/{id}`. */
export const OPERATIONS = Object.entries(paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
);

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);

/** The operation that a request is for: one without parameters takes precedence. */
export const operationOf = (method: string, path: string): string => {
  const plain = path.split('?', 1)[0] as string;
  const fitting = OPERATIONS.filter((operation) => {
    const [verb, template] = operation.split(' ') as [string, string];
    return verb === method && patternOf(template).test(plain);
  });
  return fitting.sort((a, b) => a.split('{').length - b.split('{').length)[0] ?? `${method} ${path}`;
};

/** Calls every operation of the API for a new team, so that each has something to do and succeeds. */
export const walkThroughInterface = async (team: Client): Promise<void> => {
  const called = new Set<string>();
  const send = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await team.request(method, path, body, { headers });
    assert.equal(response.status, 200, `${method} ${path}: ${JSON.stringify(response.body)}`);
    called.add(operationOf(method, path));
    return response.body;
  };
  const get = (path: string) => send('GET', path);
  const post = (path: string, body: object = {}) =>
    send('POST', path, body, { 'idempotency-key': crypto.randomUUID() });

  for (const path of ['/healthz', '/readyz', '/team']) await get(path);
  await send('PUT', '/team', { verifiableRolls: true });
  await send('PUT', '/team', { verifiableRolls: false });
  const { types } = await get('/team/events');
  await send('PUT', '/team/events', { types });
  const secret = await send('POST', '/secrets', { name: 'game server', role: 'write' });
  await get('/secrets');
  await send('DELETE', `/secrets/${secret.id}`);

  // The catalog.
  await post('/attributes', { id: 'damage', name: 'Damage', min: 1, max: 100 });
  await post('/attributes', { id: 'spare', name: 'Spare', min: 1, max: 2 });
  await send('PUT', '/attributes/damage', { max: 120 });
  const options = ['five', 'four'].map((name) => ({ name, dropRateMultiplier: 1 }));
  const { classifierOptions } = await post('/classifiers', {
    id: 'rarity',
    name: 'Rarity',
    classifierOptions: options,
  });
  const [five, four] = classifierOptions.map(({ id }: { id: string }) => id) as [string, string];
  await post('/classifiers', { id: 'spare', name: 'Spare', classifierOptions: [{ name: 'unused' }] });
  await send('PUT', '/classifiers/rarity', { name: 'Rarity of an item' });
  const itemAttributes = [{ attributeId: 'damage', min: 5, max: 10 }];
  await post('/items', { id: 'sword', name: 'Sword', classifierOptionIds: [five], itemAttributes });
  await post('/items', { id: 'shield', name: 'Shield', classifierOptionIds: [four], width: 2, height: 2 });
  await post('/items', { id: 'spare', name: 'Spare', rollNumerator: 0 });
  await send('PUT', '/items/shield', { rollNumerator: 50 });
  const config = {
    baseRates: { [five]: 1, [four]: 1 },
    featuredItemIds: ['sword'],
    sparkCurrency: 1,
    pityThreshold: 3,
  };
  await post('/templates', { id: 'banner', name: 'Banner', config, disclosure: 'public' });
  await post('/templates', { id: 'spare', name: 'Spare', config: { baseRates: { [five]: 1 } } });
  await send('PUT', '/templates/banner', { name: 'The banner', config: { ...config, pityGroup: 'all' } });
  await post('/templates/odds', { type: 'gacha', config });
  await post('/templates/simulate', { templateId: 'banner', players: 10, rolls: 10, seed: 'seed-1' });
  await post('/templates/test-rolls', { templateId: 'banner', count: 3 });
  await post('/spaces', { id: 'bag', name: 'Bag', cols: 10, rows: 10 });
  await post('/spaces', { id: 'spare', name: 'Spare', cols: 1, rows: 1 });
  await send('PUT', '/spaces/bag', { rows: 12 });

  // Changes of many things at once: a document, a list, a version to undo, and drafts.
  const changes = [
    { kind: 'attribute', id: 'luck', after: { id: 'luck', name: 'Luck', min: 0, max: 9 } },
    { kind: 'classifier', id: 'slot', after: { id: 'slot', name: 'Slot', classifierOptions: [{ name: 'hand' }] } },
    { kind: 'space', id: 'chest', after: { id: 'chest', name: 'Chest', cols: 2, rows: 2 } },
    {
      kind: 'item',
      id: 'ring',
      after: {
        id: 'ring',
        name: 'Ring',
        classifierOptionIds: ['hand'],
        itemAttributes: [{ attributeId: 'luck', min: 1, max: 2 }],
      },
    },
    {
      kind: 'template',
      id: 'rings',
      after: {
        id: 'rings',
        name: 'Rings',
        type: 'gacha',
        config: { pool: { itemIds: ['ring'] }, featuredItemIds: ['ring'] },
      },
    },
  ];
  const { baseVersion } = await post('/catalog/plan', { changes });
  const { version } = await post('/catalog/publish', { changes, baseVersion });
  const larger = { kind: 'item', id: 'ring', after: { id: 'ring', name: 'Ring', height: 2 } };
  await post('/catalog/publish', { changes: [larger], baseVersion: version });
  const deletions = changes.map(({ kind, id }) => ({ kind, id, after: null }));
  await post('/catalog/drafts', { id: 'draft', name: 'Draft', changes: deletions });
  await send('PUT', '/catalog/drafts/draft', { name: 'The draft' });
  await send('GET', '/catalog/drafts');
  await send('GET', '/catalog/drafts/draft');
  await post('/catalog/drafts/draft/publish', { at: '2099-01-01T00:00:00Z' });
  await post('/catalog/drafts/draft/publish', { rebase: true });
  await post('/catalog/drafts', { id: 'spare', name: 'Spare' });
  await send('DELETE', '/catalog/drafts/spare');

  // Users and what they own.
  for (const id of ['ann', 'bob', 'cyd']) await post('/users', { id, externalId: `outside-${id}` });
  const bags: Record<string, string> = {};
  for (const id of ['ann', 'bob']) bags[id] = (await post(`/users/${id}/spaces`, { spaceId: 'bag' })).id;
  const spare = await post('/users/cyd/spaces', { spaceId: 'bag', externalId: 'chest' });
  await post('/items/roll');
  await Promise.all(['ann', 'bob', 'cyd'].map((userId) => post('/items/roll', { userId })));
  await post('/items/roll', { userId: 'ann', userSpaceId: bags.ann });
  for (const userId of ['ann', 'bob']) await post('/templates/banner/roll', { userId, grant: true, count: 2 });
  await Promise.all(['ann', 'bob'].map((userId) => post('/templates/banner/roll', { userId })));
  await post('/templates/spare/roll', { userId: 'ann' });
  await post('/templates/banner/spark', { userId: 'ann', itemId: 'sword' });
  await post('/templates', { id: 'fair', name: 'Fair', config, verifiable: true });
  await send('PUT', '/team', { verifiableRolls: true });
  const { nextCommitment, nextManifest } = await post('/users/ann/fairness');
  await post('/users/ann/fairness/rotate', {
    ...{ clientSeed: 'one', commitment: nextCommitment, manifest: nextManifest },
  });
  await Promise.all([1, 2].map(() => post('/templates/fair/roll', { userId: 'ann' })));
  await post('/templates/fair/spark', { userId: 'ann', itemId: 'sword' });
  await post('/items/roll', { userId: 'ann' });
  const receipts = await get('/users/ann/receipts');
  const { nextCommitment: next, nextManifest: then } = await get('/users/ann/fairness');
  await post('/users/ann/fairness/rotate', { clientSeed: 'two', commitment: next, manifest: then });
  await post('/users/bob/fairness');
  await send('PUT', '/team', { verifiableRolls: false });
  const give = (id: string, itemId: string) =>
    post('/item-instances', { id, itemId, userId: 'ann', userSpaceId: bags.ann });
  await Promise.all(['one', 'two', 'three'].map((id) => give(id, 'sword')));
  await give('wide', 'shield');
  await post('/item-instances/one/move', { userId: 'ann', spacePositionX: 9, spacePositionY: 9 });
  await post('/item-instances/two/move', { userId: 'ann', spacePositionX: 9, spacePositionY: 9, swap: true });
  await post('/item-instances/three/take-out', { userId: 'ann' });
  await send('PATCH', '/item-instances/three', { data: { a: 1 }, increment: { a: 1 }, locked: true });
  await send('PATCH', '/item-instances/three', { locked: false });
  await post('/item-instances/one/transfer', { userId: 'ann', toUserId: 'bob', toUserSpaceId: bags.bob });
  await post('/item-instances/batch', {
    operations: [
      { type: 'transfer', id: 'two', userId: 'ann', toUserId: 'bob' },
      { type: 'transfer', id: 'one', userId: 'bob', toUserId: 'ann', toUserSpaceId: bags.ann },
    ],
  });
  await post(`/users/ann/spaces/${bags.ann}/sort`);
  await send('DELETE', '/item-instances/three');
  await post('/item-instances/three/restore');
  await send('POST', '/users/ann/templates/banner/counters', { sparkPoints: 3 }, { 'itemwright-reason': 'a gift' });

  // What users have of currencies.
  await post('/items', { id: 'gem', name: 'Gem', currency: true, spend: 'paidFirst', rollNumerator: 0 });
  await post('/users/ann/balances', { itemId: 'gem', quantity: 500 });
  await post('/users/ann/balances', { itemId: 'gem', quantity: 300, unitPrice: '0.0099', money: 'EUR' });
  await post('/users/ann/consume', { units: [{ itemId: 'gem', quantity: 310 }] });

  const bought = { itemId: 'gem', quantity: 30, unitPrice: '0.01', money: 'EUR' };
  await post('/users/ann/grants', { reference: 'order/1', source: 'shop', give: [bought] });
  await post('/grants/order%2F1/revoke');

  for (const path of [
    ...[
      '/grants/order%2F1',
      '/users/ann/balances?lots=true',
      '/users/ann/balances/gem/history?limit=1',
      '/balances/report?itemId=gem&at=2026-01-01T00:00:00Z',
    ],
    ...[
      '/attributes',
      '/attributes/damage',
      '/catalog',
      '/catalog?version=1',
      '/catalog/versions',
      '/catalog/versions?kind=item&id=sword',
      '/catalog/versions/1',
      '/classifiers',
      '/classifiers/rarity',
      '/items',
      '/items/sword',
      '/items?limit=1',
      '/items/odds',
    ],
    ...[
      '/templates',
      '/templates/type/gacha',
      '/templates/banner',
      '/templates/banner/odds',
      '/templates/banner/odds/history',
      '/users/ann/templates/banner',
      '/users/ann/templates/banner/wait',
      '/users/ann/counter-changes',
      '/users/ann/export',
      '/users/ann/deleted-item-instances',
    ],
    ...[
      '/users',
      '/users/ann',
      '/spaces',
      '/spaces/bag',
      '/spaces/bag/user-spaces',
      '/users/ann/spaces',
      `/users/ann/spaces/${bags.ann}`,
    ],
    ...[
      '/roll-events?itemId=sword',
      '/roll-events?userId=ann&from=2026-01-01T00:00:00Z',
      '/users/ann/rolls?limit=1',
      '/users/ann/receipts',
      '/users/ann/receipts?limit=1',
      '/users/ann/proof?epoch=0',
      '/users/ann/proof?epoch=0&from=1',
      '/users/ann/proof?epoch=all',
      `/public/${team.teamId}/snapshots/${receipts.at(-1).receipt.config}`,
    ],
    ...['/item-instances', '/item-instances?userId=ann', `/item-instances?userSpaceId=${bags.ann}`],
    ...[
      '/item-instances?itemId=sword',
      `/item-instances?classifierOptionIds=${five}`,
      '/item-instances?instanceIds=one,two',
    ],
    ...['/item-instances/one', '/item-instances/one/history', '/item-instance-spaces'],
    ...[
      `/item-instance-spaces?teamUserSpaceId=${bags.ann},${bags.bob}`,
      '/roll-events/stats',
      '/roll-events/drop-rates',
      '/roll-events/evidence',
    ],
  ])
    await get(path);

  await get('/events?types=roll.made&limit=1');

  // What is public is noted within a second or so.
  const banner = `/public/${team.teamId}/templates/banner`;
  while ((await team.get(`${banner}/odds`)).status === 503) await delay(100);
  for (const path of [`${banner}/odds`, `${banner}/history`, banner]) await get(path);

  // Rotations are logged within a second or so.
  const log = `/public/${team.teamId}/log`;
  while ((await team.get(log)).status === 404) await delay(100);
  const [{ hash: leaf }] = (await team.get(`${log}/leaves`)).body.leaves;
  for (const path of [log, `${log}/consistency?from=1`, `${log}/inclusion?leaf=${leaf}`, `${log}/leaves`])
    await get(path);

  // Deletions.
  await send('DELETE', '/item-instances/three');
  await send('DELETE', `/users/cyd/spaces/${spare.id}`);
  await send('DELETE', '/users/bob');
  await send('DELETE', '/users?id=cyd');
  for (const path of ['/templates/spare', '/items/spare', '/spaces/spare', '/classifiers/spare', '/attributes/spare'])
    await send('DELETE', path);

  assert.deepEqual(
    OPERATIONS.filter((operation) => !called.has(operation)),
    [],
    'every operation was called',
  );
};
