import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { catalogOf, item, templateOf } from '../../../test/catalogs.ts';
import { cheapDraws } from '../../../test/statistics.ts';
import { type CompiledItem, compileCatalog } from '../pool/catalog.ts';
import { allAtOnce } from '../steps.ts';
import { rollTemplate } from '../systems/rolling.ts';
import { initialState, type RollResult, type TemplateState } from '../systems/state.ts';
import type { CompiledTemplate } from '../systems/templates.ts';
import { IMPOSSIBLE, type Observations } from './accumulation.ts';
import { evidenceRows, logEvidence, logEvidenceOfDays } from './evidence.ts';
import { logGamma, logMixture, logRatio, rangeOf, spreadOf } from './likelihood.ts';
import { evidenceModel, plainEvidenceModel } from './model.ts';
import { namedItems } from './named-items.ts';
import { createObserver, createPlainObserver } from './observation.ts';

const close = (actual: number, expected: number, tolerance = 1e-9): void =>
  assert.ok(Math.abs(actual - expected) <= tolerance * Math.max(1, Math.abs(expected)), `${actual} is not ${expected}`);

describe('likelihoods', () => {
  test('agree with their definition', () => {
    const hits = {
      cells: [
        { rolls: 100, odds: 0.1 },
        { rolls: 50, odds: 0.2 },
      ],
      hits: 31,
    };
    const theta = 0.3;
    // The odds of a hit become p e^θ / (1 − p + p e^θ).
    const direct = (rolls: number, hit: number, p: number): number => {
      const q = (p * Math.exp(theta)) / (1 - p + p * Math.exp(theta));
      return hit * Math.log(q / p) + (rolls - hit) * Math.log((1 - q) / (1 - p));
    };
    // However the hits are divided between the cells, the ratio is the same.
    for (const first of [0, 11, 31])
      close(logRatio(hits, theta), direct(100, first, 0.1) + direct(50, 31 - first, 0.2));
  });

  test('have a mean of 1 if the odds are right', () => {
    const [rolls, odds] = [30, 0.17];
    let mean = 0;
    let chance = (1 - odds) ** rolls;
    for (let hits = 0; hits <= rolls; hits += 1) {
      mean += chance * Math.exp(logMixture({ cells: [{ rolls, odds }], hits }));
      chance *= ((rolls - hits) / (hits + 1)) * (odds / (1 - odds));
    }
    close(mean, 1, 1e-12);
  });

  test('of a spread have a mean of 1 if the odds are right', () => {
    const odds = [0.5, 0.3, 0.2];
    const rolls = 8;
    let mean = 0;
    const factorial = (n: number): number => Math.exp(logGamma(n + 1));
    for (let a = 0; a <= rolls; a += 1)
      for (let b = 0; a + b <= rolls; b += 1) {
        const counts = [a, b, rolls - a - b];
        const ways = factorial(rolls) / counts.reduce((product, count) => product * factorial(count), 1);
        const chance = ways * odds.reduce((product, p, index) => product * p ** (counts[index] as number), 1);
        mean += chance * Math.exp(spreadOf(odds)(counts));
      }
    close(mean, 1, 1e-9);
  });

  test('have a gamma function that is right to ten digits', () => {
    close(logGamma(0.5), 0.5 * Math.log(Math.PI), 1e-12);
    close(logGamma(1), 0, 1e-12);
    close(logGamma(11), Math.log(3628800), 1e-12);
    close(logGamma(25), Math.log(6.204484017332394e23), 1e-12);
    close(logGamma(19.999999), logGamma(20.000001), 1e-6);
  });

  test('give a range that does not depend on results that were due', () => {
    const range = rangeOf({ cells: [{ rolls: 1000, odds: 0.05 }], hits: 50 });
    const due = rangeOf({
      cells: [
        { rolls: 1000, odds: 0.05 },
        { rolls: 500, odds: 1 },
      ],
      hits: 550,
    });
    for (const edge of ['low', 'high'] as const)
      assert.ok(Math.abs(due[edge] * 1500 - 500 - range[edge] * 1000) < 1e-6, `${due[edge]} ${range[edge]}`);
  });

  test('give a range that contains the rate, and is narrower with more rolls', () => {
    const at = (rolls: number) => rangeOf({ cells: [{ rolls, odds: 0.1 }], hits: rolls / 10 });
    const [few, many] = [at(100), at(10_000)];
    assert.ok(few.low < 0.1 && few.high > 0.1 && many.low < 0.1 && many.high > 0.1);
    assert.ok(many.high - many.low < (few.high - few.low) / 5);
    const none = rangeOf({ cells: [{ rolls: 100, odds: 0.1 }], hits: 0 });
    assert.ok(none.low < 1e-6 && none.high < 0.2);
  });
});

