/** The edges of what a template and a roll on it may be: the last value that is accepted, and the first that is not. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { LIMITS } from '../../src/shared/limits.ts';
import { type Client, onEveryDatabase } from '../harness.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = Date.parse('2026-11-14T09:30:00.000Z');

onEveryDatabase('a template at the edge of its limits', (service) => {
  let team: Client;
  const options: Record<string, string> = {};

  before(async () => {
    team = await service().anotherTeam();
    const { body } = await team.post('/classifiers', {
      name: 'Rarity',
      classifierOptions: [{ name: 'five' }, { name: 'three' }],
    });
    for (const { id, name } of body.classifierOptions) options[name] = id;
    for (const [id, tier] of [
      ['star', 'five'],
      ['moon', 'five'],
      ['stone', 'three'],
      ['stick', 'three'],
    ] as const)
      await team.post('/items', { id, name: id, classifierOptionIds: [options[tier]] });
    await team.post('/items', { id: 'wide', name: 'Wide', width: 3, height: 1 });
  });

  const rates = { five: 1, three: 9 };
  let count = 0;
  const save = (type: string, config: object) => {
    count += 1;
    return team.post('/templates', {
      id: `edge-${count}`,
      name: 'Edge',
      type,
      config: { baseRates: rates, ...config },
    });
  };

  /** What is accepted, and what is rejected at which member. */
  const EDGES: readonly [type: string, accepted: object[], rejected: [object, string][]][] = [
    [
      'gacha',
      [
        { pityThreshold: 0 },
        { pityThreshold: 1000 },
        { sparkCurrency: 0 },
        { featuredItemIds: ['star'], featuredShare: 0 },
        { featuredItemIds: ['star'], featuredShare: 1 },
        { featuredItemIds: ['star'], featuredShare: 0.5, guaranteeAfterLosses: 1 },
        { featuredItemIds: ['star'], featuredShare: 0.5, guaranteeAfterLosses: 10 },
        { pityThreshold: 90, softPity: [{ from: 1, add: 0.01 }] },
        { pityThreshold: 90, softPity: [{ from: 74, add: 1e-9 }] },
        { baseRates: { five: 0, three: 1 } },
      ],
      [
        [{ pityThreshold: -1 }, '/body/config/pityThreshold'],
        [{ pityThreshold: 1001 }, '/body/config/pityThreshold'],
        [{ pityThreshold: 1.5 }, '/body/config/pityThreshold'],
        [{ sparkCurrency: -1 }, '/body/config/sparkCurrency'],
        [{ sparkCurrency: 0.5 }, '/body/config/sparkCurrency'],
        [{ featuredItemIds: ['star'], featuredShare: -0.1 }, '/body/config/featuredShare'],
        [{ featuredItemIds: ['star'], featuredShare: 1.1 }, '/body/config/featuredShare'],
        [{ guaranteeAfterLosses: 0 }, '/body/config/guaranteeAfterLosses'],
        [{ guaranteeAfterLosses: 11 }, '/body/config/guaranteeAfterLosses'],
        [{ pityThreshold: 90, softPity: [{ from: 0, add: 0.1 }] }, '/body/config/softPity/0/from'],
        [{ pityThreshold: 90, softPity: [{ from: 1001, add: 0.1 }] }, '/body/config/softPity/0/from'],
        [{ pityThreshold: 90, softPity: [{ from: 1, add: 0 }] }, '/body/config/softPity/0/add'],
        [{ baseRates: { five: -1, three: 9 } }, '/body/config/baseRates/five'],
        [{ baseRates: { five: 0, three: 0 } }, '/body/config/baseRates'],
      ],
    ],
    [
      'card_pack',
      [{ slots: [{ count: 20 }] }, { slots: Array.from({ length: 20 }, () => ({ count: 1 })) }],
      [
        [{ slots: [] }, '/body/config/slots'],
        [{ slots: [{ count: 0 }] }, '/body/config/slots/0/count'],
        [{ slots: [{ count: 21 }] }, '/body/config/slots/0/count'],
        [{ slots: [{ count: 20 }, { count: 1 }] }, '/body/config/slots'],
        [{ slots: Array.from({ length: 21 }, () => ({ count: 1 })) }, '/body/config/slots'],
      ],
    ],
    [
      'roguelike',
      [{ choices: 1 }, { choices: 4 }, { depthScaling: { five: 2 } }, { depthScaling: { five: 0 } }],
      [
        [{ choices: 0 }, '/body/config/choices'],
        [{ choices: 5 }, '/body/config/choices'],
        [{ choices: 21 }, '/body/config/choices'],
        [{ depthScaling: { five: 2.1 } }, '/body/config/depthScaling/five'],
        [{ depthScaling: { five: -0.1 } }, '/body/config/depthScaling/five'],
      ],
    ],
    [
      'idle',
      [
        { rollsPerHour: 1e6, maxHours: 1 },
        { rollsPerHour: 0.000001, maxHours: 1e6 },
      ],
      [
        [{ rollsPerHour: 0 }, '/body/config/rollsPerHour'],
        [{ rollsPerHour: 1e6 + 1 }, '/body/config/rollsPerHour'],
        [{ rollsPerHour: 1, maxHours: 0 }, '/body/config/maxHours'],
        [{ rollsPerHour: 1, maxHours: 1e6 + 1 }, '/body/config/maxHours'],
        [{ rollsPerHour: 1, maxHours: 0.5 }, '/body/config/maxHours'],
      ],
    ],
  ];

  for (const [type, accepted, rejected] of EDGES)
    describe(`of type ${type}`, () => {
      for (const config of accepted)
        test(`is accepted with ${JSON.stringify(config).slice(0, 80)}`, async () => {
          const { status, body } = await save(type, config);
          assert.equal(status, 200, JSON.stringify(body));
        });
      for (const [config, path] of rejected)
        test(`is rejected with ${JSON.stringify(config).slice(0, 80)}`, async () => {
          const before = (await team.get('/templates')).body.length;
          const { status, body } = await save(type, config);
          assert.equal(status, 400, JSON.stringify(body));
          assert.ok(
            body.issues.some((issue: { path: string }) => issue.path === path),
            JSON.stringify(body.issues),
          );
          assert.equal((await team.get('/templates')).body.length, before);
        });
    });

  test('must not have a reserved id, or one with other characters', async () => {
    for (const id of ['roll', 'odds', 'batch', 'type', 'stats', 'drop-rates', '.', '..', 'a b', 'a/b', 'ä']) {
      const template = await team.post('/templates', { id, name: 'Edge', config: { baseRates: rates } });
      const instance = await team.post('/item-instances', { id, itemId: 'star', userId: 'ann' });
      for (const { status, body } of [template, instance]) {
        assert.equal(status, 400, id);
        assert.equal(body.issues[0].path, '/body/id');
        assert.match(body.issues[0].message, /^must consist of the characters A-Z a-z 0-9 /);
      }
    }
  });

  test('must have times that exist', async () => {
    for (const time of ['yesterday', '2026-11-14', '2026-02-30T00:00:00Z', '2026-11-14T25:00:00Z', 5, '']) {
      for (const member of ['createdAt', 'updatedAt']) {
        const { status, body } = await team.post('/templates', { name: 'Edge', config: {}, [member]: time });
        assert.deepEqual([status, body.issues[0].path], [400, `/body/${member}`]);
      }
      for (const member of ['startsAt', 'endsAt']) {
        const { status, body } = await save('gacha', { [member]: time });
        assert.deepEqual([status, body.issues[0].path], [400, `/body/config/${member}`]);
      }
    }
    const { body } = await team.post('/templates', {
      ...{ name: 'Edge', config: { baseRates: rates } },
      ...{ createdAt: '2026-01-01T00:00:00Z', updatedAt: null },
    });
    assert.deepEqual([body.createdAt, body.updatedAt], ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z']);
  });

  test('keeps its odds and its state outside of its period, in which alone it can be rolled', async () => {
    service().setClock(NOW_MS);
    const period = { startsAt: '2026-11-15T00:00:00Z', endsAt: '2026-11-16T00:00:00Z', pityThreshold: 5 };
    const { body: template } = await save('gacha', period);
    const roll = () => team.post(`/templates/${template.id}/roll`, { userId: 'ann' });
    const rolls = async () => (await team.get(`/users/ann/templates/${template.id}`)).body.rolls;
    await team.post('/users', { id: 'ann' });
    const odds = async () => (await team.get(`/templates/${template.id}/odds`)).body.tiers;
    const inside = await odds();
    for (const [nowMs, isInside] of [
      [Date.parse(period.startsAt) - 1, false],
      [Date.parse(period.startsAt), true],
      [Date.parse(period.endsAt) - 1, true],
      [Date.parse(period.endsAt), false],
    ] as const) {
      service().setClock(nowMs);
      const before = await rolls();
      assert.equal((await roll()).status, isInside ? 200 : 400);
      assert.equal(await rolls(), before + (isInside ? 1 : 0));
      assert.deepEqual(await odds(), inside);
    }
    service().setClock(Date.now());
  });

  test('has other odds as soon as a weight changes', async () => {
    const { body: template } = await save('gacha', {});
    const star = async () =>
      (await team.get(`/templates/${template.id}/odds`)).body.items.find(
        ({ itemId }: { itemId: string }) => itemId === 'star',
      ).expectedRolls;
    const before = await star();
    await team.put('/items/star', { rollNumerator: 300 });
    assert.ok(Math.abs((await star()) / before - 2 / 3) < 1e-9, 'its share of the tier rose from 1/2 to 3/4');
    await team.put('/items/star', { rollNumerator: 100 });
    assert.equal(await star(), before);
  });

  describe('is rolled', () => {
    test('with a depth from 0 to 1000 and offers from 0 on, and not beyond', async () => {
      const { body: template } = await save('roguelike', { depthScaling: { five: 1.01 } });
      const roll = async (body: object) => {
        const response = await team.post(`/templates/${template.id}/roll`, { userId: 'ann', ...body });
        return [response.status, response.body.issues?.[0].path];
      };
      for (const body of [{ depth: 0 }, { depth: 1000 }, { seed: 's', offer: 0 }])
        assert.deepEqual(await roll(body), [200, undefined]);
      assert.deepEqual(await roll({ depth: 1001 }), [400, '/body/depth']);
      assert.deepEqual(await roll({ depth: -1 }), [400, '/body/depth']);
      assert.deepEqual(await roll({ seed: 's', offer: -1 }), [400, '/body/offer']);
      assert.deepEqual(await roll({ count: 0 }), [400, '/body/count']);
      assert.deepEqual(await roll({ count: LIMITS.rollsPerCall + 1 }), [400, '/body/count']);
    });

    test('at most a thousand times per call for idle rolls, which lose nothing by it', async () => {
      service().setClock(NOW_MS);
      const { body: template } = await save('idle', { rollsPerHour: 1500, maxHours: 24 });
      const claim = async () =>
        (await team.post(`/templates/${template.id}/roll`, { userId: 'idler' })).body.rolls.length;
      assert.equal(await claim(), 0);
      service().setClock(NOW_MS + HOUR_MS);
      assert.equal(await claim(), 1000);
      assert.equal(await claim(), 500);
      assert.equal(await claim(), 0);
      service().setClock(Date.now());
    });

    test('into a user space that is too small for a pack: rejected before anything is drawn, or kept unplaced', async () => {
      await team.post('/spaces', { id: 'pouch', name: 'Pouch', cols: 2, rows: 1 });
      const { body: pouch } = await team.post('/users/collector/spaces', { spaceId: 'pouch' });
      const { body: template } = await save('card_pack', { slots: [{ count: 3 }] });
      const open = (onFull?: string) =>
        team.post(`/templates/${template.id}/roll`, { userId: 'collector', userSpaceId: pouch.id, onFull });
      const owned = async () => (await team.get('/item-instances?userId=collector')).body.length;
      for (const onFull of [undefined, 'reject']) {
        const { status, body } = await open(onFull);
        assert.deepEqual([status, body.issues[0].path], [409, '/body/userSpaceId']);
      }
      assert.equal(await owned(), 0);
      assert.equal((await team.get(`/users/collector/templates/${template.id}`)).body.rolls, 0);
      const { status, body } = await open('unplaced');
      assert.equal(status, 200);
      const places = body.rolls.map(({ placed }: { placed: boolean }) => placed);
      assert.deepEqual(places, [undefined, undefined, false]);
      assert.equal(await owned(), 3);
    });

    test('and its points are exchanged for a featured item, and for nothing else', async () => {
      const { body: template } = await save('gacha', { featuredItemIds: ['star'], sparkCurrency: 2 });
      const spark = (itemId: string) => team.post(`/templates/${template.id}/spark`, { userId: 'sparky', itemId });
      await team.post(`/templates/${template.id}/roll`, { userId: 'sparky' });
      const early = await spark('star');
      assert.equal(early.status, 409);
      assert.match(early.body.issues[0].message, /costs 2 points, and the user has 1/);
      await team.post(`/templates/${template.id}/roll`, { userId: 'sparky' });
      assert.deepEqual((await spark('stone')).body.issues[0].path, '/body/itemId');
      const { status, body } = await spark('star');
      assert.deepEqual([status, body.itemInstance.itemId, body.state.sparkPoints], [200, 'star', 0]);
      assert.equal((await spark('star')).status, 409);
    });
  });
});
