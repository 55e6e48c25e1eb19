import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type ApiResponse, issuePaths, onEveryDatabase } from '../../../test/harness.ts';
import { LIMITS } from '../../shared/limits.ts';

onEveryDatabase('rolls on templates', (service) => {
  const options: Record<string, string> = {};
  const HOUR_MS = 3_600_000;

  before(async () => {
    await service().post('/attributes', { id: 'damage', name: 'Damage' });
    const classifierOptions = [{ name: 'five' }, { name: 'four' }, { name: 'three' }];
    const { body } = await service().post('/classifiers', { name: 'Rarity', classifierOptions });
    for (const option of body.classifierOptions) options[option.name] = option.id;
    for (const [tier, count] of Object.entries({ five: 4, four: 4, three: 8 })) {
      for (let number = 1; number <= count; number += 1) {
        const answer = await service().post('/items', {
          id: `${tier}-${number}`,
          name: `${tier} ${number}`,
          classifierOptionIds: [options[tier]],
          itemAttributes: [{ attributeId: 'damage', min: 1, max: 9 }],
        });
        assert.equal(answer.status, 200);
      }
    }
  });

  const rates = { five: 0.006, four: 0.051, three: 0.943 };
  const save = async (id: string, config: object, type = 'gacha'): Promise<void> => {
    const answer = await service().post('/templates', { id, name: id, type, config });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  };
  const roll = (id: string, body: object): Promise<ApiResponse> => service().post(`/templates/${id}/roll`, body);
  const stats = async () => (await service().get('/roll-events/stats')).body;

  test('rolls once without a user, with base odds, and stores no state', async () => {
    // With pity, the second roll would give the tier of five, and so would every other one.
    await save('without-state', { baseRates: { five: 0, three: 1 }, pityTier: 'five', pityThreshold: 2 });
    for (let count = 0; count < 6; count += 1)
      assert.equal((await roll('without-state', {})).body.rolls[0].tier, options.three);
    await save('plain', { baseRates: { five: 1 }, pityThreshold: 2 });
    const { status, body } = await roll('plain', {});
    assert.equal(status, 200);
    const [result] = body.rolls;
    assert.deepEqual(body, { templateId: 'plain', userId: null, rolls: [result], state: null });
    assert.equal(result.tier, options.five);
    assert.equal(result.pity, false);
    assert.equal(result.featured, false);
    assert.equal(result.item.classifiers[0].classifierOptionId, options.five);
    assert.equal(result.itemAttributeInstances[0].attribute.id, 'damage');
    assert.ok(!('itemInstance' in result));
  });

  test('counts pity for a user, gives the top tier when due, and returns the exact odds of the next roll', async () => {
    await save('pity', { baseRates: { five: 0, three: 1 }, pityTier: 'five', pityThreshold: 5, sparkCurrency: 9 });
    const first = await roll('pity', { userId: 'ann', count: 4 });
    assert.deepEqual(
      first.body.rolls.map(({ tier, pity }: { tier: string; pity: boolean }) => [tier, pity]),
      Array(4).fill([options.three, false]),
    );
    assert.deepEqual(first.body.state, {
      templateId: 'pity',
      userId: 'ann',
      rolls: 4,
      sinceTop: 4,
      losses: 0,
      sparkPoints: 4,
      pities: [],
      accruedRolls: 0,
      next: [
        { tier: options.five, tierName: 'five', rate: 1 },
        { tier: options.three, tierName: 'three', rate: 0 },
      ],
    });
    assert.deepEqual((await service().get('/users/ann/templates/pity')).body, first.body.state);
    const second = await roll('pity', { userId: 'ann' });
    assert.deepEqual([second.body.rolls[0].tier, second.body.rolls[0].pity], [options.five, true]);
    assert.equal(second.body.state.sinceTop, 0);
  });

  test('shares only the pity counters in a pity group', async () => {
    const config = { baseRates: { five: 0, three: 1 }, pityTier: 'five', pityThreshold: 5, pityGroup: 'limited' };
    await save('group-a', config);
    await save('group-b', config);
    await roll('group-a', { userId: 'bob', count: 4 });
    const { body } = await roll('group-b', { userId: 'bob' });
    assert.equal(body.rolls[0].pity, true);
    assert.deepEqual([body.state.rolls, body.state.sinceTop, body.state.sparkPoints], [1, 0, 1]);
    const other = await service().get('/users/bob/templates/group-a');
    assert.deepEqual([other.body.rolls, other.body.sinceTop, other.body.sparkPoints], [4, 0, 4]);
  });

  test('creates unplaced instances with exactly these values on request', async () => {
    await save('grant', { baseRates: rates });
    const { body } = await roll('grant', { userId: 'cy', count: 3, grant: true });
    const owned = await service().get('/item-instances?userId=cy');
    assert.deepEqual(
      body.rolls.map((result: { itemInstance: { id: string }; itemAttributeInstances: { value: number }[] }) => [
        result.itemInstance.id,
        result.itemAttributeInstances.map(({ value }) => value),
      ]),
      owned.body.map((instance: { id: string; attributes: { value: number }[] }) => [
        instance.id,
        instance.attributes.map(({ value }) => value),
      ]),
    );
  });

  describe('when not all fit', () => {
    before(async () => {
      await service().post('/spaces', { id: 'pouch', name: 'Pouch', cols: 3, rows: 3 });
      await save('bag', { baseRates: { five: 0, three: 1 }, pityTier: 'five', pityThreshold: 50 });
    });

    test('rejects all ten because of the tenth, and changes nothing, not even a counter', async () => {
      await service().post('/users/dee/spaces', { id: 'dee-pouch', spaceId: 'pouch' });
      const before = await stats();
      const answer = await roll('bag', { userId: 'dee', count: 10, userSpaceId: 'dee-pouch' });
      assert.equal(answer.status, 409);
      assert.equal(answer.headers.get('x-should-retry'), 'false');
      assert.deepEqual(await stats(), before);
      assert.deepEqual((await service().get('/item-instances?userId=dee')).body, []);
      assert.equal((await service().get('/users/dee/templates/bag')).body.rolls, 0);
    });

    test('keeps the rest unplaced on request', async () => {
      await service().post('/users/eve/spaces', { id: 'eve-pouch', spaceId: 'pouch' });
      const answer = await roll('bag', { userId: 'eve', count: 10, userSpaceId: 'eve-pouch', onFull: 'unplaced' });
      const places = answer.body.rolls.map(
        ({ itemInstance }: { itemInstance: { itemInstanceSpace: unknown } }) => itemInstance.itemInstanceSpace !== null,
      );
      assert.deepEqual(places, [...Array(9).fill(true), false]);
      assert.equal((await service().get('/item-instances?userSpaceId=eve-pouch')).body.length, 9);
    });
  });

  test('exchanges spark points for a featured item, which is not a roll', async () => {
    await save('spark', { baseRates: { three: 1 }, featuredItemIds: ['three-3'], sparkCurrency: 3 });
    await roll('spark', { userId: 'fay', count: 5 });
    const before = await stats();
    const { status, body } = await service().post('/templates/spark/spark', { userId: 'fay', itemId: 'three-3' });
    assert.equal(status, 200);
    assert.deepEqual(
      [body.templateId, body.userId, body.itemInstance.itemId, body.state.sparkPoints, body.state.rolls],
      ['spark', 'fay', 'three-3', 2, 5],
    );
    assert.deepEqual(await stats(), before);
    const again = await service().post('/templates/spark/spark', { userId: 'fay', itemId: 'three-3' });
    assert.equal(again.status, 409);
    assert.equal((await service().get('/item-instances?userId=fay')).body.length, 1);
    const unseen = await service().post('/templates/spark/spark', { userId: 'fred', itemId: 'three-3' });
    assert.equal(unseen.status, 409);
    assert.equal((await service().get('/users/fred')).status, 404);
    const plain = await service().post('/templates/spark/spark', { userId: 'fay', itemId: 'three-4' });
    assert.deepEqual(issuePaths(plain), ['/body/itemId']);
    const none = await service().post('/templates/plain/spark', { userId: 'fay', itemId: 'five-1' });
    assert.equal(none.status, 400);
  });

  test('exchanges nothing for an item that does not fit, unless it may stay unplaced', async () => {
    await save('spark-bag', { baseRates: { three: 1 }, featuredItemIds: ['three-3'], sparkCurrency: 2 });
    await service().post('/spaces', { id: 'cell', name: 'Cell', cols: 1, rows: 1 });
    await service().post('/users/flo/spaces', { id: 'flo-cell', spaceId: 'cell' });
    await roll('spark-bag', { userId: 'flo', count: 5 });
    const spark = (more: object) =>
      service().post('/templates/spark-bag/spark', {
        userId: 'flo',
        itemId: 'three-3',
        userSpaceId: 'flo-cell',
        ...more,
      });
    const placed = await spark({});
    assert.equal(placed.body.itemInstance.itemInstanceSpace.spacePositionX, 0);
    assert.equal((await spark({})).status, 409);
    assert.equal((await service().get('/users/flo/templates/spark-bag')).body.sparkPoints, 3);
    const unplaced = await spark({ onFull: 'unplaced' });
    assert.deepEqual([unplaced.body.itemInstance.itemInstanceSpace, unplaced.body.state.sparkPoints], [null, 1]);
    assert.deepEqual(issuePaths(await spark({ userSpaceId: 'eve-pouch' })), ['/body/userSpaceId']);
    assert.equal((await service().get('/item-instances?userId=flo')).body.length, 2);
  });

  test('opens packs of different cards, and counts cards in the statistics but packs in the state', async () => {
    const slots = [{ count: 4 }, { count: 1, rates: { four: 0.9, five: 0.1 } }];
    await save(
      'pack',
      { baseRates: { three: 0.8, four: 0.15, five: 0.05 }, slots, unique: true, pityThreshold: 10 },
      'card_pack',
    );
    const { body } = await roll('pack', { userId: 'gil', count: 12 });
    assert.equal(body.rolls.length, 60);
    assert.equal(body.state.rolls, 12);
    for (let pack = 0; pack < 12; pack += 1) {
      const cards = body.rolls.slice(5 * pack, 5 * pack + 5);
      assert.equal(new Set(cards.map(({ item }: { item: { id: string } }) => item.id)).size, 5);
      assert.notEqual(cards[4].tier, options.three);
    }
    assert.equal((await stats()).rollsByTemplate.pack, 60);
    assert.equal((await service().get('/roll-events/stats?templateId=pack')).body.totalRolls, 60);
  });

  test('repeats seeded offers for any caller, and changes no counter', async () => {
    await save(
      'offers',
      { baseRates: { five: 1, four: 2, three: 7 }, choices: 3, depthScaling: { five: 1.5 }, pityThreshold: 3 },
      'roguelike',
    );
    const ids = ({ body }: ApiResponse) => body.rolls.map(({ item }: { item: { id: string } }) => item.id);
    const run = await roll('offers', { seed: 'run-1', depth: 2, count: 4 });
    assert.equal(run.body.rolls.length, 12);
    const later = await roll('offers', { userId: 'hal', seed: 'run-1', depth: 2, offer: 2, count: 2 });
    assert.deepEqual(ids(later), ids(run).slice(6));
    assert.equal(later.body.state.rolls, 0);
    assert.notDeepEqual(ids(await roll('offers', { seed: 'run-2', depth: 2, count: 4 })), ids(run));
    const unseeded = await roll('offers', { userId: 'hal', count: 5 });
    assert.equal(unseeded.body.state.rolls, 5);
    assert.ok(unseeded.body.state.sinceTop < 3);
  });

  test('gives the same results in a test roll, and records nothing', async () => {
    const before = await stats();
    const run = { seed: 'run-1', depth: 2, count: 4 };
    const { status, body } = await roll('offers', { ...run, test: true });
    assert.equal(status, 200);
    assert.deepEqual(await stats(), before);
    assert.deepEqual(body, (await roll('offers', { ...run, test: false })).body);
    assert.equal((await stats()).rollsByTemplate.offers, before.rollsByTemplate.offers + 12);

    await save('tested', { baseRates: { five: 1 } });
    await save('tested-pack', { baseRates: { five: 1 }, slots: [{ count: 3 }] }, 'card_pack');
    assert.equal((await roll('tested', { test: true, count: 7, grant: false })).body.rolls.length, 7);
    assert.equal((await roll('tested-pack', { test: true, count: 2 })).body.rolls.length, 6);
    const after = await stats();
    assert.deepEqual([after.rollsByTemplate.tested, after.rollsByTemplate['tested-pack']], [undefined, undefined]);
    const events = await service().database.read('', ({ queries }) =>
      queries.selectFrom('roll_events').select('id').where('template_id', 'in', ['tested', 'tested-pack']).execute(),
    );
    assert.deepEqual(events, []);
  });

  test('creates an unknown user, even with a seeded offer', async () => {
    const { body } = await roll('offers', { userId: 'ghost', seed: 'run-1' });
    const found = await service().get('/users/ghost/templates/offers');
    assert.deepEqual([found.status, found.body], [200, body.state]);
  });

  test('accrues idle rolls exactly, and never beyond the maximum hours', async () => {
    await save('chest', { baseRates: { three: 1 }, rollsPerHour: 2, maxHours: 3 }, 'idle');
    const start = Date.UTC(2026, 0, 1);
    const claimAt = async (ms: number) => {
      service().setClock(start + ms);
      return (await roll('chest', { userId: 'ida' })).body;
    };
    try {
      assert.deepEqual((await claimAt(0)).rolls, []);
      assert.equal((await claimAt(HOUR_MS / 2 - 1)).rolls.length, 0);
      assert.equal((await claimAt(HOUR_MS / 2)).rolls.length, 1);
      service().setClock(start + 2 * HOUR_MS);
      assert.equal((await service().get('/users/ida/templates/chest')).body.accruedRolls, 3);
      assert.equal((await claimAt(100 * HOUR_MS)).rolls.length, 6);
      assert.equal((await claimAt(HOUR_MS)).rolls.length, 0);
      assert.equal((await claimAt(100.5 * HOUR_MS)).rolls.length, 1);
    } finally {
      service().setClock(Date.now());
    }
  });

  test('can be rolled on from its start until its end', async () => {
    await save('season', {
      baseRates: { three: 1 },
      startsAt: '2026-03-01T00:00:00Z',
      endsAt: '2026-04-01T00:00:00Z',
      featuredItemIds: ['three-1'],
      sparkCurrency: 1,
    });
    const at = async (time: string) => {
      service().setClock(Date.parse(time));
      return (await roll('season', { userId: 'jo' })).status;
    };
    try {
      assert.equal(await at('2026-02-28T23:59:59.999Z'), 400);
      assert.equal(await at('2026-03-01T00:00:00Z'), 200);
      assert.equal(await at('2026-03-31T23:59:59.999Z'), 200);
      assert.equal(await at('2026-04-01T00:00:00Z'), 400);
      const spark = await service().post('/templates/season/spark', { userId: 'jo', itemId: 'three-1' });
      assert.deepEqual(issuePaths(spark), ['/path/id']);
    } finally {
      service().setClock(Date.now());
    }
  });

  test('rejects rolls with the issues of saving after a change to the catalog broke the template', async () => {
    const made = await service().post('/classifiers', { name: 'Season', classifierOptions: [{ name: 'winter' }] });
    const optionId = made.body.classifierOptions[0].id;
    await service().post('/items', { id: 'snow', name: 'Snow', classifierOptionIds: [optionId] });
    await save('winter', { baseRates: { winter: 1, three: 1 } });
    assert.equal((await service().put('/items/snow', { rollNumerator: 0 })).status, 409);
    // As an earlier release could leave it.
    await service().database.transaction(service().teamId, async ({ teamId, queries }) => {
      await queries
        .updateTable('items')
        .set({ roll_numerator: 0 })
        .where('team_id', '=', teamId)
        .where('id', '=', 'snow')
        .execute();
      await queries.updateTable('teams').set({ catalog_version: 'tampered' }).where('id', '=', teamId).execute();
    });
    const answer = await roll('winter', {});
    assert.equal(answer.status, 400);
    const saved = await service().post('/templates', { name: 'again', config: { baseRates: { winter: 1, three: 1 } } });
    assert.deepEqual(
      answer.body.issues.map(({ message }: { message: string }) => message),
      saved.body.issues.map(({ message }: { message: string }) => message),
    );
    assert.deepEqual(issuePaths(answer), ['/template/config/baseRates/winter']);
    await service().put('/items/snow', { rollNumerator: 1 });
    assert.equal((await roll('winter', {})).status, 200);
  });

  test('counts each of 50 concurrent calls of one user, and gives no two the same pity', async () => {
    await save('busy', { baseRates: { five: 0, three: 1 }, pityTier: 'five', pityThreshold: 10 });
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => roll('busy', { userId: 'kim', count: 3, grant: true })),
    );
    assert.ok(responses.every(({ status }) => status === 200));
    const results = responses.flatMap(({ body }) => body.rolls);
    assert.equal(results.filter(({ pity }) => pity).length, 15);
    const { body } = await service().get('/users/kim/templates/busy');
    assert.deepEqual([body.rolls, body.sinceTop, body.sparkPoints], [150, 0, 150]);
    assert.deepEqual(
      responses.map(({ body: { state } }) => state.rolls).sort((a, b) => a - b),
      Array.from({ length: 50 }, (_, index) => 3 * (index + 1)),
    );
    assert.equal((await service().get('/item-instances?userId=kim')).body.length, 150);
    assert.equal((await stats()).rollsByTemplate.busy, 150);
  });

  describe('rejects', () => {
    test('members that do not apply to the type, all at once', async () => {
      assert.deepEqual(issuePaths(await roll('pity', { depth: 1, seed: 's', offer: 0 })), [
        '/body/depth',
        '/body/seed',
        '/body/offer',
      ]);
      assert.deepEqual(issuePaths(await roll('offers', { userId: 'x', grant: true, userSpaceId: 'y' })), [
        '/body/grant',
        '/body/userSpaceId',
      ]);
      assert.deepEqual(issuePaths(await roll('chest', { count: 2 })), ['/body/count', '/body/userId']);
      assert.deepEqual(issuePaths(await roll('pity', { grant: true })), ['/body/userId']);
    });

    test('test rolls that somebody would get, and of idle templates', async () => {
      const rejected = async (id: string, body: object) => (await roll(id, { test: true, ...body })).body.issues;
      const path = '/body/test';
      assert.deepEqual(await rejected('pity', { userId: 'tess', grant: true }), [
        { path, message: 'is for rolls that nobody gets: omit it, or userId and grant' },
      ]);
      assert.deepEqual(await rejected('pity', { grant: true }), [
        { path, message: 'is for rolls that nobody gets: omit it, or grant' },
      ]);
      assert.deepEqual(await rejected('pity', { userId: 'tess', userSpaceId: 'bag' }), [
        { path, message: 'is for rolls that nobody gets: omit it, or userId and userSpaceId' },
      ]);
      for (const body of [{}, { userId: 'tess' }])
        assert.deepEqual(await rejected('chest', body), [
          { path, message: 'is not for idle templates: what accrues belongs to a user' },
        ]);
      assert.deepEqual(issuePaths(await roll('pity', { test: 'yes' })), [path]);
      assert.equal((await service().get('/users/tess')).status, 404);
    });

    test('values out of range, and unknown members', async () => {
      assert.deepEqual(
        issuePaths(await roll('pity', { count: 101, onFull: 'drop', luck: 1, userId: 'a\u0001' })).sort(),
        ['/body/count', '/body/luck', '/body/onFull', '/body/userId'],
      );
      assert.deepEqual(issuePaths(await roll('pity', { count: 0 })), ['/body/count']);
    });

    test('unknown templates, users and user spaces', async () => {
      assert.equal((await roll('nobody', {})).status, 404);
      assert.equal((await service().get('/users/nobody/templates/pity')).status, 404);
      assert.equal((await service().get('/users/ann/templates/nobody')).status, 404);
      assert.deepEqual(issuePaths(await roll('pity', { userId: 'ann', userSpaceId: 'nobody' })), ['/body/userSpaceId']);
      assert.deepEqual(issuePaths(await roll('bag', { userId: 'ann', userSpaceId: 'eve-pouch' })), [
        '/body/userSpaceId',
      ]);
      const other = await service().anotherTeam();
      assert.equal((await other.post('/templates/pity/roll', {})).status, 404);
      assert.equal((await other.get('/users/ann/templates/pity')).status, 404);
    });
  });

  test('deletes the state of a deleted user or template, and keeps the statistics', async () => {
    await save('short', { baseRates: { three: 1 }, pityThreshold: 9 });
    await roll('short', { userId: 'lou', count: 2 });
    await service().delete('/users/lou');
    await service().post('/users', { id: 'lou' });
    assert.equal((await service().get('/users/lou/templates/short')).body.rolls, 0);
    await roll('short', { userId: 'lou' });
    await service().delete('/templates/short');
    await save('short', { baseRates: { three: 1 }, pityThreshold: 9 });
    assert.equal((await service().get('/users/lou/templates/short')).body.rolls, 0);
    assert.equal((await stats()).rollsByTemplate.short, 3);
  });
});

