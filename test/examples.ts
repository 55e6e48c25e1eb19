/**
 * The example of each operation: a short story of one team, as requests. `npm run openapi` records it into
 * `src/http/openapi-examples.json`, and a test replays it and compares every response.
 */
import assert from 'node:assert/strict';
import { logAll, lookAtAll, recordAll } from './chores.ts';
import type { Service } from './harness.ts';
import { operationOf } from './walk.ts';

export interface Example {
  readonly path: string;
  readonly request?: unknown;
  readonly response: unknown;
}

const NOW = '2026-11-14T09:30:00.000Z';
const NOW_MS = Date.parse(NOW);
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const GENERATED_ID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Seeds, and hashes of texts with generated ids. */
const HASH = /[0-9a-f]{64}/g;

/** Ids of events, which are made of hashes, and the random part of cursors. */
const EVENT_ID = /[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}/g;
const CURSOR = /"(\d+)\.[0-9a-f]{8}(\.\d+)?"/g;
const SOME_HASH = 'b2849b2da61e346930ab44ee5958cf8dff36cd7c4688587f18eed5ef9b7b798b';

/** Replaces what differs from run to run: generated ids are numbered in the order in which they appear. */
const createNormalizer = ({ teamId }: Pick<Service, 'teamId'>) => {
  const known = new Map([[teamId, 'my-team']]);
  return (value: unknown): unknown => {
    const text = JSON.stringify(value).replaceAll(GENERATED_ID, (id) => {
      const name = known.get(id) ?? `019a8f3e-7c21-7000-8000-${String(known.size).padStart(12, '0')}`;
      known.set(id, name);
      return name;
    });
    return JSON.parse(
      text
        .replaceAll(TIME, NOW)
        .replaceAll(HASH, SOME_HASH)
        .replaceAll(EVENT_ID, '6b2f0c1e-5a3d-8f41-ab27-90d1c4e8f635')
        .replaceAll(CURSOR, '"$1.9f2c01aa$2"')
        .replaceAll(/"secret":"[^"]+"/g, '"secret":"the-secret-shown-only-this-once"'),
    );
  };
};

