import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { catalogOf, item, option, templateOf } from '../../../../test/catalogs.ts';
import { agrees, cheapDraws, countedDraws, listedDraws } from '../../../../test/statistics.ts';
import { compileCatalog } from '../../pool/catalog.ts';
import type { GachaConfig } from '../config.ts';
import { initialPityState, type PityState } from '../state.ts';
import { rollGacha, sinceByRank, writeRates } from './gacha.ts';
import { softPityAt } from './pity.ts';

const catalog = catalogOf({ five: 3, four: 4, three: 6 });
const baseRates = { five: 0.006, four: 0.051, three: 0.943 };
const banner: GachaConfig = {
  baseRates,
  pityThreshold: 90,
  softPity: [{ from: 74, add: 0.06 }],
  pities: [{ tier: 'four', threshold: 10 }],
  featuredItemIds: ['five-2'],
  featuredShare: 0.5,
  guaranteeAfterLosses: 1,
};

const rulesOf = (config: GachaConfig, of = catalog) => templateOf('gacha', config, of).rules;

/** The rates of the next roll by tier, after the given numbers of rolls without each. */
const ratesOf = (config: GachaConfig, since: Record<string, number> | null): Record<string, number> => {
  const rules = rulesOf(config);
  const pity: PityState = {
    counters: Object.entries(since ?? {}).map(([tier, rolls]) => ({ tier, since: rolls })),
    losses: 0,
  };
  const rates = new Float64Array(rules.tiers.all.length);
  writeRates(rules, since && sinceByRank(rules, pity), rates);
  return Object.fromEntries(rules.tiers.all.map(({ optionId }, place) => [optionId, rates[place] ?? 0]));
};

const near = (rates: Record<string, number>, expected: Record<string, number>): void => {
  for (const [tier, rate] of Object.entries(expected)) {
    assert.ok(Math.abs((rates[tier] ?? -1) - rate) < 1e-14, `${tier}: ${rates[tier]} is not ${rate}`);
  }
};

describe('soft pity', () => {
  test('adds its amount at every roll from its start, each segment until the next', () => {
    const segments = [
      { from: 3, add: 0.1 },
      { from: 5, add: 0.01 },
    ];
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6].map((k) => Number(softPityAt(segments, k).toFixed(10))),
      [0, 0, 0.1, 0.2, 0.21, 0.22],
    );
  });
});

describe('rates of a roll', () => {
  test('are the base rates at first and without a state', () => {
    near(ratesOf(banner, {}), baseRates);
    near(ratesOf(banner, null), baseRates);
    near(ratesOf({ ...banner, pityThreshold: 1 }, null), baseRates);
  });

  test('grow by soft pity, and the others shrink in proportion', () => {
    const five = 0.006 + 2 * 0.06;
    const left = 1 - five;
    near(ratesOf(banner, { five: 74 }), { five, four: (0.051 / 0.994) * left, three: (0.943 / 0.994) * left });
  });

  test('are certain for a top tier that is due', () => {
    near(ratesOf(banner, { five: 89, four: 9 }), { five: 1, four: 0, three: 0 });
    near(ratesOf(banner, { five: 200 }), { five: 1, four: 0, three: 0 });
  });

  test('leave rarer tiers their chance when a lower one is due', () => {
    near(ratesOf(banner, { four: 9 }), { five: 0.006, four: 0.994, three: 0 });
    near(ratesOf(banner, { four: 30 }), { five: 0.006, four: 0.994, three: 0 });
  });

  test('rank the pity tier first, whatever its share', () => {
    const config: GachaConfig = { baseRates, pityTier: 'three', pityThreshold: 2 };
    near(ratesOf(config, { three: 1 }), { three: 1, four: 0, five: 0 });
    near(ratesOf(config, { three: 0 }), baseRates);
  });

  test('have no pity if one tier always comes up', () => {
    const config: GachaConfig = { baseRates: { three: 1, five: 0 }, pityTier: 'three', pityThreshold: 1 };
    near(ratesOf(config, {}), { three: 1, five: 0 });
    const { results } = rollGacha(rulesOf(config), initialPityState(), 1, () => cheapDraws(1));
    assert.equal(results[0]?.pity, false);
  });
});

