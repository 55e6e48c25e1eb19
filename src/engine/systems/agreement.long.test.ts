import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { catalogOf, item, option, templateOf } from '../../../test/catalogs.ts';
import { agrees, cheapDraws, chiSquareCritical } from '../../../test/statistics.ts';
import { compileCatalog } from '../pool/catalog.ts';
import type { CardPackConfig, GachaConfig, RoguelikeConfig, TemplateType } from './config.ts';
import { rollGacha } from './gacha/gacha.ts';
import { templateOdds } from './odds.ts';
import { rollTemplate, viewState } from './rolling.ts';
import { initialPityState, initialState, type PityState } from './state.ts';
import { atDepth } from './templates.ts';

/** With a correct engine, each statistic here fails for one in a thousand seeds; the seeds are fixed. */
const LEVEL = 0.001;
/** The distance from the mean, in standard deviations, that a normal variable exceeds at that level. */
const FAR = 3.2905;

const banner: GachaConfig = {
  baseRates: { five: 0.006, four: 0.051, three: 0.943 },
  pityThreshold: 90,
  softPity: [{ from: 74, add: 0.06 }],
  pities: [{ tier: 'four', threshold: 10 }],
  featuredItemIds: ['five-1'],
  featuredShare: 0.5,
  guaranteeAfterLosses: 1,
};
const catalog = catalogOf({ five: 4, four: 4, three: 8 });

/** Whether the mean of a sample is as close to the expected one as chance allows. */
const meanAgrees = (sample: readonly number[], expected: number): boolean => {
  const mean = sample.reduce((sum, value) => sum + value, 0) / sample.length;
  const variance = sample.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (sample.length - 1);
  return Math.abs(mean - expected) <= FAR * Math.sqrt(variance / sample.length);
};

/** Cells with an expected count below ten are merged, from the end: chi-square is not valid for them. */
const joined = (counts: readonly number[], shares: readonly number[], total: number): [number[], number[]] => {
  const cells: [number[], number[]] = [[], []];
  let count = 0;
  let share = 0;
  for (let index = shares.length - 1; index >= 0; index -= 1) {
    count += counts[index] ?? 0;
    share += shares[index] ?? 0;
    if (share * total < 10 && index > 0) continue;
    cells[0].push(count);
    cells[1].push(share);
    count = 0;
    share = 0;
  }
  return cells;
};

describe('ten million rolls of a banner with two pities', () => {
  const BATCHES = 1000;
  const ROLLS = 10_000;
  const { rules } = templateOf('gacha', banner, catalog);
  const TIERS = ['five', 'four', 'three'];
  // The results, by the counters before the roll and the place of the tier.
  const given = new Float64Array(90 * 16 * 3);
  const gaps = new Array<number>(91).fill(0);
  const foursByBatch: number[] = [];
  const featuredGaps: number[] = [];

  test('are rolled', () => {
    const draws = cheapDraws(90);
    let pity: PityState = initialPityState();
    let sinceFive = 0;
    let sinceFour = 0;
    let sinceFeatured = 0;
    for (let batch = 0; batch < BATCHES; batch += 1) {
      const rolled = rollGacha(rules, pity, ROLLS, () => draws);
      let fours = 0;
      for (const { tier, featured } of rolled.results) {
        const place = tier === 'five' ? 0 : tier === 'four' ? 1 : 2;
        const cell = (sinceFive * 16 + sinceFour) * 3 + place;
        given[cell] = (given[cell] as number) + 1;
        sinceFeatured += 1;
        if (place === 0) {
          gaps[sinceFive + 1] = (gaps[sinceFive + 1] ?? 0) + 1;
          if (featured) {
            featuredGaps.push(sinceFeatured);
            sinceFeatured = 0;
          }
        }
        if (place === 1) fours += 1;
        sinceFive = place === 0 ? 0 : sinceFive + 1;
        sinceFour = place === 1 ? 0 : sinceFour + 1;
      }
      foursByBatch.push(fours / ROLLS);
      pity = rolled.pity ?? pity;
    }
    assert.deepEqual(
      pity.counters.map(({ since }) => since),
      [sinceFive, sinceFour],
    );
  });

  test('give in every state what the next odds say, by chi-square over all states', () => {
    const template = templateOf('gacha', banner, catalog);
    let statistic = 0;
    let degrees = 0;
    for (let five = 0; five < 90; five += 1) {
      for (let four = 0; four < 16; four += 1) {
        const counts = [0, 1, 2].map((place) => given[(five * 16 + four) * 3 + place] as number);
        const total = counts.reduce((sum, count) => sum + count, 0);
        const counters = [
          { tier: 'five', since: five },
          { tier: 'four', since: four },
        ];
        const { next } = viewState(template, { ...initialState(), pity: { counters, losses: 0 } }, 0);
        const rates = TIERS.map((tier) => next.find((row) => row.tier === tier)?.rate ?? 0);
        for (const [place, rate] of rates.entries()) if (rate === 0) assert.equal(counts[place], 0);
        const possible = rates
          .map((rate, place) => ({ rate, count: counts[place] ?? 0 }))
          .filter(({ rate }) => rate > 0);
        if (possible.some(({ rate }) => rate * total < 10)) continue;
        degrees += possible.length - 1;
        for (const { rate, count } of possible) statistic += (count - rate * total) ** 2 / (rate * total);
      }
    }
    assert.ok(degrees > 500, `${degrees} degrees of freedom`);
    assert.ok(statistic < chiSquareCritical(degrees, LEVEL), `${statistic} of ${degrees}`);
  });

  test('have the gaps between top results that follow from the rules, by chi-square', () => {
    let surviving = 1;
    const shares = [0];
    for (let roll = 1; roll <= 90; roll += 1) {
      const rate = roll === 90 ? 1 : 0.006 + 0.06 * Math.max(0, roll - 73);
      shares.push(surviving * rate);
      surviving *= 1 - rate;
    }
    const total = gaps.reduce((sum, count) => sum + count, 0);
    assert.ok(agrees(...joined(gaps, shares, total), LEVEL));
  });

  test('have the published long-run shares and means', () => {
    const { tiers, items } = templateOdds(templateOf('gacha', banner, catalog));
    const four = tiers.find(({ tier }) => tier === 'four');
    const featured = items.find(({ itemId }) => itemId === 'five-1');
    // Batches of ten thousand rolls are nearly independent, and their own variance bounds the error of their mean.
    assert.ok(meanAgrees(foursByBatch, four?.effective ?? 0));
    // After a featured result every counter that affects the next one is reset.
    assert.ok(meanAgrees(featuredGaps, featured?.expectedRolls ?? 0));
    const median = featured?.medianRolls ?? 0;
    const within = (rolls: number): number => featuredGaps.filter((gap) => gap <= rolls).length / featuredGaps.length;
    const error = (FAR * 0.5) / Math.sqrt(featuredGaps.length);
    assert.ok(within(median) > 0.5 - error && within(median - 1) < 0.5 + error);
    assert.ok(Math.max(...featuredGaps.slice(0, 100_000)) <= (featured?.worstRolls ?? 0));
  });
});

