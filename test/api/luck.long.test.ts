import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { LIMITS } from '../../src/shared/limits.ts';
import { longItems } from '../catalogs.ts';
import { type Client, issuePaths, onEveryDatabase, type Service } from '../harness.ts';

/** As many long items as fit into a stored response, and more than fit: each takes about 80,000 characters. */
const FEW = 45;
const MANY = 60;

/** Each of these would be refused in its own way, if what was drawn could refuse a roll. */
const ODD_ITEMS = [
  { id: 'attributed', itemAttributes: Array.from({ length: 100 }, (_, number) => ({ attributeId: `a-${number}` })) },
  { id: 'escaped', thumbnail: '"'.repeat(LIMITS.thumbnailLength) },
  { id: 'huge', width: LIMITS.itemSide, height: LIMITS.itemSide },
  { id: 'short' },
  { id: 'tall', height: LIMITS.itemSide },
  { id: 'wide', width: LIMITS.itemSide },
  { id: 'x'.repeat(LIMITS.idLength), name: '\u{1f340}'.repeat(LIMITS.nameLength) },
];

const TEMPLATES = [
  { id: 'banner', type: 'gacha', config: {} },
  { id: 'pack', type: 'card_pack', config: { slots: [{ count: 1 }] } },
  { id: 'offer', type: 'roguelike', config: { choices: 1 } },
  { id: 'farm', type: 'idle', config: { rollsPerHour: 1_000_000 } },
];

const succeed = async (call: Promise<{ status: number; body: unknown }>) => {
  const { status, body } = await call;
  assert.equal(status, 200, JSON.stringify(body));
};

const publish = async (team: Client, changes: readonly object[]): Promise<void> => {
  const { headers } = await team.get('/catalog');
  const baseVersion = Number(headers.get('etag')?.slice(1, -1));
  await succeed(team.post('/catalog/publish', { changes, baseVersion }));
};

const stock = async (service: Service, items: readonly object[]): Promise<Client> => {
  const team = await service.anotherTeam();
  const attributes = Array.from({ length: 100 }, (_, number) => ({ id: `a-${number}`, name: 'A', min: 0, max: 1e300 }));
  for (const attribute of attributes) await succeed(team.post('/attributes', attribute));
  const changes = [
    ...longItems(1),
    ...items.map((item) => {
      const { id, itemAttributes = [] } = item as { id: string; itemAttributes?: { attributeId: string }[] };
      const named = itemAttributes.map(({ attributeId }) => ({ id: attributeId, attributeId, min: 0.1, max: 1e300 }));
      return { kind: 'item', id, after: { name: 'Odd', ...item, itemAttributes: named } };
    }),
  ];
  await publish(team, changes);
  for (const template of TEMPLATES) await succeed(team.post('/templates', { name: 'T', ...template }));
  return team;
};

/** What becomes of a call, whichever item all of its draws choose. */
const outcomes = async (
  service: Service,
  team: Client,
  items: number,
  call: (user: string) => Promise<{ status: number; body: unknown }>,
): Promise<Set<number>> => {
  const statuses = new Set<number>();
  try {
    for (let item = 0; item < items; item += 1) {
      service.setDraws(() => (item + 0.5) / items);
      statuses.add((await call(`${team.teamId}-${randomUUID()}`)).status);
    }
  } finally {
    service.setDraws();
  }
  return statuses;
};

const keyed = () => ({ headers: { 'idempotency-key': randomUUID() } });

