import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Client, issuePaths, onEveryDatabase } from '../../../test/harness.ts';
import { assertDone } from '../../../test/rules.ts';

const RARITY = {
  id: 'rarity',
  name: 'Rarity',
  classifierOptions: [
    { id: 'common', name: 'Common', dropRateMultiplier: 1 },
    { id: 'epic', name: 'Epic', dropRateMultiplier: 1 },
  ],
};
const POWER = { id: 'power', name: 'Power', min: 0, max: 10, step: 5 };
const itemOf = (id: string, classifierOptionIds: string[], more: object = {}) => ({
  ...{ id, name: id, rollNumerator: 100, classifierOptionIds },
  ...more,
});
const changeOf = (kind: string, after: { id: string }) => ({ kind, id: after.id, after });
const tiers = { baseRates: { common: 0.9, epic: 0.1 } };

/** A live catalog with a stick, and a draft that adds the rarities, a sword and a banner. */
const start = async (team: Client): Promise<string> => {
  assertDone(await team.post('/items', { id: 'stick', name: 'stick' }));
  const ranges = { itemAttributes: [{ id: 'sword-power', attributeId: 'power', min: 5, max: 10 }] };
  const changes = [
    changeOf('classifier', RARITY),
    changeOf('attribute', POWER),
    changeOf('item', itemOf('stick', ['common'])),
    changeOf('item', itemOf('sword', ['epic'], ranges)),
    changeOf('template', { id: 'banner', name: 'Banner', type: 'gacha', config: tiers } as never),
  ];
  return assertDone(await team.post('/catalog/drafts', { name: 'First', changes })).body.id;
};

const sharesOf = ({ items }: { items: { itemId: string; effective: number }[] }) =>
  items.map(({ itemId, effective }) => [itemId, effective]);