/** Rolls for fresh users, observing everything. */
const observed = (
  template: CompiledTemplate,
  {
    users,
    calls,
    count = 1,
    depth = 0,
    seed = 1,
  }: { users: number; calls: number; count?: number; depth?: number; seed?: number },
): Observations => {
  const counts = new Map<string, Map<string, number>>();
  const draws = cheapDraws(seed);
  const observer = createObserver(template);
  for (let user = 0; user < users; user += 1) {
    let state: TemplateState = initialState();
    for (let call = 0; call < calls; call += 1) {
      const before = state;
      const { results, state: after } = rollTemplate(template, before, {
        count,
        depth,
        drawsOf: () => draws,
        nowMs: 0,
      });
      state = after ?? state;
      observer(before.pity, results, depth, (kind, outcome) => {
        const outcomes = counts.get(kind) ?? new Map<string, number>();
        counts.set(kind, outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1));
      });
    }
  }
  return counts;
};

const catalog = catalogOf({ five: 3, four: 4, three: 6 });
const baseRates = { five: 0.01, four: 0.1, three: 0.89 };
const gacha = (more: object = {}) =>
  templateOf('gacha', { baseRates, pityThreshold: 50, softPity: [{ from: 40, add: 0.08 }], ...more }, catalog);

describe('evidence', () => {
  const sound: Record<string, [CompiledTemplate, Parameters<typeof observed>[1]]> = {
    'a banner with pity': [gacha(), { users: 40, calls: 200 }],
    'a banner with two pities and a guarantee': [
      gacha({
        pities: [{ tier: 'four', threshold: 10 }],
        featuredItemIds: ['five-1'],
        featuredShare: 0.5,
        guaranteeAfterLosses: 1,
      }),
      { users: 40, calls: 200 },
    ],
    'a guarantee without a share': [
      gacha({ featuredItemIds: ['five-1'], guaranteeAfterLosses: 2 }),
      { users: 40, calls: 200, count: 3 },
    ],
    'a pack without repeats': [
      templateOf(
        'card_pack',
        {
          baseRates,
          slots: [{ count: 4 }, { count: 1, rates: { five: 1, four: 9 } }],
          unique: true,
          pityThreshold: 10,
        },
        catalog,
      ),
      { users: 40, calls: 50 },
    ],
    'offers at depth 7': [
      templateOf('roguelike', { baseRates, depthScaling: { five: 1.3 }, choices: 3, pityThreshold: 8 }, catalog),
      { users: 40, calls: 60, depth: 7 },
    ],
  };
  for (const [name, [template, how]] of Object.entries(sound))
    test(`is weak against ${name} that is sound`, () => {
      for (const seed of [1, 2, 3]) {
        const counts = observed(template, { ...how, seed });
        const log = logEvidence(evidenceModel(template), counts);
        assert.ok(log < Math.log(20), `evidence ${Math.exp(log)}`);
        assert.ok(log > Math.log(1e-6));
      }
    });

  test('is strong if the soft pity starts at another roll', () => {
    const wrong = gacha({ softPity: [{ from: 43, add: 0.08 }] });
    const log = logEvidence(evidenceModel(gacha()), observed(wrong, { users: 40, calls: 200 }));
    assert.ok(log > Math.log(1000), `evidence ${Math.exp(log)}`);
  });

  test('is strong if a share or an item is wrong', () => {
    const featured = { featuredItemIds: ['five-1'], featuredShare: 0.5 };
    const model = evidenceModel(gacha(featured));
    const counts = observed(gacha({ ...featured, featuredShare: 0.3 }), { users: 100, calls: 300 });
    assert.ok(logEvidence(model, counts) > Math.log(1000));
    const rows = evidenceRows(model, counts).toSorted((a, b) => b.logEvidence - a.logEvidence);
    assert.equal(rows[0]?.kind, 'featured');
    assert.ok((rows[0]?.high ?? 1) < 0.5);
  });

  test('is infinite if a guarantee is not kept', () => {
    const template = gacha({ featuredItemIds: ['five-1'], featuredShare: 0.5, guaranteeAfterLosses: 1 });
    const model = evidenceModel(template);
    const five = (id: string, featured: boolean) => {
      const item = template.tiers.all[template.tiers.top]?.items.find((one) => one.id === id) as CompiledItem;
      return { tier: 'five', pity: false, featured, item, values: [] };
    };
    const evidenceOf = (...results: RollResult[]): number => {
      const counts = new Map<string, Map<string, number>>();
      createObserver(template)({ counters: [], losses: 1 }, results, 0, (kind, outcome) => {
        counts.set(kind, new Map([[outcome, 1]]));
      });
      return logEvidence(model, counts);
    };
    assert.ok(evidenceOf(five('five-1', true), five('five-2', false)) < 1);
    assert.equal(evidenceOf(five('five-2', false)), IMPOSSIBLE);
  });

  test('of rolls on all items compares each item with its weight', () => {
    const { items } = compileCatalog([], [item('a', [], 1), item('b', [], 2), item('c', [], 7), item('never', [], 0)]);
    const model = plainEvidenceModel(items);
    const observer = allAtOnce(createPlainObserver(items));
    const counted = (rolls: Record<string, number>): Observations => {
      const counts = new Map<string, Map<string, number>>();
      for (const [id, count] of Object.entries(rolls))
        observer(id, (kind, outcome) => {
          const outcomes = counts.get(kind) ?? new Map<string, number>();
          counts.set(kind, outcomes.set(outcome, count));
        });
      return counts;
    };
    assert.ok(logEvidence(model, counted({ a: 100, b: 200, c: 700 })) < 0);
    assert.ok(logEvidence(model, counted({ a: 200, b: 200, c: 600 })) > Math.log(1000));
    assert.equal(logEvidence(model, counted({ never: 1 })), IMPOSSIBLE);
    const rows = evidenceRows(model, counted({ a: 100, b: 200, c: 700 }));
    assert.deepEqual(
      rows.map(({ kind, id, hits, rolls }) => [kind, id, hits, rolls]),
      [
        ['item', 'a', 100, 1000],
        ['item', 'b', 200, 1000],
        ['item', 'c', 700, 1000],
      ],
    );
  });

  test('is the same to the last digit in whatever order the results were counted', () => {
    const template = gacha({
      pities: [{ tier: 'four', threshold: 8 }],
      featuredItemIds: ['five-1'],
      featuredShare: 0.5,
    });
    const model = evidenceModel(template);
    for (const seed of [1, 2, 3]) {
      const counts = observed(template, { users: 20, calls: 60, seed });
      const other = new Map([...counts].reverse().map(([kind, outcomes]) => [kind, new Map([...outcomes].reverse())]));
      assert.equal(logEvidence(model, other), logEvidence(model, counts));
      assert.equal(logEvidenceOfDays(model, [counts, other]), logEvidenceOfDays(model, [other, counts]));
      assert.deepEqual(evidenceRows(model, other), evidenceRows(model, counts));
    }
  });

  test('is infinite if something happened that has odds of 0', () => {
    const model = evidenceModel(gacha());
    assert.equal(logEvidence(model, new Map([['t0', new Map([['9', 1]])]])), IMPOSSIBLE);
    assert.equal(logEvidence(model, new Map([['i0', new Map([['unknown', 1]])]])), IMPOSSIBLE);
  });

  test('of a stream starts at 1, and looks for a fault that began later', () => {
    const model = evidenceModel(gacha());
    close(logEvidenceOfDays(model, []), 0);
    const soundDay = (seed: number) => observed(gacha(), { users: 20, calls: 100, seed });
    const wrong = gacha({ baseRates: { five: 0.02, four: 0.1, three: 0.88 } });
    const days = [1, 2, 3, 4, 5].map(soundDay);
    assert.ok(logEvidenceOfDays(model, days) < Math.log(20));
    const faulty = [...days, observed(wrong, { users: 60, calls: 100 })];
    assert.ok(logEvidenceOfDays(model, faulty) > Math.log(1000));
  });
});

