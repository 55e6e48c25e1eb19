import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { catalogOf, item, option, templateOf } from '../../../test/catalogs.ts';
import { cheapDraws, listedDraws } from '../../../test/statistics.ts';
import { compileCatalog } from '../pool/catalog.ts';
import { isOpen, paySpark, rollSpark, rollTemplate, sparkFault, viewState } from './rolling.ts';
import { initialState } from './state.ts';

const catalog = catalogOf({ five: 2, four: 3, three: 5 });
const baseRates = { five: 0.006, four: 0.051, three: 0.943 };
const banner = templateOf(
  'gacha',
  {
    baseRates,
    pityThreshold: 90,
    pities: [{ tier: 'four', threshold: 10 }],
    featuredItemIds: ['five-1'],
    sparkCurrency: 3,
  },
  catalog,
);

const roll = (count: number, state = initialState(), u = 0.99) =>
  rollTemplate(banner, state, { count, depth: 0, drawsOf: () => () => u, nowMs: 0 });

describe('the view of a state', () => {
  test('is all zeros for an unknown user, with the base odds next', () => {
    const { next, ...rest } = viewState(banner, null, 0);
    assert.deepEqual(rest, {
      rolls: 0,
      sinceTop: 0,
      losses: 0,
      sparkPoints: 0,
      pities: [{ tier: 'four', since: 0 }],
      accruedRolls: 0,
    });
    assert.deepEqual(
      next.map(({ tier }) => tier),
      ['five', 'four', 'three'],
    );
    assert.ok(next.every(({ tier, rate }) => Math.abs(rate - baseRates[tier as 'five']) < 1e-15));
  });

  test('follows the rolls', () => {
    const { state } = roll(9);
    assert.deepEqual(viewState(banner, state, 0), {
      rolls: 9,
      sinceTop: 9,
      losses: 0,
      sparkPoints: 9,
      pities: [{ tier: 'four', since: 9 }],
      accruedRolls: 0,
      next: [
        { tier: 'five', rate: 0.006 },
        { tier: 'four', rate: 0.994 },
        { tier: 'three', rate: 0 },
      ],
    });
  });

  test('has the probability that a pack contains each tier', () => {
    const pack = templateOf(
      'card_pack',
      { baseRates: { five: 1, three: 3 }, slots: [{ count: 2 }], pityThreshold: 2 },
      catalog,
    );
    assert.deepEqual(viewState(pack, null, 0).next, [
      { tier: 'five', rate: 1 - 9 / 16 },
      { tier: 'three', rate: 1 - 1 / 16 },
    ]);
    const { state } = rollTemplate(pack, initialState(), { count: 1, depth: 0, drawsOf: () => () => 0.99, nowMs: 0 });
    assert.deepEqual(viewState(pack, state, 0).next, [
      { tier: 'five', rate: 1 },
      // The second card is forced unless the first was five; then three has its chance with the second.
      { tier: 'three', rate: 3 / 4 + (1 / 4) * (3 / 4) },
    ]);
  });
});

describe('a template without named tiers', () => {
  test('rolls on the whole pool and counts no tier', () => {
    const plain = templateOf('gacha', { pityThreshold: 5 }, catalog);
    const draws = cheapDraws(70);
    const { results, state } = rollTemplate(plain, initialState(), {
      count: 20,
      depth: 0,
      drawsOf: () => draws,
      nowMs: 0,
    });
    assert.ok(results.every(({ tier, pity }) => tier === null && !pity));
    assert.deepEqual(state?.pity, { counters: [], losses: 0 });
    assert.deepEqual(viewState(plain, state, 0).next, [{ tier: null, rate: 1 }]);
  });
});

describe('spark', () => {
  test('is rejected without enough points, for other items, and without a spark price', () => {
    assert.equal(sparkFault(banner, 'five-1'), null);
    assert.equal(sparkFault(banner, 'five-2'), 'not-featured');
    assert.equal(sparkFault(templateOf('gacha', { featuredItemIds: ['five-1'] }, catalog), 'five-1'), 'no-spark');
    assert.equal(paySpark(banner, null), null);
    assert.equal(paySpark(banner, roll(2).state), null);
  });

  test('takes only its points', () => {
    const { state } = roll(4);
    const paid = paySpark(banner, state);
    assert.equal(paid?.own.sparkPoints, 1);
    assert.deepEqual({ ...paid, own: { ...paid?.own, sparkPoints: 4 } }, state);
  });

  test('rolls the attributes of the item with one draw each', () => {
    const attributes = [{ id: 'x', attributeId: 'damage', min: 1, max: 10, step: null }];
    const of = compileCatalog([option('five')], [item('a', ['five'], 0, attributes), item('b', ['five'])]);
    const template = templateOf('gacha', { baseRates: { five: 1 }, featuredItemIds: ['a'], sparkCurrency: 1 }, of);
    assert.deepEqual(rollSpark(template, 'a', listedDraws(0.55))?.values, [
      { itemAttributeId: 'x', attributeId: 'damage', value: 6 },
    ]);
    assert.equal(rollSpark(template, 'b', listedDraws()), undefined);
  });
});

test('a template is open from its start until before its end', () => {
  const period = { ...banner, startsAtMs: 10, endsAtMs: 20 };
  assert.deepEqual(
    [9, 10, 19, 20].map((nowMs) => isOpen(period, nowMs)),
    [false, true, true, false],
  );
  assert.equal(isOpen(banner, 0), true);
});
