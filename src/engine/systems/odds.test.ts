import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { catalogOf, item, option, templateOf } from '../../../test/catalogs.ts';
import { type Catalog, compileCatalog } from '../pool/catalog.ts';
import type { CardPackConfig, GachaConfig, TemplateConfig, TemplateType } from './config.ts';
import { type ItemRow, type TemplateOdds, type TierRow, templateOdds } from './odds.ts';

const catalog = catalogOf({ five: 4, four: 4, three: 8 });
const baseRates = { five: 0.006, four: 0.051, three: 0.943 };
const banner: GachaConfig = {
  baseRates,
  pityThreshold: 90,
  softPity: [{ from: 74, add: 0.06 }],
  featuredItemIds: ['five-1'],
  featuredShare: 0.5,
  guaranteeAfterLosses: 1,
};
const pack: CardPackConfig = {
  baseRates: { three: 0.8, four: 0.15, five: 0.05 },
  slots: [{ count: 4 }, { count: 1, rates: { four: 0.9, five: 0.1 } }],
  unique: true,
  pityThreshold: 10,
};

const oddsOf = (type: TemplateType, config: TemplateConfig, of: Catalog = catalog): TemplateOdds =>
  templateOdds(templateOf(type, config, of));

const tierOf = ({ tiers }: TemplateOdds, wanted: string): TierRow => {
  const row = tiers.find(({ tier }) => tier === wanted);
  assert.ok(row);
  return row;
};
const itemOf = ({ items }: TemplateOdds, wanted: string): ItemRow => {
  const row = items.find(({ itemId }) => itemId === wanted);
  assert.ok(row);
  return row;
};

/** As close as the given digits: half a unit of the last, or 1e-9 if an expression gives all of them. */
const near = (value: number | null, expected: number, tolerance: number): void => {
  assert.ok(value !== null && Math.abs(value - expected) <= tolerance, `${value} is not ${expected}`);
};

describe('known results', () => {
  test('a banner with soft pity, hard pity and a guarantee', () => {
    const odds = oddsOf('gacha', banner);
    const five = tierOf(odds, 'five');
    near(five.base, 0.006, 1e-15);
    near(five.effective, 0.0160520518, 5e-11);
    near(five.expectedRolls, 62.297332, 5e-7);
    assert.deepEqual([five.medianRolls, five.worstRolls], [76, 90]);
    const featured = itemOf(odds, 'five-1');
    near(featured.base, 0.003, 1e-15);
    near(featured.effective, (0.0160520518 * 2) / 3, 5e-11);
    near(featured.expectedRolls, 93.445998, 5e-7);
    assert.deepEqual([featured.medianRolls, featured.worstRolls], [80, 180]);
  });

  test('with a second pity, which does not affect the first', () => {
    const odds = oddsOf('gacha', { ...banner, pities: [{ tier: 'four', threshold: 10 }] });
    const alone = oddsOf('gacha', banner);
    const { effective, ...timing } = tierOf(odds, 'five');
    const { effective: unchanged, ...before } = tierOf(alone, 'five');
    near(effective, unchanged, 1e-15);
    assert.deepEqual(timing, before);
    const four = tierOf(odds, 'four');
    near(four.effective, 0.12470758, 5e-9);
    near(four.expectedRolls, 7.9947, 5e-5);
    assert.deepEqual([four.medianRolls, four.worstRolls], [10, null]);
  });

  test('with a second pity that rarer results reset', () => {
    const four = tierOf(
      oddsOf('gacha', { ...banner, pities: [{ tier: 'four', threshold: 10, higherResets: true }] }),
      'four',
    );
    near(four.effective, 0.11749857, 5e-9);
    near(four.expectedRolls, 8.1703, 5e-5);
  });

  test('with a second pity that is soft first', () => {
    const softPity = [{ from: 9, add: 0.51 }];
    const four = tierOf(oddsOf('gacha', { ...banner, pities: [{ tier: 'four', threshold: 10, softPity }] }), 'four');
    near(four.effective, 0.130213, 5e-7);
  });

  test('a hard pity alone', () => {
    const five = tierOf(oddsOf('gacha', { baseRates, pityThreshold: 10 }), 'five');
    near(five.expectedRolls, 9.734275, 5e-7);
    near(five.expectedRolls, (1 - 0.994 ** 10) / 0.006, 1e-9);
    assert.equal(five.worstRolls, 10);
  });

  test('a pack without repeats', () => {
    const odds = oddsOf('card_pack', pack);
    const five = tierOf(odds, 'five');
    near(five.effective, 0.062584, 5e-7);
    near(five.expectedRolls, 3.5732, 5e-5);
    // Two consecutive packs without one have a probability of 0.5367, three of 0.3932.
    assert.deepEqual([five.medianRolls, five.worstRolls], [3, 10]);
    const { chances } = templateOf('card_pack', pack, catalog);
    near(1 - (chances().fresh[0] ?? 0), 0.7326, 1e-9);
  });

  test('an offer of three', () => {
    const config = { baseRates: { five: 0.05, four: 0.25, three: 0.7 } };
    const { chances } = templateOf('roguelike', config, catalog);
    near(chances().fresh[0] ?? 0, 0.142625, 1e-9);
    near(tierOf(oddsOf('roguelike', config), 'five').expectedRolls, 1 / 0.142625, 1e-9);
  });

  test('a rate of 0.7 % without pity', () => {
    const five = tierOf(oddsOf('gacha', { baseRates: { five: 0.007, three: 0.993 } }), 'five');
    near(five.expectedRolls, 1 / 0.007, 1e-9);
    // The median is the first n for which 1 - 0.993^n is at least one half.
    assert.equal(five.medianRolls, Math.ceil(Math.log(0.5) / Math.log(0.993)));
  });
});