/** Plays the story against a service whose team is empty. The service must have been started with `fixedDraws`. */
export const recordExamples = async (service: Service): Promise<Record<string, Example>> => {
  const normalize = createNormalizer(service);
  const examples: Record<string, Example> = {};
  service.setClock(NOW_MS);
  const send = async (method: string, path: string, request?: object) => {
    const { status, body } = await service.request(method, path, request, {
      headers: {
        'x-request-id': 'my-request',
        ...(path.endsWith('/counters') && { 'itemwright-reason': 'lost ten rolls in the outage' }),
      },
    });
    assert.equal(status, 200, `${method} ${path}: ${JSON.stringify(body)}`);
    const normalized = normalize({ path, request, response: body }) as Example;
    examples[operationOf(method, path)] ??= normalized;
    return body;
  };

  for (const path of ['/healthz', '/readyz', '/team']) await send('GET', path);
  await send('PUT', '/team', { verifiableRolls: false });
  await send('GET', '/team/events');
  await send('PUT', '/team/events', { types: null });
  const { id: secretId } = await send('POST', '/secrets', { name: 'Game server', role: 'support' });
  await send('GET', '/secrets');
  await send('DELETE', `/secrets/${secretId}`);

  await send('POST', '/attributes', { id: 'damage', name: 'Damage', min: 1, max: 100 });
  await send('PUT', '/attributes/damage', { max: 120 });
  await send('GET', '/attributes');
  await send('GET', '/attributes/damage');
  const { classifierOptions } = await send('POST', '/classifiers', {
    id: 'rarity',
    name: 'Rarity',
    classifierOptions: [
      { name: 'Legendary', dropRateMultiplier: 0.1, color: '#ff8000' },
      { name: 'Common', dropRateMultiplier: 1, color: '#9d9d9d' },
    ],
  });
  const [legendary, common] = classifierOptions.map(({ id }: { id: string }) => id) as [string, string];
  await send('GET', '/classifiers');
  await send('GET', '/classifiers/rarity');
  await send('PUT', '/classifiers/rarity', { name: 'Rarity of an item' });
  await send('POST', '/items', {
    id: 'sword-of-dawn',
    name: 'Sword of Dawn',
    rollNumerator: 100,
    classifierOptionIds: [legendary],
    itemAttributes: [{ attributeId: 'damage', min: 40, max: 60 }],
    width: 1,
    height: 3,
  });
  await send('POST', '/items', { id: 'wooden-sword', name: 'Wooden sword', classifierOptionIds: [common] });
  await send('PUT', '/items/wooden-sword', { rollNumerator: 400 });
  await send('GET', '/catalog/versions?kind=item');
  await send('GET', '/catalog');
  await send('GET', '/catalog/versions/6');
  const dagger = { id: 'dagger', name: 'Dagger', rollNumerator: 50, classifierOptionIds: ['Common'] };
  const changes = [{ kind: 'item', id: 'dagger', after: dagger }];
  const { baseVersion } = await send('POST', '/catalog/plan', { changes });
  const { version } = await send('POST', '/catalog/publish', { changes, baseVersion, message: 'A dagger' });
  await send('POST', '/catalog/publish', { undo: version, baseVersion: version });
  const draft = await send('POST', '/catalog/drafts', { name: 'Winter banner', changes });
  await send('GET', '/catalog/drafts');
  await send('GET', `/catalog/drafts/${draft.id}`);
  await send('PUT', `/catalog/drafts/${draft.id}`, { name: 'Winter event' });
  await send('POST', `/catalog/drafts/${draft.id}/publish`, { at: '2026-12-01T09:00:00.000Z', rebase: true });
  await send('DELETE', `/catalog/drafts/${draft.id}`);
  await send('GET', '/items');
  await send('GET', '/items/sword-of-dawn');
  await send('GET', '/items/odds');
  await send('POST', '/items/roll', {});

  const config = {
    baseRates: { [legendary]: 1, [common]: 9 },
    pityThreshold: 10,
    featuredItemIds: ['sword-of-dawn'],
    sparkCurrency: 1,
  };
  await send('POST', '/templates/odds', { type: 'gacha', config });
  await send('POST', '/templates/simulate', {
    ...{ type: 'gacha', config, players: 100, rolls: 10, seed: 'launch', pricePerRoll: 1.5 },
  });
  await send('POST', '/templates/test-rolls', { type: 'gacha', config, count: 2, seed: 'launch' });
  await send('POST', '/templates', { id: 'standard-banner', name: 'Standard banner', type: 'gacha', config });
  await send('PUT', '/templates/standard-banner', { name: 'The standard banner' });
  await send('GET', '/templates');
  await send('GET', '/templates/type/gacha');
  await send('GET', '/templates/standard-banner');
  await send('GET', '/templates/standard-banner/odds');
  await recordAll(service);
  await send('GET', '/templates/standard-banner/odds/history');

  await send('POST', '/users', { id: 'player-1', externalId: 'auth0|5f7c8ec7' });
  await send('POST', '/users', { id: 'player-2' });
  await send('GET', '/users');
  await send('GET', '/users/player-1');
  await send('POST', '/spaces', { id: 'backpack', name: 'Backpack', cols: 6, rows: 4 });
  await send('PUT', '/spaces/backpack', { rows: 5 });
  const { id: bag } = await send('POST', '/users/player-1/spaces', { spaceId: 'backpack' });
  await send('GET', '/spaces');
  await send('GET', '/spaces/backpack');
  await send('GET', '/spaces/backpack/user-spaces');
  await send('GET', '/users/player-1/spaces');

  await send('POST', '/templates/standard-banner/roll', { userId: 'player-1', userSpaceId: bag });
  await send('POST', '/templates/standard-banner/spark', { userId: 'player-1', itemId: 'sword-of-dawn' });
  await send('GET', '/users/player-1/templates/standard-banner');
  await send('POST', '/users/player-1/templates/standard-banner/counters', { sinceTop: 5 });
  await send('GET', '/users/player-1/templates/standard-banner/wait');
  await send('GET', '/users/player-1/counter-changes');
  const fair = { pityThreshold: 10, pool: { itemIds: ['wooden-sword'] } };
  await send('POST', '/templates', { id: 'fair-banner', name: 'Fair banner', config: fair, verifiable: true });
  const { nextCommitment, nextManifest } = await send('POST', '/users/player-1/fairness');
  await send('POST', '/users/player-1/fairness/rotate', {
    clientSeed: 'lucky ☘',
    commitment: nextCommitment,
    manifest: nextManifest,
  });
  await send('POST', '/templates/fair-banner/roll', { userId: 'player-1' });
  await send('GET', '/users/player-1/fairness');
  const receipts = await send('GET', '/users/player-1/receipts');
  await logAll(service, () => NOW_MS);
  await send('GET', '/users/player-1/proof?epoch=0');
  await send('GET', `/public/${service.teamId}/log`);
  await send('GET', `/public/${service.teamId}/log/consistency?from=1`);
  const { leaves } = await send('GET', `/public/${service.teamId}/log/leaves`);
  await send('GET', `/public/${service.teamId}/log/inclusion?leaf=${leaves[0].hash}`);
  await send('GET', `/public/${service.teamId}/snapshots/${receipts.at(-1).receipt.config}`);
  await send('DELETE', '/templates/fair-banner');
  await send('POST', '/item-instances', {
    ...{ id: 'sword-1', itemId: 'wooden-sword', userId: 'player-1', userSpaceId: bag },
  });
  await send('POST', '/item-instances/sword-1/move', { userId: 'player-1', spacePositionX: 4, spacePositionY: 2 });
  await send('GET', `/users/player-1/spaces/${bag}`);
  await send('POST', `/users/player-1/spaces/${bag}/sort`, {});
  await send('GET', '/item-instances?userId=player-1');
  await send('GET', '/item-instances/sword-1');
  await send('GET', '/item-instance-spaces');
  await send('PATCH', '/item-instances/sword-1', {
    data: { sockets: ['ruby'] },
    increment: { durability: -1 },
    min: { durability: -10 },
  });
  await send('POST', '/item-instances/sword-1/take-out', { userId: 'player-1' });
  await send('POST', '/item-instances/sword-1/transfer', { userId: 'player-1', toUserId: 'player-2' });
  await send('POST', '/item-instances/batch', {
    operations: [{ type: 'transfer', id: 'sword-1', userId: 'player-2', toUserId: 'player-1' }],
  });
  await send('GET', '/item-instances/sword-1/history');
  await send('GET', '/roll-events?templateId=standard-banner');
  await send('GET', '/users/player-1/rolls?limit=1');
  await send('POST', '/items', { id: 'gem', name: 'Gem', rollNumerator: 0, currency: true });
  await send('POST', '/users/player-1/balances', { itemId: 'gem', quantity: 100, unitPrice: '0.0099', money: 'EUR' });
  await send('POST', '/users/player-1/balances', { itemId: 'gem', quantity: 20 });
  await send('POST', '/users/player-1/consume', { units: [{ itemId: 'gem', quantity: 50 }] });
  await send('POST', '/users/player-1/grants', {
    reference: 'GPA.3345-9876-1234-56789',
    source: 'Google Play',
    give: [{ itemId: 'gem', quantity: 100, unitPrice: '0.0099', money: 'EUR' }],
  });
  await send('GET', '/grants/GPA.3345-9876-1234-56789');
  await send('POST', '/grants/GPA.3345-9876-1234-56789/revoke');
  await send('GET', '/users/player-1/balances?lots=true');
  await send('GET', '/users/player-1/balances/gem/history');
  await send('GET', '/balances/report?itemId=gem');
  await send('GET', '/users/player-1/export');
  await send('GET', '/events?userId=player-1&limit=2');
  await send('GET', '/roll-events/stats');
  await send('GET', '/roll-events/drop-rates');
  await recordAll(service);
  await send('GET', '/roll-events/evidence?templateId=standard-banner');
  await send('PUT', '/templates/standard-banner', { disclosure: 'public' });
  await lookAtAll(service, { clock: () => NOW_MS });
  await send('GET', `/public/${service.teamId}/templates/standard-banner/odds`);
  await send('GET', `/public/${service.teamId}/templates/standard-banner/history`);

  await send('DELETE', '/item-instances/sword-1');
  await send('GET', '/users/player-1/deleted-item-instances');
  await send('POST', '/item-instances/sword-1/restore');
  await send('DELETE', `/users/player-1/spaces/${bag}`);
  await send('DELETE', '/users/player-1');
  await send('DELETE', '/users?id=player-2');
  for (const path of ['/templates/standard-banner', '/items/sword-of-dawn', '/items/wooden-sword', '/items/gem'])
    await send('DELETE', path);
  for (const path of ['/spaces/backpack', '/classifiers/rarity', '/attributes/damage']) await send('DELETE', path);
  return examples;
};

/** Draws that are the same in every run: the fractional parts of multiples of the golden ratio. */
export const fixedDraws = () => {
  let drawn = 0;
  return () => {
    drawn += 1;
    return (drawn * 0.6180339887498949) % 1;
  };
};