describe('a banner', () => {
  test('makes three draws per roll, used or not, then those of the attributes', () => {
    const attributes = [{ id: 'x', attributeId: 'y', min: 1, max: 10, step: null }];
    const of = compileCatalog(
      [option('five'), option('three')],
      [item('a', ['five'], 1, attributes), item('b', ['three'])],
    );
    const rules = rulesOf({ baseRates: { five: 1, three: 3 } }, of);
    const draws = listedDraws(0.2, 0.9, 0.9, 0.5, 0.25, 0, 0);
    const { results } = rollGacha(rules, null, 2, () => draws);
    assert.deepEqual(
      results.map(({ item: { id }, values }) => [id, ...values.map(({ value }) => value)]),
      [['a', 6], ['b']],
    );
  });

  test('never exceeds a pity, keeps every guarantee, and gives the rarest of the tiers due', () => {
    const threshold = fc.integer({ min: 1, max: 12 });
    fc.assert(
      fc.property(
        threshold,
        threshold,
        fc.integer({ min: 1, max: 3 }),
        fc.boolean(),
        fc.nat(),
        (top, lower, losses, higherResets, seed) => {
          const config: GachaConfig = {
            ...banner,
            pityThreshold: top,
            softPity: [],
            guaranteeAfterLosses: losses,
            pities: [{ tier: 'four', threshold: lower, higherResets }],
          };
          const { results } = rollGacha(
            rulesOf(config),
            initialPityState(),
            300,
            (() => {
              const source = cheapDraws(seed);
              return () => source;
            })(),
          );
          let sinceFive = 0;
          let sinceFour = 0;
          let lost = 0;
          for (const { tier, featured, pity } of results) {
            const fiveDue = sinceFive + 1 >= top;
            const fourDue = sinceFour + 1 >= lower;
            if (fiveDue) assert.equal(tier, 'five');
            else if (fourDue) assert.notEqual(tier, 'three');
            assert.equal(pity, tier === 'five' ? fiveDue : tier === 'four' && fourDue);
            if (tier === 'five') {
              if (lost >= losses) assert.ok(featured);
              lost = featured ? 0 : lost + 1;
            }
            sinceFive = tier === 'five' ? 0 : sinceFive + 1;
            sinceFour = tier === 'four' || (higherResets && tier === 'five') ? 0 : sinceFour + 1;
          }
        },
      ),
      { seed: 30, numRuns: 200 },
    );
  });

  test('keeps the other pity due if two tie', () => {
    const rules = rulesOf({ ...banner, pityThreshold: 5, pities: [{ tier: 'four', threshold: 5 }] });
    const tied: PityState = {
      counters: [
        { tier: 'five', since: 4 },
        { tier: 'four', since: 4 },
      ],
      losses: 0,
    };
    const { results, pity } = rollGacha(rules, tied, 2, () => () => 0.5);
    assert.deepEqual(
      results.map(({ tier, pity: due }) => [tier, due]),
      [
        ['five', true],
        ['four', true],
      ],
    );
    assert.deepEqual(pity?.counters, [
      { tier: 'five', since: 1 },
      { tier: 'four', since: 0 },
    ]);
  });

  test('rolls the same in one call as in many, and does not mutate the state', () => {
    const rules = rulesOf(banner);
    const start = Object.freeze(initialPityState());
    const source = cheapDraws(31);
    const together = rollGacha(rules, start, 200, () => source);
    const again = cheapDraws(31);
    let pity: PityState = start;
    const results = Array.from({ length: 200 }, () => {
      const rolled = rollGacha(rules, pity, 1, () => again);
      pity = JSON.parse(JSON.stringify(rolled.pity));
      return rolled.results[0];
    });
    assert.deepEqual(results, together.results);
    assert.deepEqual(pity, together.pity);
    assert.deepEqual(start, initialPityState());
  });

  test('has no pity and no guarantee without a state', () => {
    const rules = rulesOf({ ...banner, pityThreshold: 1, pities: [{ tier: 'four', threshold: 1 }] });
    const { results, pity } = rollGacha(rules, null, 50, () => () => 0.99);
    assert.equal(pity, null);
    assert.ok(results.every(({ tier, pity: due }) => tier === 'three' && !due));
  });

  test('changes only its own counters of a group', () => {
    const shared: PityState = {
      counters: [
        { tier: 'other', since: 7 },
        { tier: 'five', since: 3 },
      ],
      losses: 2,
    };
    const { pity } = rollGacha(rulesOf({ baseRates, pityThreshold: 90, pityGroup: 'g' }), shared, 1, () => () => 0.99);
    assert.deepEqual(pity, {
      counters: [
        { tier: 'five', since: 4 },
        { tier: 'other', since: 7 },
      ],
      losses: 2,
    });
  });

  test('is the same when all weights and rates are doubled', () => {
    const twice = (factor: number) => {
      const of = compileCatalog(
        ['five', 'four', 'three'].map((id) => option(id)),
        catalog.items.map(({ id, optionIds }, index) => item(id, optionIds, (index % 4) * factor + 0.1 * factor)),
      );
      const rates = Object.fromEntries(Object.entries(baseRates).map(([tier, rate]) => [tier, rate * factor]));
      const source = cheapDraws(32);
      return rollGacha(rulesOf({ ...banner, baseRates: rates }, of), initialPityState(), 500, () => source).results.map(
        ({ item: { id } }) => id,
      );
    };
    assert.deepEqual(twice(2), twice(1));
  });
});