describe('items of a large part', () => {
  const weights = Array.from({ length: 3000 }, (_, index) =>
    index < 100 ? 0 : index < 900 ? 5 : index < 2000 ? 2 : 1,
  );
  const items = weights.map((_, index) => ({ id: `item-${String(index).padStart(4, '0')}` }));

  test('are all counted by name unless there are too many', () => {
    assert.equal(namedItems({ items: items.slice(0, 1000), weights }), null);
    assert.equal(namedItems({ items: [], weights: [] }), null);
  });

  test('are counted by name if they are among the likeliest, by byte order if equal, or can never be rolled', () => {
    const named = namedItems({ items, weights });
    const expected = items.filter((_, index) => index < 100 || index < 900 + 200).map(({ id }) => id);
    assert.deepEqual([...(named ?? [])], expected);
  });

  test('count as one otherwise, with the sum of their odds', () => {
    const { items: compiled } = compileCatalog(
      [],
      items.map(({ id }, index) => item(id, [], weights[index] as number)),
    );
    const part = plainEvidenceModel(compiled).parts.get('');
    assert.equal(part?.size, 1101);
    close(part?.values().reduce((sum, odds) => sum + odds, 0) ?? 0, 1, 1e-12);
    const total = 800 * 5 + 1100 * 2 + 1000;
    close(part?.get('') ?? 0, (total - 800 * 5 - 200 * 2) / total, 1e-12);
    const seen: string[] = [];
    const observer = allAtOnce(createPlainObserver(compiled));
    for (const index of [50, 500, 1099, 1100, 2999])
      observer(items[index]?.id ?? '', (kind, outcome) => void seen.push(`${kind} ${outcome}`));
    assert.deepEqual(seen, ['i item-0050', 'i item-0500', 'i item-1099', 'i ', 'i ']);
  });
});