onEveryDatabase('what is computed on a draft', (service) => {
  const withDraft = async () => {
    const team = await service().anotherTeam();
    return { team, draftId: await start(team) };
  };

  test('has the odds of the items, options and templates of the draft', async () => {
    const { team, draftId } = await withDraft();
    const live = await team.post('/templates/odds', { type: 'gacha', config: tiers });
    assert.deepEqual(issuePaths(live), ['/body/config/baseRates/common', '/body/config/baseRates/epic']);
    const subjects = [
      { type: 'gacha', config: tiers },
      { config: { baseRates: { Common: 0.9, Epic: 0.1 } } },
      { templateId: 'banner' },
    ];
    for (const subject of subjects) {
      const { body } = assertDone(await team.post('/templates/odds', { ...subject, draftId }));
      assert.deepEqual(sharesOf(body), [
        ['stick', 0.9],
        ['sword', 0.1],
      ]);
      assert.equal(body.warnings, undefined);
      assert.equal(body.tiers[0].name, 'Epic');
      assert.ok(body.curve.length > 0);
    }
    // The same as once the draft is live.
    const drafted = assertDone(await team.post('/templates/odds', { templateId: 'banner', draftId })).body;
    assertDone(await team.post(`/catalog/drafts/${draftId}/publish`, {}));
    const { templateId: _, ...published } = assertDone(await team.get('/templates/banner/odds')).body;
    assert.deepEqual(drafted, published);
  });

  test('leaves out what the draft deletes and what is faulty in it', async () => {
    const { team } = await withDraft();
    assertDone(await team.post('/items', { id: 'twig', name: 'twig' }));
    assertDone(await team.post('/items', { id: 'log', name: 'log' }));
    const changes = [
      { kind: 'item', id: 'stick', after: null },
      { kind: 'item', id: 'twig', after: { id: 'twig', name: 'twig', rollNumerator: -5 } },
      { kind: 'item', id: 'log', after: { id: 'log', name: 'log', rollNumerator: 300 } },
      { kind: 'item', id: 'gone', after: null },
    ];
    const { body: draft } = assertDone(await team.post('/catalog/drafts', { name: 'Second', changes }));
    const { body } = assertDone(await team.post('/templates/odds', { config: {}, draftId: draft.id }));
    assert.deepEqual(sharesOf(body), [
      ['log', 0.75],
      ['twig', 0.25],
    ]);
  });

  test('has simulations like those of the same catalog, live', async () => {
    const { team, draftId } = await withDraft();
    const asked = { templateId: 'banner', players: 100, rolls: 20, seed: 'one', exact: true, itemIds: ['sword'] };
    const drafted = assertDone(await team.post('/templates/simulate', { ...asked, draftId })).body;
    assert.deepEqual(issuePaths(await team.post('/templates/simulate', asked)), ['/body/templateId']);
    assertDone(await team.post(`/catalog/drafts/${draftId}/publish`, {}));
    assert.deepEqual(assertDone(await team.post('/templates/simulate', asked)).body, drafted);
  });

  test('has test rolls, which nobody sees', async () => {
    const { team, draftId } = await withDraft();
    const asked = { templateId: 'banner', count: 100, seed: 'one', draftId };
    const { body } = assertDone(await team.post('/templates/test-rolls', asked));
    assert.deepEqual(assertDone(await team.post('/templates/test-rolls', asked)).body, body);
    assert.equal(body.rolls.length, 100);
    const swords = body.rolls.filter(({ itemId }: { itemId: string }) => itemId === 'sword');
    assert.ok(swords.length > 0 && swords.length < 50, `${swords.length} swords`);
    for (const { itemName, tier, pity, featured, values } of swords) {
      assert.deepEqual([itemName, tier, pity, featured], ['sword', 'epic', false, false]);
      assert.ok(values[0].attributeId === 'power' && [5, 10].includes(values[0].value));
    }
    const other = assertDone(await team.post('/templates/test-rolls', { ...asked, seed: undefined })).body;
    assert.notEqual(other.seed, body.seed);
    assertDone(await team.post(`/catalog/drafts/${draftId}/publish`, {}));
    const live = assertDone(await team.post('/templates/test-rolls', { ...asked, draftId: undefined })).body;
    assert.deepEqual(live, body);
    assert.equal(assertDone(await team.get('/roll-events/stats')).body.totalRolls, 0);
    assert.deepEqual(assertDone(await team.get('/users')).body, []);
  });

  test('rolls with pity, and without the times and the clock of a template', async () => {
    const { team, draftId } = await withDraft();
    const rates = { baseRates: { common: 1, epic: 0 }, pityThreshold: 5, endsAt: '2020-01-01T00:00:00.000Z' };
    const { body } = assertDone(await team.post('/templates/test-rolls', { config: rates, count: 10, draftId }));
    const pities = body.rolls.map(({ pity }: { pity: boolean }) => pity);
    assert.deepEqual(pities, [0, 0, 0, 0, 1, 0, 0, 0, 0, 1].map(Boolean));
    const idle = { type: 'idle', config: { rollsPerHour: 1 }, count: 3, draftId };
    assert.equal(assertDone(await team.post('/templates/test-rolls', idle)).body.rolls.length, 3);
    const pack = { type: 'card_pack', config: { slots: [{ count: 4 }] }, count: 3 };
    assert.equal(assertDone(await team.post('/templates/test-rolls', pack)).body.rolls.length, 12);
  });

  test('warns of what may not be meant', async () => {
    const { team, draftId } = await withDraft();
    const config = {
      ...{ ...tiers, pityThreshold: 90, softPity: [{ from: 95, add: 0.06 }] },
      ...{ featuredItemIds: ['sword'], featuredShare: 0.5, guaranteeAfterLosses: 1 },
    };
    const expected = [
      { path: '/softPity', message: 'the soft pity starts at roll 95, but the hard pity of 90 comes before it' },
      {
        path: '/featuredShare',
        message: 'every item of the tier Epic is featured, so there is nothing that the 50 % could be lost to',
      },
    ];
    const drafted = assertDone(await team.post('/templates/odds', { config, draftId })).body;
    assert.deepEqual(drafted.warnings, expected);
    const after = { id: 'second', name: 'Second', type: 'gacha', config };
    const changes = [
      ...assertDone(await team.get(`/catalog/drafts/${draftId}`)).body.changes,
      changeOf('template', after as never),
    ];
    const plan = assertDone(await team.post('/catalog/plan', { changes })).body;
    const planned = plan.warnings.filter(({ id }: { id: string }) => id === 'second');
    assert.deepEqual(
      planned.map(({ path, message }: { path: string; message: string }) => ({ path, message })),
      expected.map(({ path, message }) => ({ path: `/config${path}`, message })),
    );
    assertDone(await team.post(`/catalog/drafts/${draftId}/publish`, {}));
    assert.deepEqual(assertDone(await team.post('/templates/odds', { config })).body.warnings, expected);
    const fine = { ...config, softPity: [{ from: 75, add: 0.06 }], featuredShare: 1 };
    assert.equal(assertDone(await team.post('/templates/odds', { config: fine })).body.warnings, undefined);
  });

  test('warns before an open template becomes verifiable, and of options of one name', async () => {
    const { team, draftId } = await withDraft();
    assertDone(await team.post(`/catalog/drafts/${draftId}/publish`, {}));
    const banner = { id: 'banner', name: 'Banner', type: 'gacha', config: tiers, verifiable: true };
    const twins = { ...RARITY, classifierOptions: [...RARITY.classifierOptions, { id: 'epic-2', name: 'Epic' }] };
    const changes = [changeOf('template', banner), changeOf('classifier', twins)];
    const { warnings } = assertDone(await team.post('/catalog/plan', { changes })).body;
    assert.deepEqual(
      warnings.map(({ id, path, message }: Record<string, string>) => [id, path, message]),
      [
        ['rarity', '/classifierOptions', 'Rarity has several options named Epic'],
        ['banner', '/verifiable', 'rolls on Banner will be refused for players who have not chosen a client seed'],
      ],
    );
  });

  describe('refuses', () => {
    const PATHS = ['/templates/odds', '/templates/simulate', '/templates/test-rolls'];
    const needed = (path: string) => (path.endsWith('simulate') ? { players: 1, rolls: 1, seed: 'a' } : {});

    test('drafts that are unknown or of another team, and subjects that are missing, double or unknown', async () => {
      const { team, draftId } = await withDraft();
      const other = await service().anotherTeam();
      for (const path of PATHS) {
        const ask = async (by: Client, body: object) => {
          const response = await by.post(path, { ...needed(path), ...body });
          assert.equal(response.status, 400);
          return issuePaths(response);
        };
        assert.deepEqual(await ask(team, { config: {}, draftId: 'none' }), ['/body/draftId']);
        assert.deepEqual(await ask(other, { config: {}, draftId }), ['/body/draftId']);
        assert.deepEqual(await ask(team, { config: {}, draftId: 5 }), ['/body/draftId']);
        assert.deepEqual(await ask(team, { draftId }), ['/body/templateId']);
        assert.deepEqual(await ask(team, { templateId: 'banner', config: {}, draftId }), ['/body/config']);
        assert.deepEqual(await ask(team, { templateId: 'none', draftId }), ['/body/templateId']);
        assert.deepEqual(await ask(team, { templateId: 'banner' }), ['/body/templateId']);
        assert.deepEqual(await ask(team, { config: { pityThreshold: 'x' }, draftId }), ['/body/config/pityThreshold']);
        const unknown = { baseRates: { mythic: 1 } };
        assert.deepEqual(await ask(team, { config: unknown, draftId }), ['/body/config/baseRates/mythic']);
        assert.deepEqual(await ask(team, { config: {}, depth: 1, draftId }), ['/body/depth']);
      }
      for (const count of [0, 101, 1.5, 'x'])
        assert.deepEqual(issuePaths(await team.post('/templates/test-rolls', { config: {}, count })), ['/body/count']);
      const items = { templateId: 'banner', players: 1, rolls: 1, seed: 'a', itemIds: ['none'], draftId };
      assert.deepEqual(issuePaths(await team.post('/templates/simulate', items)), ['/body/itemIds/0']);
    });

    test('those who may not change the catalog', async () => {
      const { draftId } = await withDraft();
      for (const role of ['read', 'support'] as const) {
        const reader = await service().as(role);
        for (const path of PATHS) {
          const response = await reader.post(path, { ...needed(path), templateId: 'banner', draftId });
          assert.equal(response.status, 403);
        }
      }
    });
  });
});