describe('every column', () => {
  const weighted = compileCatalog(
    ['five', 'four', 'three'].map((id) => option(id)),
    ['five', 'four', 'three'].flatMap((tier, place) =>
      Array.from({ length: 6 }, (_, index) =>
        item(`${tier}-${index + 1}`, [tier], (index + place) % 5 ? 1.3 ** index : 0),
      ),
    ),
  );
  const configs: [TemplateType, TemplateConfig][] = [
    ['gacha', {}],
    ['gacha', banner],
    ['gacha', { ...banner, featuredShare: undefined, rateUpMultiplier: 3, pities: [{ tier: 'four', threshold: 7 }] }],
    [
      'gacha',
      { baseRates, pityTier: 'three', pityThreshold: 3, pities: [{ tier: 'five', threshold: 4, higherResets: true }] },
    ],
    ['gacha', { baseRates: { five: 0, three: 1 }, pityThreshold: 4 }],
    ['idle', { ...banner, rollsPerHour: 1 }],
    ['card_pack', { ...pack, unique: false, featuredItemIds: ['five-2'], rateUpMultiplier: 5 }],
    [
      'card_pack',
      { baseRates, slots: [{ count: 3 }, { count: 2, rates: { five: 1, four: 1 } }], unique: true, pityThreshold: 3 },
    ],
    ['roguelike', { baseRates, choices: 5, pityThreshold: 2 }],
    ['roguelike', { choices: 7 }],
  ];
  for (const [index, [type, config]] of configs.entries()) {
    test(`sums to 1, by tiers and by items (${type}, configuration ${index + 1})`, () => {
      const { tiers, items } = oddsOf(
        type,
        { ...config, ...(config.featuredItemIds && { featuredItemIds: ['five-2'] }) },
        weighted,
      );
      for (const rows of [tiers, items]) {
        for (const column of ['base', 'effective'] as const) {
          near(
            rows.reduce((sum, row) => sum + row[column], 0),
            1,
            1e-12,
          );
        }
      }
      for (const { tier, base, effective } of tiers) {
        const own = items.filter((row) => row.tier === tier);
        near(
          own.reduce((sum, row) => sum + row.base, 0),
          base,
          1e-12,
        );
        near(
          own.reduce((sum, row) => sum + row.effective, 0),
          effective,
          1e-12,
        );
      }
      for (const { base, effective, expectedRolls, medianRolls, worstRolls } of items) {
        assert.equal(expectedRolls === null, base === 0 && effective === 0);
        assert.equal(medianRolls === null, expectedRolls === null);
        assert.ok(worstRolls === null || worstRolls >= (medianRolls ?? 0));
      }
    });
  }
});