onEveryDatabase('odds of templates', (service) => {
  test('are those that must be disclosed, and follow every change of the catalog and of the template', async () => {
    const classifierOptions = [{ name: 'five' }, { name: 'four' }, { name: 'three' }];
    const made = await service().post('/classifiers', { name: 'Rarity', classifierOptions });
    const [five, four, three] = made.body.classifierOptions.map(({ id }: { id: string }) => id);
    for (const [id, optionId] of [
      ['star', five],
      ['moon', five],
      ['sword', four],
      ['stick', three],
    ])
      await service().post('/items', { id, name: id, classifierOptionIds: [optionId] });
    const config = {
      baseRates: { five: 0.006, four: 0.051, three: 0.943 },
      pityThreshold: 90,
      softPity: [{ from: 74, add: 0.06 }],
      featuredItemIds: ['star'],
      featuredShare: 0.5,
      guaranteeAfterLosses: 1,
    };
    await service().post('/templates', { id: 'banner', name: 'Banner', config });

    const odds = async () => (await service().get('/templates/banner/odds')).body;
    const { templateId, tiers, items } = await odds();
    assert.equal(templateId, 'banner');
    const [top] = tiers;
    assert.deepEqual([top.tier, top.name, top.medianRolls, top.worstRolls], [five, 'five', 76, 90]);
    assert.ok(Math.abs(top.base - 0.006) < 1e-12);
    assert.ok(Math.abs(top.effective - 0.0160520518) < 1e-10);
    assert.ok(Math.abs(top.expectedRolls - 62.297332) < 1e-6);
    const star = items.find(({ itemId }: { itemId: string }) => itemId === 'star');
    assert.deepEqual(
      [star.itemName, star.tier, star.featured, star.medianRolls, star.worstRolls],
      ['star', five, true, 80, 180],
    );
    assert.ok(Math.abs(star.expectedRolls - 93.445998) < 1e-6);
    for (const column of ['base', 'effective'])
      for (const rows of [tiers, items])
        assert.ok(
          Math.abs(rows.reduce((sum: number, row: Record<string, number>) => sum + (row[column] ?? 0), 0) - 1) < 1e-9,
        );

    await service().put('/templates/banner', { config: { ...config, pityThreshold: 80 } });
    assert.equal((await odds()).tiers[0].worstRolls, 80);
    await service().put('/items/star', { name: 'Star' });
    assert.equal((await odds()).items.find(({ itemId }: { itemId: string }) => itemId === 'star').itemName, 'Star');
    assert.equal((await service().get('/templates/nobody/odds')).status, 404);
  });

  test('agree with the odds of the next roll for every type', async () => {
    const team = await service().anotherTeam();
    const classifierOptions = [{ name: 'five' }, { name: 'four' }, { name: 'three' }];
    const made = await team.post('/classifiers', { name: 'Rarity', classifierOptions });
    for (const { id: optionId, name } of made.body.classifierOptions)
      for (const number of [1, 2, 3, 4])
        await team.post('/items', { id: `${name}-${number}`, name, classifierOptionIds: [optionId] });
    await team.post('/users', { id: 'ann' });
    const common = { baseRates: { five: 1, four: 2, three: 7 }, featuredItemIds: ['five-1'], rateUpMultiplier: 3 };
    const members = ['base', 'effective', 'expectedRolls', 'medianRolls', 'worstRolls'];
    const close = (left: number, right: number) => assert.ok(Math.abs(left - right) < 1e-12, `${left} ${right}`);
    for (const [type, more, things] of [
      ['gacha', {}, 1],
      ['idle', { rollsPerHour: 1 }, 1],
      ['card_pack', { slots: [{ count: 3 }, { count: 1, rates: { five: 1, four: 4 } }] }, 4],
      ['roguelike', { choices: 2 }, 2],
    ] as const) {
      const saved = await team.post('/templates', { id: type, name: type, type, config: { ...common, ...more } });
      assert.equal(saved.status, 200, JSON.stringify(saved.body));
      const { tiers, items } = (await team.get(`/templates/${type}/odds`)).body;
      const { next } = (await team.get(`/users/ann/templates/${type}`)).body;
      const optionIds = made.body.classifierOptions.map(({ id }: { id: string }) => id);
      assert.deepEqual(
        tiers.map((row: object) => Object.keys(row)),
        Array(3).fill(['tier', 'name', ...members]),
      );
      assert.deepEqual(
        items.map((row: object) => Object.keys(row)),
        Array(12).fill(['itemId', 'itemName', 'tier', 'featured', ...members]),
      );
      assert.deepEqual(
        [tiers.map(({ tier }: { tier: string }) => tier), next.map(({ tier }: { tier: string }) => tier)],
        [optionIds, optionIds],
        'rarest first',
      );
      for (const [index, { rate }] of next.entries()) {
        // Without pity every roll is like the first: the mean wait is one divided by the chance of the tier.
        close(1 / rate, tiers[index].expectedRolls);
        if (things === 1) close(rate, tiers[index].effective);
        const ofTier = items.filter(({ tier }: { tier: string }) => tier === tiers[index].tier);
        for (const column of ['base', 'effective'])
          close(
            ofTier.reduce((sum: number, row: Record<string, number>) => sum + (row[column] ?? 0), 0),
            tiers[index][column],
          );
      }
      const [featured, ...others] = items.filter(({ tier }: { tier: string }) => tier === optionIds[0]);
      assert.deepEqual(
        [featured, ...others].map((row) => row.featured),
        [true, false, false, false],
      );
      if (type !== 'roguelike') close(featured.effective, 3 * others[0].effective);
      const answer = await team.post(`/templates/${type}/roll`, { userId: 'ann' });
      assert.equal(answer.body.rolls.length, type === 'idle' ? 0 : things);
      assert.deepEqual(answer.body.state.next, next);
    }
  });

  test('of an unsaved configuration are those it would have, and every issue is reported', async () => {
    const config = { baseRates: { five: 0.006, four: 0.051, three: 0.943 }, pityThreshold: 90 };
    const before = (await service().get('/templates')).body;
    const draft = await service().post('/templates/odds', { config });
    assert.equal(draft.status, 200);
    assert.equal(draft.body.tiers[0].worstRolls, 90);
    const saved = await service().post('/templates', { name: 'Draft', config });
    const { tiers, items, curve } = (await service().get(`/templates/${saved.body.id}/odds`)).body;
    assert.deepEqual(draft.body, { tiers, items, curve });
    await service().delete(`/templates/${saved.body.id}`);
    assert.deepEqual((await service().get('/templates')).body, before);

    const faulty = await service().post('/templates/odds', {
      type: 'gacha',
      config: { baseRates: { six: 1 }, slots: [] },
    });
    assert.deepEqual([faulty.status, issuePaths(faulty)], [400, ['/body/config/slots']]);
    const unbound = await service().post('/templates/odds', { config: { baseRates: { six: 1 } } });
    assert.deepEqual([unbound.status, issuePaths(unbound)], [400, ['/body/config/baseRates/six']]);
  });

  test('have the chance of the top tier by roll, which is short however long its pity', async () => {
    const curveOf = async (type: string, config: object, depth?: number) => {
      const { status, body } = await service().post('/templates/odds', { type, config, depth });
      assert.equal(status, 200, JSON.stringify(body));
      return body.curve;
    };
    const baseRates = { five: 1, three: 3 };
    const without = (roll: number, chance: number): object => ({ roll, chance: 1 - (1 - chance) ** roll });
    const pity = { baseRates, pityThreshold: 3 };
    const expected = [without(1, 0.25), without(2, 0.25), { roll: 3, chance: 1 }];
    assert.deepEqual(await curveOf('gacha', pity), expected);
    assert.deepEqual(await curveOf('idle', { ...pity, rollsPerHour: 1 }), expected);
    assert.deepEqual(await curveOf('card_pack', { ...pity, slots: [{ count: 1 }] }), expected);
    const offers = { ...pity, choices: 1, depthScaling: { five: 2 } };
    assert.deepEqual(await curveOf('roguelike', offers), expected);
    assert.deepEqual((await curveOf('roguelike', offers, 1))[0], without(1, 0.4));
    const long = await curveOf('gacha', { baseRates: { five: 0, three: 1 }, pityTier: 'five', pityThreshold: 1000 });
    assert.deepEqual([long.length, long.at(-1)], [LIMITS.curve.points, { roll: 1000, chance: 1 }]);
    assert.deepEqual(await curveOf('gacha', { baseRates: { five: 0, three: 1 } }), []);
  });

  test('of the plain roll are weight divided by the sum of weights', async () => {
    const other = await service().anotherTeam();
    assert.deepEqual((await other.get('/items/odds')).body, []);
    await other.post('/items', { id: 'a', name: 'A', rollNumerator: 1 });
    await other.post('/items', { id: 'b', name: 'B', rollNumerator: 3 });
    await other.post('/items', { id: 'c', name: 'C', rollNumerator: 0 });
    assert.deepEqual((await other.get('/items/odds')).body, [
      { itemId: 'a', itemName: 'A', weight: 1, odds: 0.25 },
      { itemId: 'b', itemName: 'B', weight: 3, odds: 0.75 },
      { itemId: 'c', itemName: 'C', weight: 0, odds: 0 },
    ]);
  });
});
