import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ApiResponse, type Client, onEveryDatabase } from '../../../test/harness.ts';
import { assertDone, assertInvalid } from '../../../test/rules.ts';

const item = (id: string, option: string, more: object = {}) => ({
  id,
  name: id,
  thumbnail: null,
  rollNumerator: 100,
  width: 1,
  height: 1,
  classifierOptionIds: [option],
  itemAttributes: [],
  ...more,
});

/** A small catalog with one of everything, as a document. */
const catalog = () => ({
  formatVersion: 1,
  attributes: [{ id: 'damage', name: 'Damage', min: 0, max: 100, step: null }],
  classifiers: [
    {
      id: 'rarity',
      name: 'Rarity',
      classifierOptions: [
        { id: 'common', name: 'Common', dropRateMultiplier: 1 },
        { id: 'rare', name: 'Rare', dropRateMultiplier: 0.1 },
      ],
    },
  ],
  spaces: [{ id: 'bag', name: 'Bag', cols: 4, rows: 4 }],
  items: [
    item('axe', 'common', { itemAttributes: [{ id: 'axe-damage', attributeId: 'damage', min: 1, max: 9 }] }),
    item('bow', 'common'),
    item('crown', 'rare'),
  ],
  templates: [
    {
      id: 'banner',
      name: 'Banner',
      type: 'gacha',
      config: { baseRates: { Common: 0.9, Rare: 0.1 }, pityThreshold: 20 },
      bindings: { Common: 'common', Rare: 'rare' },
    },
  ],
});
type Catalog = ReturnType<typeof catalog>;

const versionOf = async (team: Client): Promise<number> =>
  Number(
    assertDone(await team.get('/catalog'))
      .headers.get('etag')
      ?.slice(1, -1),
  );

const plan = (team: Client, body: object): Promise<ApiResponse> => team.post('/catalog/plan', body);

const publish = async (team: Client, body: object): Promise<ApiResponse> =>
  team.post('/catalog/publish', { baseVersion: await versionOf(team), ...body });

const documentOf = async (team: Client): Promise<Catalog> => assertDone(await team.get('/catalog')).body;

const assertFaults = (response: ApiResponse, ...expected: string[]): void => {
  assertDone(response);
  const faults = response.body.faults.map(
    ({ kind, id, path, message }: Record<string, string>) => `${kind} ${id} ${path}: ${message}`,
  );
  assert.deepEqual(faults, expected);
};

const assertConflict = (response: ApiResponse, ...expected: { path: string; message: string }[]): void => {
  assert.equal(response.status, 409, JSON.stringify(response.body));
  assert.deepEqual(response.body.issues, expected);
};

