import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { catalogOf, item, option, templateOf } from '../../../../test/catalogs.ts';
import { agrees, cheapDraws } from '../../../../test/statistics.ts';
import { compileCatalog } from '../../pool/catalog.ts';
import type { CardPackConfig } from '../config.ts';
import { rollTemplate } from '../rolling.ts';
import { initialState } from '../state.ts';
import { drawPack } from './card-pack.ts';
import { countCards } from './pack-counts.ts';

const catalog = catalogOf({ three: 8, four: 4, five: 4 });
const rates = { three: 0.8, four: 0.15, five: 0.05 };
const pack: CardPackConfig = {
  baseRates: rates,
  slots: [{ count: 4 }, { count: 1, rates: { four: 0.9, five: 0.1 } }],
  unique: true,
  pityThreshold: 10,
};

const planOf = (config: CardPackConfig, of = catalog) => templateOf('card_pack', config, of).rules;

describe('a pack', () => {
  test('has its slots in order, each with its own rates', () => {
    const plan = planOf(pack);
    const draws = cheapDraws(40);
    for (let round = 0; round < 500; round += 1) {
      const cards = drawPack(plan, false, draws);
      assert.equal(cards.length, 5);
      assert.notEqual(cards[4]?.tier, 'three');
    }
  });

  test('never repeats an item if it is unique, and skips exhausted tiers', () => {
    const small = catalogOf({ three: 3, four: 2, five: 1 });
    fc.assert(
      fc.property(fc.nat(), fc.boolean(), fc.integer({ min: 1, max: 6 }), (seed, due, count) => {
        const cards = drawPack(
          planOf({ baseRates: rates, slots: [{ count }], unique: true, pityThreshold: 5 }, small),
          due,
          cheapDraws(seed),
        );
        assert.equal(new Set(cards.map(({ item: { id } }) => id)).size, count);
        if (due) assert.ok(cards.some(({ tier }) => tier === 'five'));
      }),
      { seed: 41, numRuns: 500 },
    );
  });

  test('forces its last possible card if it is due and has no card of the top tier', () => {
    const config: CardPackConfig = {
      ...pack,
      slots: [{ count: 2 }, { count: 2, rates: { five: 1, four: 99 } }, { count: 1, rates: { three: 1 } }],
    };
    const plan = planOf(config);
    assert.deepEqual(
      drawPack(plan, true, () => 0.9999).map(({ tier, pity }) => [tier, pity]),
      [
        ['three', false],
        ['three', false],
        ['four', false],
        ['five', true],
        ['three', false],
      ],
    );
    // The first card of the top tier satisfies the pity.
    assert.deepEqual(
      drawPack(plan, true, () => 0).map(({ tier, pity }) => [tier, pity]),
      [
        ['five', true],
        ['five', false],
        ['five', false],
        ['five', false],
        ['three', false],
      ],
    );
  });

  test('counts packs without a top card, and never exceeds its pity', () => {
    const template = templateOf('card_pack', { ...pack, pityThreshold: 4 }, catalog);
    const draws = cheapDraws(42);
    let state = initialState();
    let without = 0;
    for (let round = 0; round < 300; round += 1) {
      const rolled = rollTemplate(template, state, { count: 1, depth: 0, drawsOf: () => draws, nowMs: 0 });
      const hit = rolled.results.some(({ tier }) => tier === 'five');
      without = hit ? 0 : without + 1;
      assert.ok(without < 4);
      state = rolled.state ?? state;
      assert.deepEqual(state.pity.counters, [{ tier: 'five', since: without }]);
    }
    assert.deepEqual([state.own.rolls, state.own.sparkPoints], [300, 300]);
  });

  test('has no pity if one tier always comes up', () => {
    for (const config of [{ baseRates: { four: 1 } }, {}]) {
      for (const template of [
        templateOf('card_pack', { ...config, pityThreshold: 1 }, catalog),
        templateOf('roguelike', { ...config, pityThreshold: 1 }, catalog),
      ]) {
        const request = { count: 3, depth: 0, drawsOf: () => cheapDraws(7), nowMs: 0 };
        const { results } = rollTemplate(template, initialState(), request);
        assert.ok(results.length > 0 && results.every(({ pity }) => !pity));
      }
    }
  });

  test('draws filtered slots from what the filter leaves', () => {
    const of = compileCatalog(
      [option('five'), option('fire', 'element'), option('ice', 'element')],
      [item('a', ['five', 'fire']), item('b', ['five', 'ice']), item('c', ['five', 'ice'])],
    );
    const plan = planOf(
      {
        baseRates: { five: 1 },
        slots: [
          { count: 1, classifierOptionIds: ['fire'] },
          { count: 1, classifierOptionIds: ['ice'] },
        ],
      },
      of,
    );
    const draws = cheapDraws(43);
    const seen = new Set(
      Array.from({ length: 50 }, () =>
        drawPack(plan, false, draws)
          .map(({ item: { id } }) => id)
          .join(''),
      ),
    );
    assert.deepEqual([...seen].sort(), ['ab', 'ac']);
  });

  test('contains as many cards of each tier as computed, due or not, by chi-square at the level 0.001', () => {
    const plan = planOf(pack);
    for (const due of [false, true]) {
      const draws = cheapDraws(44);
      const counts = countCards(plan, due).map(({ withTop, withoutTop }) =>
        withTop.map((chance, count) => chance + (withoutTop[count] ?? 0)),
      );
      const seen = counts.map((row) => row.map(() => 0));
      for (let round = 0; round < 20_000; round += 1) {
        const cards = drawPack(plan, due, draws);
        for (const [place, { optionId }] of plan.tiers.all.entries()) {
          const row = seen[place] ?? [];
          const count = cards.filter(({ tier }) => tier === optionId).length;
          row[count] = (row[count] ?? 0) + 1;
        }
      }
      // Counts with an expectation below five are too rare for the statistic, and too rare to matter.
      for (const [place, row] of counts.entries()) {
        const common = row.map((chance) => chance * 20_000 >= 5);
        const rest = (values: readonly number[]) =>
          values.reduce((sum, value, count) => sum + (common[count] ? 0 : value), 0);
        const observed = [...(seen[place] ?? []).filter((_, count) => common[count]), rest(seen[place] ?? [])];
        const expected = [...row.filter((_, count) => common[count]), rest(row)];
        assert.ok(agrees(observed, expected, 0.001), `${place} ${due}`);
      }
    }
  });
});

test('packs give the same sequence for the same draws, in every version', () => {
  const template = templateOf('card_pack', pack, catalog);
  const draws = cheapDraws(45);
  const { results, state } = rollTemplate(template, initialState(), {
    count: 6,
    depth: 0,
    drawsOf: () => draws,
    nowMs: 0,
  });
  assert.deepEqual(
    [results.map(({ item: { id } }) => id), state],
    [
      [
        'three-1',
        'three-8',
        'three-2',
        'three-4',
        'four-3',
        'four-2',
        'three-6',
        'three-8',
        'three-7',
        'four-4',
        'three-7',
        'three-3',
        'three-1',
        'four-4',
        'four-2',
        'three-5',
        'four-3',
        'three-7',
        'three-4',
        'four-2',
        'three-2',
        'three-4',
        'four-2',
        'four-3',
        'four-1',
        'four-1',
        'three-1',
        'three-8',
        'three-2',
        'four-4',
      ],
      { pity: { counters: [{ tier: 'five', since: 6 }], losses: 0 }, own: { rolls: 6, sparkPoints: 6, idle: null } },
    ],
  );
});