describe('packs and offers', () => {
  const weighted = compileCatalog(
    ['five', 'four', 'three'].map((id) => option(id)),
    ['five', 'four', 'three'].flatMap((tier) =>
      Array.from({ length: 5 }, (_, index) => item(`${tier}-${index + 1}`, [tier], 1.7 ** index)),
    ),
  );
  const rates = { three: 0.8, four: 0.15, five: 0.05 };
  const slots = [{ count: 4 }, { count: 1, rates: { four: 0.9, five: 0.1 } }];
  const cases: [string, TemplateType, CardPackConfig | RoguelikeConfig, number, number?][] = [
    ['unique packs with a pity', 'card_pack', { baseRates: rates, slots, unique: true, pityThreshold: 3 }, 5],
    ['packs with a pity', 'card_pack', { baseRates: rates, slots, pityThreshold: 3 }, 5],
    ['offers of six with a pity', 'roguelike', { baseRates: rates, choices: 6, pityThreshold: 2 }, 6],
    [
      'offers at depth 9',
      'roguelike',
      { baseRates: rates, choices: 3, pityThreshold: 4, depthScaling: { five: 1.2, three: 0.9 } },
      3,
      9,
    ],
  ];
  for (const [name, type, config, cards, depth = 0] of cases) {
    test(`${name}: 100,000 of them contain every item as often, and after as long a wait, as published`, () => {
      const template = templateOf(type, config, weighted);
      const { items, tiers } = templateOdds(atDepth(template, depth));
      const rows = [
        ...items.map(({ itemId, ...odds }) => ({
          is: (id: string) => id === itemId,
          ...odds,
        })),
        ...tiers.map(({ tier, ...odds }) => ({
          is: (id: string) => id.startsWith(`${tier}-`),
          ...odds,
        })),
      ];
      const draws = cheapDraws(91);
      const shares = rows.map((): number[] => []);
      const firsts = rows.map((): number[] => []);
      // Runs from the initial state, long enough that each has its first hit. Within a run, hundreds of packs make a
      // batch.
      for (let run = 0; run < 500; run += 1) {
        const { results } = rollTemplate(template, initialState(), {
          count: 200,
          depth,
          drawsOf: () => draws,
          nowMs: 0,
        });
        for (const [row, { is }] of rows.entries()) {
          const hits = results.map(({ item: { id } }) => is(id));
          // The first hundred packs still depend on the initial state.
          const later = hits.slice(100 * cards);
          shares[row]?.push(later.filter(Boolean).length / later.length);
          const first = hits.indexOf(true);
          if (first !== -1) firsts[row]?.push(Math.floor(first / cards) + 1);
        }
      }
      for (const [row, { effective, expectedRolls, medianRolls }] of rows.entries()) {
        assert.ok(meanAgrees(shares[row] ?? [], effective), `row ${row}: share`);
        // What is in nearly every pack has too little variance to measure.
        const measurable = firsts[row]?.length === 500 && (expectedRolls ?? 0) > 1.05;
        if (!measurable) continue;
        assert.ok(meanAgrees(firsts[row] ?? [], expectedRolls ?? 0), `row ${row}: mean`);
        const within = (packs: number): number => (firsts[row] ?? []).filter((first) => first <= packs).length / 500;
        const error = (FAR * 0.5) / Math.sqrt(500);
        const median = medianRolls ?? 0;
        assert.ok(within(median) > 0.5 - error && within(median - 1) < 0.5 + error, `row ${row}: median`);
      }
      assert.ok(firsts.filter(({ length }) => length === 500).length > 10);
    });
  }
});