onEveryDatabase('publishing a catalog', (service) => {
  /** A team with the catalog above at version 1. */
  const teamWithCatalog = async (): Promise<Client> => {
    const team = await service().anotherTeam();
    assertDone(await publish(team, catalog()));
    return team;
  };

  test('creates everything in a document as one version, which the API then shows', async () => {
    const team = await service().anotherTeam();
    const response = assertDone(await publish(team, { ...catalog(), message: 'Launch' }));
    const { createdAt, author, ...version } = response.body;
    assert.deepEqual(version, { version: 1, source: 'publish', message: 'Launch', changes: 7 });
    assert.deepEqual(await documentOf(team), catalog());
    assert.equal(assertDone(await team.get('/items/axe')).body.attributes[0].max, 9);
    assert.equal(assertDone(await team.get('/templates/banner/odds')).body.tiers.length, 2);
    assertDone(await team.post('/templates/banner/roll', {}));
    const [recorded] = assertDone(await team.get('/catalog/versions')).body;
    assert.deepEqual(recorded, response.body);
    assert.ok(createdAt && author);
  });

  test('replaces: what a document does not contain is deleted', async () => {
    const team = await teamWithCatalog();
    const { items, ...rest } = catalog();
    assertDone(await publish(team, { ...rest, items: items.filter(({ id }) => id !== 'bow') }));
    assert.deepEqual(
      (await documentOf(team)).items.map(({ id }) => id),
      ['axe', 'crown'],
    );
    assert.equal((await team.get('/items/bow')).status, 404);
  });

  test('merges on request: what a document does not contain stays', async () => {
    const team = await teamWithCatalog();
    const items = [{ id: 'dagger', name: 'Dagger', classifierOptionIds: ['Common'] }];
    assertDone(await publish(team, { formatVersion: 1, merge: true, items }));
    const document = await documentOf(team);
    assert.deepEqual(
      document.items.map(({ id }) => id),
      ['axe', 'bow', 'crown', 'dagger'],
    );
    assert.deepEqual(document.items[3], item('dagger', 'common', { name: 'Dagger' }));
  });

  test('requires every list of a document that replaces', async () => {
    const team = await teamWithCatalog();
    const { items, spaces, ...rest } = catalog();
    assertInvalid(await plan(team, rest), '/body/items', '/body/spaces');
    assertInvalid(await publish(team, rest), '/body/items', '/body/spaces');
  });

  test('does nothing and says so if nothing changes', async () => {
    const team = await teamWithCatalog();
    const planned = assertDone(await plan(team, catalog())).body;
    assert.deepEqual(planned.summary, { create: 0, update: 0, delete: 0 });
    assert.deepEqual(planned.odds, []);
    assertConflict(await publish(team, catalog()), { path: '/body', message: 'changes nothing' });
    assert.equal(await versionOf(team), 1);
  });

  test('gives the same document to another team, with the same ids', async () => {
    const [team, other] = [await teamWithCatalog(), await service().anotherTeam()];
    assertDone(await publish(other, await documentOf(team)));
    assert.deepEqual(await documentOf(other), await documentOf(team));
  });

  describe('a plan', () => {
    test('lists changes with what changes, in order, and changes nothing', async () => {
      const team = await teamWithCatalog();
      const document = catalog();
      document.items[1] = item('bow', 'common', { rollNumerator: 50 });
      document.items[2] = item('dagger', 'rare');
      document.spaces = [];
      const planned = assertDone(await plan(team, document)).body;
      assert.equal(planned.baseVersion, 1);
      assert.deepEqual(planned.summary, { create: 1, update: 1, delete: 2 });
      assert.deepEqual(
        planned.changes.map(({ kind, id, action, fields }: Record<string, unknown>) => [kind, id, action, fields]),
        [
          ['space', 'bag', 'delete', []],
          ['item', 'bow', 'update', ['rollNumerator']],
          ['item', 'crown', 'delete', []],
          ['item', 'dagger', 'create', []],
        ],
      );
      assert.deepEqual(await documentOf(team), catalog());
      assert.equal(await versionOf(team), 1);
    });

    test('shows the odds before and after of every pool that changes, which are those of the API', async () => {
      const team = await teamWithCatalog();
      const oddsOf = async () => {
        const plain = assertDone(await team.get('/items/odds')).body as { itemId: string; odds: number }[];
        const banner = assertDone(await team.get('/templates/banner/odds')).body;
        return { plain: new Map(plain.map(({ itemId, odds }) => [itemId, odds])), banner };
      };
      const before = await oddsOf();
      const document = catalog();
      (document.classifiers[0]?.classifierOptions[1] as { dropRateMultiplier: number }).dropRateMultiplier = 0.2;
      (document.templates[0]?.config as { pityThreshold: number }).pityThreshold = 10;
      const planned = assertDone(await plan(team, document)).body;
      assertDone(await publish(team, document));
      const after = await oddsOf();

      const [plainPool, bannerPool, ...others] = planned.odds;
      assert.deepEqual(others, []);
      assert.equal(plainPool.pool, 'plain');
      assert.equal(plainPool.items.length, 3);
      for (const { itemId, before: old, after: next } of plainPool.items) {
        assert.ok(Math.abs(old - (before.plain.get(itemId) ?? 0)) < 1e-12);
        assert.ok(Math.abs(next - (after.plain.get(itemId) ?? 0)) < 1e-12);
      }
      assert.equal(bannerPool.pool, 'banner');
      assert.deepEqual(bannerPool.worst, { before: 20, after: 10 });
      for (const [when, odds] of [
        ['before', before],
        ['after', after],
      ] as const) {
        for (const tier of bannerPool.tiers) {
          const known = odds.banner.tiers.find((row: { tier: string }) => row.tier === tier.tier);
          assert.ok(Math.abs(tier[when] - known.effective) < 1e-12);
        }
        for (const row of bannerPool.items) {
          const known = odds.banner.items.find(({ itemId }: { itemId: string }) => itemId === row.itemId);
          assert.ok(Math.abs(row[when] - known.effective) < 1e-12);
        }
      }
    });

    test('computes the odds of the pools that are asked for, and names the others', async () => {
      const team = await teamWithCatalog();
      const document = catalog();
      document.items[0] = item('axe', 'common', {
        rollNumerator: 1,
        itemAttributes: document.items[0]?.itemAttributes,
      });
      const none = assertDone(await plan(team, { ...document, pools: [] })).body;
      assert.deepEqual(none.odds, []);
      assert.deepEqual(none.oddsLeftOut, [
        { pool: 'plain', name: 'All items' },
        { pool: 'banner', name: 'Banner' },
      ]);
      const one = assertDone(await plan(team, { ...document, pools: ['banner'] })).body;
      assert.deepEqual(
        one.odds.map(({ pool }: { pool: string }) => pool),
        ['banner'],
      );
      assert.deepEqual(one.oddsLeftOut, [{ pool: 'plain', name: 'All items' }]);
    });

    test('shows the mean number of rolls until any featured item', async () => {
      const team = await teamWithCatalog();
      assertDone(await team.post('/items', item('dragon', 'rare', { itemAttributes: undefined })));
      const featured = (featuredItemIds: string[]) => ({
        kind: 'template',
        id: 'banner',
        after: { ...catalog().templates[0], config: { baseRates: { Common: 0.9, Rare: 0.1 }, featuredItemIds } },
      });
      const both = assertDone(await plan(team, { changes: [featured(['crown', 'dragon'])] })).body;
      // Every item of the tier is featured, so it is as rare as the tier: one in ten.
      assert.ok(Math.abs(both.odds[0].featuredMean.after - 10) < 1e-9, JSON.stringify(both.odds[0]));
      const one = assertDone(await plan(team, { changes: [featured(['dragon'])] })).body;
      assert.ok(Math.abs(one.odds[0].featuredMean.after - 20) < 1e-9);
      assert.equal(one.odds[0].featuredMean.before, null);
    });

    test('warns about odds that change while open, items that never drop, and pity out of order', async () => {
      const team = await teamWithCatalog();
      const document = catalog();
      document.items[1] = item('bow', 'common', { rollNumerator: 0 });
      (document.templates[0] as { config: object }).config = {
        baseRates: { Common: 0.9, Rare: 0.1 },
        pityThreshold: 10,
        softPity: [{ from: 15, add: 0.1 }],
      };
      const { warnings } = assertDone(await plan(team, document)).body;
      assert.deepEqual(
        warnings.map(({ kind, id, path }: Record<string, string>) => `${kind} ${id} ${path}`),
        ['item bow /rollNumerator', 'template banner /config/softPity', 'template banner /config'],
      );
    });

    test('is made from a list of changes, too, and can be published as it is', async () => {
      const team = await teamWithCatalog();
      const planned = assertDone(
        await plan(team, {
          changes: [
            { kind: 'item', id: 'bow', after: null },
            { kind: 'space', id: 'chest', after: { id: 'chest', name: 'Chest', cols: 2, rows: 2 } },
          ],
        }),
      ).body;
      assert.deepEqual(planned.summary, { create: 1, update: 0, delete: 1 });
      assertDone(await publish(team, { changes: planned.changes, baseVersion: planned.baseVersion }));
      const document = await documentOf(team);
      assert.deepEqual(
        document.items.map(({ id }) => id),
        ['axe', 'crown'],
      );
      assert.deepEqual(
        document.spaces.map(({ id }) => id),
        ['bag', 'chest'],
      );
    });
  });

  describe('faults', () => {
    test('are all reported at once, with their entity and path, and keep it from being published', async () => {
      const team = await teamWithCatalog();
      const changes = [
        { kind: 'attribute', id: 'damage', after: { id: 'damage', name: 'Damage', min: 0, max: 5, step: null } },
        { kind: 'item', id: 'bow', after: item('bow', 'legendary') },
        { kind: 'item', id: 'cat', after: { ...item('cat', 'rare'), width: 0 } },
        { kind: 'item', id: 'dog', after: item('dog', 'rare', { classifierOptionIds: ['common', 'Rare'] }) },
        { kind: 'space', id: 'nowhere', after: null },
        { kind: 'template', id: 'banner', after: { ...catalog().templates[0], config: { pityThreshold: -1 } } },
      ];
      const response = await plan(team, { changes });
      assertFaults(
        response,
        'item cat /width: must be >= 1',
        'template banner /config/pityThreshold: must be >= 0',
        'space nowhere : does not exist',
        'item bow /classifierOptionIds/0: "legendary" is not a classifier option of this team',
        'item axe /itemAttributes/0/max: must not be above that of attribute Damage (damage), 5',
        'template banner /config/baseRates/Rare: Banner could no longer be rolled on: its tier "Rare" shares the item "dog" with the tier "Common"',
      );
      const rejected = await publish(team, { changes });
      assert.equal(rejected.status, 409);
      assert.equal(rejected.body.issues.length, 6);
      assert.deepEqual(rejected.body.issues[0], { path: '/item/cat/width', message: 'must be >= 1' });
      assert.equal(await versionOf(team), 1);
    });

    test('include a template that refers to what would be deleted', async () => {
      const team = await teamWithCatalog();
      const classifier = { ...catalog().classifiers[0], classifierOptions: [{ id: 'common', name: 'Common' }] };
      assertFaults(
        await plan(team, { changes: [{ kind: 'classifier', id: 'rarity', after: classifier }] }),
        'template banner /config: Banner uses option Rare (rare), which would not exist',
      );
    });

    test('include what concerns no entity alone', async () => {
      const team = await teamWithCatalog();
      const heavy = { rollNumerator: Number.MAX_VALUE };
      const changes = [
        { kind: 'item', id: 'axe', after: item('axe', 'common', heavy) },
        { kind: 'item', id: 'bow', after: item('bow', 'common', heavy) },
        { kind: 'template', id: 'banner', after: null },
      ];
      const message = 'makes the sum of all weights infinite';
      assertFaults(await plan(team, { changes }), `null null : ${message}`);
      assertConflict(await publish(team, { changes }), { path: '/body', message });
    });

    test('include what users have: instances of deleted items, and bags', async () => {
      const team = await teamWithCatalog();
      assertDone(await team.post('/users', { id: 'ann' }));
      assertDone(await team.post('/item-instances', { id: 'sword-1', itemId: 'bow', userId: 'ann' }));
      assertDone(await team.post('/users/ann/spaces', { id: 'bag-1', spaceId: 'bag' }));
      const changes = ['item bow', 'space bag'].map((key) => {
        const [kind, id] = key.split(' ');
        return { kind, id, after: null };
      });
      const response = await plan(team, { changes });
      assertFaults(
        response,
        'item bow : bow has instances, such as sword-1',
        'space bag : Bag is used by user space bag-1 of user ann',
      );
      assert.deepEqual(response.body.instances, { orphaned: 1 });
      assert.equal((await publish(team, { changes })).status, 409);
      assert.equal(await versionOf(team), 1);
    });

    test('include placed instances that would not fit', async () => {
      const team = await teamWithCatalog();
      assertDone(await team.post('/users', { id: 'ann' }));
      assertDone(await team.post('/users/ann/spaces', { id: 'bag-1', spaceId: 'bag' }));
      for (const x of [0, 3])
        assertDone(
          await team.post('/item-instances', {
            id: `at-${x}`,
            itemId: 'bow',
            userId: 'ann',
            userSpaceId: 'bag-1',
            spacePositionX: x,
            spacePositionY: 0,
          }),
        );
      const shrunk = { changes: [{ kind: 'space', id: 'bag', after: { id: 'bag', name: 'Bag', cols: 3, rows: 4 } }] };
      assertFaults(
        await plan(team, shrunk),
        'space bag /cols: Bag would cut off item instance at-3 at 3, 0 in user space bag-1',
      );
      assert.equal((await publish(team, shrunk)).status, 409);
      const wide = { changes: [{ kind: 'item', id: 'bow', after: item('bow', 'common', { width: 2 }) }] };
      assertConflict(await publish(team, wide), {
        path: '/item/bow/width',
        message: 'item instance at-3 at 3, 0 in user space bag-1 would reach outside the grid of 4 × 4 cells',
      });
      const tall = { changes: [{ kind: 'item', id: 'bow', after: item('bow', 'common', { height: 2 }) }] };
      assertDone(await publish(team, tall));
      // The cell below is taken now.
      const below = await team.post('/item-instances', {
        itemId: 'axe',
        userId: 'ann',
        userSpaceId: 'bag-1',
        spacePositionX: 3,
        spacePositionY: 1,
      });
      assert.equal(below.status, 409, JSON.stringify(below.body));
    });
  });

  test('removes a deleted option from the items that have it, unless the request mentions them', async () => {
    const team = await teamWithCatalog();
    const classifiers = [
      ...catalog().classifiers,
      { id: 'slot', name: 'Slot', classifierOptions: [{ id: 'hand', name: 'Hand', dropRateMultiplier: null }] },
    ];
    const items = catalog().items.map((one) => ({ ...one, classifierOptionIds: [...one.classifierOptionIds, 'Hand'] }));
    assertDone(await publish(team, { ...catalog(), classifiers, items }));
    const gone = { kind: 'classifier', id: 'slot', after: null };
    assertFaults(
      await plan(team, { changes: [gone, { kind: 'item', id: 'bow', after: items[1] }] }),
      'item bow /classifierOptionIds/1: "Hand" is not a classifier option of this team',
    );
    assertDone(await publish(team, { changes: [gone] }));
    assert.deepEqual(await documentOf(team), catalog());
  });

  describe('a stale base', () => {
    test('is rejected, and nothing changes', async () => {
      const team = await teamWithCatalog();
      assertDone(await team.post('/attributes', { id: 'speed', name: 'Speed' }));
      assertConflict(await team.post('/catalog/publish', { ...catalog(), baseVersion: 1 }), {
        path: '/body/baseVersion',
        message: 'the catalog is at version 2, this was made at 1',
      });
      assert.equal(await versionOf(team), 2);
      assert.equal((await documentOf(team)).attributes.length, 2);
    });

    test('of two publishers at once is that of one of them', async () => {
      const team = await teamWithCatalog();
      for (let round = 1; round <= 50; round += 1) {
        const responses = await Promise.all(
          ['axe', 'bow'].map((id) =>
            team.post('/catalog/publish', {
              baseVersion: round,
              changes: [{ kind: 'item', id, after: item(id, 'common', { rollNumerator: 100 + round }) }],
            }),
          ),
        );
        assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 409]);
        assert.equal(await versionOf(team), round + 1);
      }
    });
  });

  test('with a key is done once, however often it is sent', async () => {
    const team = await teamWithCatalog();
    const body = { baseVersion: 1, changes: [{ kind: 'item', id: 'bow', after: null }] };
    const options = { headers: { 'idempotency-key': 'once' } };
    const first = assertDone(await team.post('/catalog/publish', body, options));
    const again = assertDone(await team.post('/catalog/publish', body, options));
    assert.deepEqual(again.body, first.body);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    const different = await team.post('/catalog/publish', { ...body, message: 'Other' }, options);
    assertInvalid(different, '/headers/idempotency-key');
    const planned = assertDone(await team.post('/catalog/plan', catalog(), { headers: { 'idempotency-key': 'plan' } }));
    const replayed = assertDone(
      await team.post('/catalog/plan', catalog(), { headers: { 'idempotency-key': 'plan' } }),
    );
    assert.deepEqual(replayed.body, planned.body);
    assert.equal(await versionOf(team), 2);
  });

  describe('a rollback', () => {
    test('restores an earlier version as a new one, byte for byte', async () => {
      const team = await teamWithCatalog();
      const texts = [assertDone(await team.get('/catalog')).body];
      assertDone(await team.put('/items/axe', { rollNumerator: 3 }));
      assertDone(await team.delete('/templates/banner'));
      assertDone(await team.put('/classifiers/rarity', { classifierOptions: [{ id: 'common' }] }));
      assertDone(await team.delete('/items/crown'));
      const planned = assertDone(await plan(team, { rollbackTo: 1 })).body;
      assert.deepEqual(planned.summary, { create: 2, update: 2, delete: 0 });
      const version = assertDone(await publish(team, { rollbackTo: 1 })).body;
      assert.equal(version.source, 'rollback');
      assert.equal(version.version, 6);
      assert.deepEqual(assertDone(await team.get('/catalog')).body, texts[0]);
      assertDone(await publish(team, { rollbackTo: 0 }));
      assert.deepEqual((await documentOf(team)).items, []);
    });

    test('undoes one version, and keeps later ones', async () => {
      const team = await teamWithCatalog();
      assertDone(await team.put('/items/axe', { rollNumerator: 3 }));
      assertDone(await team.put('/items/bow', { rollNumerator: 7 }));
      assert.equal(assertDone(await publish(team, { undo: 2 })).body.source, 'rollback');
      assert.deepEqual(
        (await documentOf(team)).items.map(({ rollNumerator }) => rollNumerator),
        [100, 7, 100],
      );
      assertFaults(await plan(team, { undo: 2 }), 'item axe : was changed again by a later version');
      assert.equal((await publish(team, { undo: 2 })).status, 409);
    });

    test('of a version that does not exist is not found', async () => {
      const team = await teamWithCatalog();
      for (const body of [{ rollbackTo: 9 }, { undo: 9 }]) {
        assert.equal((await plan(team, body)).status, 404);
        assert.equal((await publish(team, body)).status, 404);
      }
    });
  });

  test('shows in a version what it did to the odds', async () => {
    const team = await teamWithCatalog();
    assertDone(await team.put('/items/axe', { rollNumerator: 300 }));
    assertDone(await team.post('/spaces', { id: 'chest', name: 'Chest', cols: 1, rows: 1 }));
    const version = assertDone(await team.get('/catalog/versions/2')).body;
    const [plain, banner] = version.odds;
    assert.deepEqual([plain.pool, banner.pool], ['plain', 'banner']);
    const axe = plain.items.find(({ itemId }: { itemId: string }) => itemId === 'axe');
    assert.ok(Math.abs(axe.before - 100 / 210) < 1e-12 && Math.abs(axe.after - 300 / 410) < 1e-12);
    assert.deepEqual(assertDone(await team.get('/catalog/versions/3')).body.odds, []);
    const asked = assertDone(await team.get('/catalog/versions/2?pools=plain')).body;
    assert.deepEqual(asked.oddsLeftOut, [{ pool: 'banner', name: 'Banner' }]);
  });

  test('keeps tiers bound to their options when these are renamed', async () => {
    const team = await teamWithCatalog();
    const document = catalog();
    (document.classifiers[0]?.classifierOptions[1] as { name: string }).name = 'Epic';
    assertDone(await publish(team, document));
    assert.deepEqual((await documentOf(team)).templates[0]?.bindings, { Common: 'common', Rare: 'rare' });
    assertDone(await team.post('/templates/banner/roll', {}));
  });

  test('rejects bodies that are no request at all', async () => {
    const team = await teamWithCatalog();
    const raw = (text: string) => team.post('/catalog/plan', undefined, { raw: text });
    assertInvalid(await raw('{'), '/body');
    assertInvalid(await raw('[]'), '/body');
    assertInvalid(await raw('{"changes":[],"__proto__":{}}'), '/body');
    assertInvalid(await raw(`{"changes":${'['.repeat(100)}${']'.repeat(100)}}`), '/body');
    assertInvalid(await plan(team, { changes: 1 }), '/body/changes');
    assertInvalid(await plan(team, { changes: [], extra: 1 }), '/body/extra');
    assertInvalid(await plan(team, { changes: [{ kind: 'hero', id: 'x', after: null }] }), '/body/changes/0/kind');
    assertInvalid(await plan(team, { rollbackTo: -1 }), '/body/rollbackTo');
    assertInvalid(await team.post('/catalog/publish', { changes: [] }), '/body/baseVersion');
    assertInvalid(await publish(team, { changes: [], message: 'x'.repeat(501) }), '/body/message');
    assertInvalid(await plan(team, { ...catalog(), formatVersion: 2 }), '/body/formatVersion');
    assertInvalid(await plan(team, { ...catalog(), items: [{ name: 'x' }] }), '/body/items/0/id');
    assert.equal(await versionOf(team), 1);
  });
});
