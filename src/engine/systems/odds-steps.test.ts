import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { item, option, templateOf } from '../../../test/catalogs.ts';
import { LIMITS } from '../../shared/limits.ts';
import { compileCatalog } from '../pool/catalog.ts';
import type { TemplateConfig, TemplateType } from './config.ts';
import { type OddsTable, oddsAt, oddsTableOf, stepsOfOdds, templateOdds, templateOddsAndCurve } from './odds.ts';
import { plainOddsInputOf } from './odds-input.ts';

const TIERS = ['five', 'four', 'three', 'two'];
/** So many items, distributed over the last tiers; the first few tiers have one item each. All weights differ. */
const catalogOf = (items: number, single = 1) =>
  compileCatalog(
    TIERS.map((id) => option(id)),
    Array.from({ length: items }, (_, index) => {
      const tier = index < single ? index : single + (index % (TIERS.length - single));
      return item(`item-${String(index).padStart(5, '0')}`, [TIERS[tier] ?? ''], 1 + index / 3);
    }),
  );

const small = catalogOf(20);
const baseRates = { five: 0.002, four: 0.05, three: 0.3, two: 0.648 };
const stepsOf = (type: TemplateType, config: TemplateConfig, catalog = small): number =>
  stepsOfOdds(templateOf(type, config, catalog));
const ascending = (steps: readonly number[]): void => {
  for (const [index, count] of steps.entries()) assert.ok(count > (steps[index - 1] ?? 0), `${steps}`);
};

describe('the steps of odds', () => {
  test('grow with the thresholds, the pities and the items', () => {
    // A short pity of a tier that is rarely rolled by itself repeats for long, and so takes longer than a longer one.
    ascending([60, 300, 1000].map((pityThreshold) => stepsOf('gacha', { baseRates, pityThreshold })));
    const two = (threshold: number) => ({ baseRates, pityThreshold: 60, pities: [{ tier: 'four', threshold }] });
    ascending([10, 30, 60].map((threshold) => stepsOf('gacha', two(threshold))));
    const three = [...two(10).pities, { tier: 'three', threshold: 5 }];
    ascending([stepsOf('gacha', two(10)), stepsOf('gacha', { ...two(10), pities: three })]);
    ascending([200, 1000, 5000].map((items) => stepsOf('gacha', two(10), catalogOf(items))));
    ascending([200, 1000, 5000].map((items) => stepsOf('card_pack', { baseRates }, catalogOf(items))));
  });

  test('grow with the cards of a pack, the choices of an offer and the exhaustible tiers', () => {
    const packOf = (count: number) => ({ baseRates, slots: [{ count }], unique: true });
    ascending([2, 5, 10, 15].map((count) => stepsOf('card_pack', packOf(count), catalogOf(60))));
    ascending([2, 5, 10, 15].map((choices) => stepsOf('roguelike', { baseRates, choices }, catalogOf(60))));
    ascending([1, 2, 3].map((single) => stepsOf('card_pack', packOf(10), catalogOf(60, single))));
  });

  test('of many short pities are few, since few of their states are reachable', () => {
    const tiers = Array.from({ length: 12 }, (_, index) => `t${10 + index}`);
    const catalog = compileCatalog(
      tiers.map((id) => option(id)),
      tiers.map((id) => item(id, [id])),
    );
    const config = {
      baseRates: Object.fromEntries(tiers.map((id, index) => [id, 1 + index])),
      pityThreshold: 2,
      pities: tiers.slice(1, 11).map((tier) => ({ tier, threshold: 2 })),
    };
    assert.ok(stepsOf('gacha', config, catalog) < 10_000_000);
    const { tiers: rows } = templateOdds(templateOf('gacha', config, catalog));
    assert.ok(Math.abs(rows.reduce((sum, { effective }) => sum + effective, 0) - 1) < 1e-12);
  });
});

describe('odds of plain data', () => {
  const configs: [TemplateType, TemplateConfig][] = [
    ['gacha', { baseRates, pityThreshold: 20, pities: [{ tier: 'four', threshold: 5 }] }],
    [
      'gacha',
      { baseRates, featuredItemIds: ['item-00000'], featuredShare: 0.5, guaranteeAfterLosses: 2, pityThreshold: 9 },
    ],
    ['idle', { baseRates, rollsPerHour: 1, featuredItemIds: ['item-00000'], guaranteeAfterLosses: 1 }],
    ['card_pack', { baseRates, pityThreshold: 3, slots: [{ count: 2 }, { count: 1, rates: { five: 1, four: 2 } }] }],
    ['card_pack', { baseRates, unique: true }],
    ['roguelike', { baseRates, choices: 4, pityThreshold: 3 }],
  ];
  for (const [index, [type, config]] of configs.entries()) {
    test(`are those of the template, even after being sent to another thread (${type}, ${index + 1})`, () => {
      const template = templateOf(type, config, small);
      const input = structuredClone(plainOddsInputOf(template));
      const table: OddsTable = structuredClone(oddsTableOf(input, LIMITS.curve));
      const { tiers, items, curve } = templateOddsAndCurve(template, LIMITS.curve);
      assert.deepEqual(table.curve, curve);
      const byId = new Map(items.map((row) => [row.itemId, row]));
      let row = 0;
      for (const [place, tier] of template.tiers.all.entries()) {
        const { tier: _, name: __, ...odds } = tiers[template.tiers.ranks[place] ?? 0] ?? {};
        assert.deepEqual(oddsAt(table.tiers, place), odds);
        for (const { id } of tier.items) {
          const { itemId, itemName, tier: ofTier, featured, ...ofItem } = byId.get(id) ?? {};
          assert.deepEqual(oddsAt(table.items, row), ofItem);
          row += 1;
        }
      }
    });
  }
});

test('medians of many items are those of each by itself, even if pities repeat for long', () => {
  // Two pities of tiers that are rarely rolled by themselves: the counters depend on the initial state for thousands of
  // rolls.
  const rates = { five: 1e-4, four: 1e-3, three: 0.999 };
  const config = { baseRates: rates, pityThreshold: 12, pities: [{ tier: 'four', threshold: 5 }] };
  const weights = Array.from({ length: 200 }, (_, index) => 1 + (index * index) / 50);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const options = ['five', 'four', 'three'].map((id) => option(id));
  const rest = [item('five-1', ['five']), item('four-1', ['four'])];
  const many = compileCatalog(options, [
    ...rest,
    ...weights.map((weight, index) => item(`three-${1000 + index}`, ['three'], weight)),
  ]);
  const { items } = templateOdds(templateOf('gacha', config, many));
  for (const index of [0, 3, 17, 60, 110, 199]) {
    const weight = weights[index] ?? 0;
    const few = compileCatalog(options, [...rest, item('a', ['three'], weight), item('b', ['three'], total - weight)]);
    const alone = templateOdds(templateOf('gacha', config, few)).items.find(({ itemId }) => itemId === 'a');
    const together = items.find(({ itemId }) => itemId === `three-${1000 + index}`);
    assert.equal(together?.medianRolls, alone?.medianRolls);
    assert.ok(Math.abs((together?.expectedRolls ?? 0) / (alone?.expectedRolls ?? 1) - 1) < 1e-9);
  }
});