onEveryDatabase('luck', (service) => {
  test('never decides whether a roll is refused, on templates of any type, with a key or without', async () => {
    const items = ODD_ITEMS.length + 1;
    const team = await stock(service(), ODD_ITEMS);
    await succeed(team.post('/spaces', { id: 'bag', name: 'Bag', rows: 30, cols: 30 }));
    const cases = [
      { count: 2, onFull: 'reject', options: keyed },
      { count: MANY, onFull: 'unplaced', options: keyed },
      { count: MANY, onFull: 'unplaced', options: () => ({}) },
    ];
    for (const { id, type } of TEMPLATES)
      for (const { count, onFull, options } of type === 'gacha' ? cases : cases.slice(0, 2)) {
        const roll = async (userId: string) => {
          const bag = await team.post(`/users/${userId}/spaces`, { spaceId: 'bag' });
          const where = type === 'roguelike' ? {} : { userSpaceId: bag.body.id, onFull };
          if (type === 'idle') {
            service().setClock(1.8e12);
            await succeed(team.post(`/templates/${id}/roll`, { userId }));
            service().setClock(1.8e12 + 3.6 * count);
          }
          const body = { userId, ...where, ...(type === 'idle' ? {} : { count }) };
          return team.post(`/templates/${id}/roll`, body, options());
        };
        const seen = await outcomes(service(), team, items, roll);
        assert.equal(seen.size, 1, `${id}, ${count} at once, ${onFull}: ${[...seen].join(' or ')}`);
      }
  });

  test('never decides whether a response is too long to be sent', async () => {
    const team = await stock(service(), [{ id: 'short' }]);
    const config = { slots: [{ count: LIMITS.packCards }] };
    await succeed(team.post('/templates', { id: 'box', name: 'Box', type: 'card_pack', config }));
    const seen = await outcomes(service(), team, 2, async () => {
      const refused = await team.post('/templates/box/roll', { count: LIMITS.rollsPerCall });
      assert.deepEqual(issuePaths(refused), ['/body']);
      return refused;
    });
    assert.deepEqual([...seen], [400]);
  });

  test('never decides whether a plain roll, a creation or a batch is refused', async () => {
    const items = ODD_ITEMS.length + 1;
    const team = await stock(service(), ODD_ITEMS);
    await succeed(team.post('/spaces', { id: 'bag', name: 'Bag', rows: 30, cols: 30 }));
    const calls = {
      '/items/roll': (userId: string, userSpaceId: string) => ({ userId, userSpaceId }),
      '/item-instances': (userId: string, userSpaceId: string) => ({ itemId: 'attributed', userId, userSpaceId }),
      '/item-instances/batch': (userId: string, userSpaceId: string) => ({
        operations: Array.from({ length: 4 }, () => ({ type: 'create', itemId: 'attributed', userId, userSpaceId })),
      }),
    };
    for (const [path, bodyOf] of Object.entries(calls)) {
      const seen = await outcomes(service(), team, items, async (userId) => {
        const bag = await team.post(`/users/${userId}/spaces`, { spaceId: 'bag' });
        return team.post(path, bodyOf(userId, bag.body.id), keyed());
      });
      assert.deepEqual([...seen], [200], path);
    }
  });

  test('has no part in whether the response to a verifiable roll can be stored', async () => {
    const team = await stock(service(), [{ id: 'short' }]);
    await succeed(team.post('/templates', { id: 'fair', name: 'Fair', config: {}, verifiable: true }));
    const started = await team.post('/users/ann/fairness', {});
    const rotation = {
      clientSeed: 'lucky',
      commitment: started.body.nextCommitment,
      manifest: started.body.nextManifest,
    };
    await succeed(team.post('/users/ann/fairness/rotate', rotation));
    const statusesOf = async (count: number): Promise<number[]> => {
      const statuses = new Set<number>();
      for (let roll = 0; roll < 12; roll += 1)
        statuses.add((await team.post('/templates/fair/roll', { userId: 'ann', count }, keyed())).status);
      return [...statuses];
    };
    // About half of the results are long, so that about half of these responses would have been too long.
    assert.deepEqual(await statusesOf(LIMITS.rollsPerCall), [400]);
    const { body: player } = await team.get('/users/ann/fairness');
    assert.equal(player.nonce, 0, 'what is refused has no nonce');
    assert.deepEqual(await statusesOf(FEW), [200]);
  });

  test('is no reason to refuse a call whose results always fit', async () => {
    const { options, short, long } = { options: ['common', 'rare'], short: 30, long: 1 };
    const team = await service().anotherTeam();
    const classifierOptions = options.map((id) => ({ id, name: id }));
    const changes = [
      { kind: 'classifier', id: 'rarity', after: { id: 'rarity', name: 'Rarity', classifierOptions } },
      ...longItems(long, () => ['rare']),
      ...Array.from({ length: short }, (_, index) => ({
        kind: 'item',
        id: `short-${index}`,
        after: { id: `short-${index}`, name: 'Short', classifierOptionIds: ['common'] },
      })),
    ];
    await publish(team, changes);
    const templates = {
      // A pack has the long item once at most, or only in one of its slots.
      unique: { type: 'card_pack', config: { unique: true, slots: [{ count: 5 }] } },
      offer: { type: 'roguelike', config: { choices: 5 } },
      slots: {
        type: 'card_pack',
        config: {
          baseRates: { common: 1, rare: 1 },
          slots: [{ count: 4, rates: { common: 1 } }, { count: 1 }],
        },
      },
      // It cannot be rolled at all.
      never: { type: 'gacha', config: { baseRates: { common: 1, rare: 0 } } },
    };
    for (const [id, template] of Object.entries(templates)) {
      await succeed(team.post('/templates', { id, name: id, ...template }));
      await succeed(team.post(`/templates/${id}/roll`, { count: id === 'never' ? MANY : FEW }, keyed()));
      if (id === 'never') continue;
      const refused = await team.post(`/templates/${id}/roll`, { count: MANY }, keyed());
      assert.deepEqual([refused.status, issuePaths(refused)], [400, ['/headers/idempotency-key']]);
      await succeed(team.post(`/templates/${id}/roll`, { count: MANY }));
    }
  });
});