describe('worst cases', () => {
  const worst = (config: GachaConfig, tier: string): number | null => tierOf(oddsOf('gacha', config), tier).worstRolls;

  test('are bounded by soft pity too', () => {
    assert.equal(worst({ baseRates, softPity: [{ from: 3, add: 0.5 }] }, 'five'), 4);
  });

  test('are bounded for a lower tier only if nothing rarer can be rolled instead', () => {
    assert.equal(worst({ baseRates, pities: [{ tier: 'four', threshold: 5 }] }, 'four'), null);
    const silent = { baseRates: { five: 0, four: 1, three: 9 }, pities: [{ tier: 'four', threshold: 5 }] };
    assert.equal(worst(silent, 'four'), 5);
  });

  test('are 1 for what always comes up, and null for what never does', () => {
    assert.equal(worst({ baseRates: { five: 1, four: 0 } }, 'five'), 1);
    assert.deepEqual(tierOf(oddsOf('gacha', { baseRates: { five: 1, four: 0 } }), 'four'), {
      tier: 'four',
      name: 'four',
      base: 0,
      effective: 0,
      expectedRolls: null,
      medianRolls: null,
      worstRolls: null,
    });
  });

  test('have no mean if something is only possible before the pities of others apply', () => {
    const config = {
      baseRates: { a: 1, b: 1, c: 1, d: 1 },
      pities: [
        { tier: 'b', threshold: 2 },
        { tier: 'c', threshold: 0, softPity: [{ from: 2, add: 0.25 }] },
      ],
    };
    const last = tierOf(oddsOf('gacha', config, catalogOf({ a: 1, b: 1, c: 1, d: 1 })), 'd');
    assert.deepEqual(
      [last.base, last.effective, last.expectedRolls, last.medianRolls, last.worstRolls],
      [0.25, 0, null, null, null],
    );
  });

  test('follow from the guarantee', () => {
    const guaranteed = oddsOf('gacha', { ...banner, guaranteeAfterLosses: 3 });
    assert.equal(itemOf(guaranteed, 'five-1').worstRolls, 4 * 90);
    assert.equal(itemOf(guaranteed, 'five-2').worstRolls, null);
    const two = oddsOf('gacha', { ...banner, featuredItemIds: ['five-1', 'five-2'] });
    assert.equal(itemOf(two, 'five-1').worstRolls, null);
  });
});

describe('many items of a tier', () => {
  test('have the odds that each would have by itself', () => {
    // Forty small parts are computed together; the same parts in tiers of two are computed individually.
    const weights = Array.from({ length: 40 }, (_, index) => 1 + index / 7);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const options = ['five', 'four', 'three'].map((id) => option(id));
    const rest = [item('four-1', ['four']), item('three-1', ['three'])];
    const config = {
      baseRates,
      pityThreshold: 90,
      softPity: banner.softPity,
      pities: [{ tier: 'four', threshold: 10 }],
    };
    const ofTier = (tier: string, other: string) => {
      const many = compileCatalog(options, [
        ...weights.map((weight, index) => item(`${tier}-${index + 10}`, [tier], weight)),
        item('five-1', ['five'], tier === 'five' ? 0 : 1),
        item(`${other}-2`, [other]),
        ...rest.map((row) => (row.id.startsWith(tier) ? { ...row, rollNumerator: 0 } : row)),
      ]);
      const odds = oddsOf('gacha', config, many);
      for (const index of [0, 17, 39]) {
        const weight = weights[index] ?? 0;
        const few = compileCatalog(options, [
          item('a', [tier], weight),
          item('b', [tier], total - weight),
          ...['five', 'four', 'three'].filter((id) => id !== tier).map((id) => item(`${id}-1`, [id])),
        ]);
        const alone = itemOf(oddsOf('gacha', config, few), 'a');
        const together = itemOf(odds, `${tier}-${index + 10}`);
        near((together.expectedRolls ?? 0) / (alone.expectedRolls ?? 1), 1, 1e-11);
        assert.equal(together.medianRolls, alone.medianRolls);
      }
    };
    ofTier('five', 'four');
    ofTier('four', 'three');
  });
});

test('the odds of the banner take far less than 100 ms', () => {
  const template = templateOf('gacha', banner, catalog);
  const times = Array.from({ length: 3 }, () => {
    const start = process.cpuUsage();
    templateOdds(template);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  });
  assert.ok(Math.min(...times) < 100, `${times} ms`);
});