describe('featured items', () => {
  const top = { five: 1 };
  const counted = (config: GachaConfig, count: number, state: PityState | null): Record<string, number> => {
    const source = cheapDraws(33);
    const counts: Record<string, number> = { 'five-1': 0, 'five-2': 0, 'five-3': 0 };
    for (const {
      item: { id },
    } of rollGacha(rulesOf(config), state, count, () => source).results)
      counts[id] = (counts[id] ?? 0) + 1;
    return counts;
  };

  test('have their share of the top tier, whatever their weight and the rate-up, at the level 0.001', () => {
    const config = { baseRates: top, featuredItemIds: ['five-2'], featuredShare: 0.7, rateUpMultiplier: 9 };
    assert.ok(agrees(Object.values(counted(config, 20_000, null)), [0.15, 0.7, 0.15], 0.001));
  });

  test('keep their weights in the top tier if there is a share, even if the rate-up is 0', () => {
    const all = ['five-1', 'five-2', 'five-3'];
    const config = { baseRates: top, featuredItemIds: all, featuredShare: 0.5, rateUpMultiplier: 0 };
    assert.ok(agrees(Object.values(counted(config, 20_000, null)), [1 / 3, 1 / 3, 1 / 3], 0.001));
  });

  test('have their weights multiplied if there is no share, at the level 0.001', () => {
    const config = { baseRates: top, featuredItemIds: ['five-2'], rateUpMultiplier: 8 };
    assert.ok(agrees(Object.values(counted(config, 20_000, null)), [0.1, 0.8, 0.1], 0.001));
  });

  test('are guaranteed after losses even without a share, at the level 0.001', () => {
    const config = { baseRates: top, featuredItemIds: ['five-2'], guaranteeAfterLosses: 1 };
    // A third immediately, otherwise the next one: five results contain three featured ones.
    assert.ok(agrees(Object.values(counted(config, 20_000, initialPityState())), [0.2, 0.6, 0.2], 1e-6));
  });

  test('always come up if they are alone in the tier, or have a share of 1', () => {
    const all = ['five-1', 'five-2', 'five-3'];
    assert.equal(counted({ baseRates: top, featuredItemIds: all, featuredShare: 0 }, 100, null)['five-1'] === 0, false);
    assert.equal(counted({ baseRates: top, featuredItemIds: ['five-1'], featuredShare: 1 }, 100, null)['five-1'], 100);
    assert.equal(counted({ baseRates: top, featuredItemIds: ['five-1'], featuredShare: 0 }, 100, null)['five-1'], 0);
  });
});

test('items of weight 0 never come up', () => {
  const of = compileCatalog([option('five')], [item('a', ['five'], 0), item('b', ['five']), item('c', ['five'], 0)]);
  const { draws: source, count } = countedDraws(cheapDraws(34));
  const { results } = rollGacha(rulesOf({ baseRates: { five: 1 } }, of), null, 1000, () => source);
  assert.ok(results.every(({ item: { id } }) => id === 'b'));
  assert.equal(count(), 3000);
});

test('a banner gives the same sequence for the same draws, in every version', () => {
  const draws = cheapDraws(35);
  const { results, pity } = rollGacha(rulesOf(banner), initialPityState(), 200, () => draws);
  const golden = results.flatMap(({ tier, item: { id }, pity: due, featured }, index) =>
    tier === 'three' ? [] : `${index + 1} ${id}${due ? ' pity' : ''}${featured ? ' featured' : ''}`,
  );
  assert.deepEqual(
    [golden, pity],
    [
      [
        '10 four-3 pity',
        '20 four-1 pity',
        '22 four-1',
        '24 four-4',
        '30 four-4',
        '36 five-2 featured',
        '40 four-2 pity',
        '50 four-3 pity',
        '54 four-1',
        '63 five-2 featured',
        '64 four-1 pity',
        '74 four-3 pity',
        '80 four-1',
        '90 four-2 pity',
        '100 four-3 pity',
        '104 four-1',
        '114 four-3 pity',
        '124 four-1 pity',
        '134 four-1 pity',
        '139 five-2 featured',
        '144 four-1 pity',
        '147 four-4',
        '157 four-2 pity',
        '159 four-1',
        '169 four-2 pity',
        '179 four-1 pity',
        '189 four-2 pity',
        '191 four-2',
      ],
      {
        counters: [
          { tier: 'five', since: 61 },
          { tier: 'four', since: 9 },
        ],
        losses: 0,
      },
    ],
  );
});
