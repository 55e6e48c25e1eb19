import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createHistogram, distributionOf, type Histogram } from './histogram.ts';
import { reportSimulation } from './report.ts';
import type { Simulation } from './simulation.ts';

const histogramOf = (values: readonly number[]): Histogram => {
  const histogram = createHistogram();
  for (const value of values) histogram.add(value);
  return histogram;
};

describe('a distribution', () => {
  test('has the least values that as many percent do not exceed', () => {
    const values = fc.array(fc.integer({ min: 0, max: 5000 }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(values, (sample) => {
        const shown = distributionOf(histogramOf(sample));
        assert.ok(shown !== null);
        const sorted = sample.toSorted((a, b) => a - b);
        // The place of the N-th percentile, counted from 1, is N % of the cases, rounded up.
        for (const percent of [1, 5, 25, 50, 75, 95, 99] as const)
          assert.equal(shown[`p${percent}`], sorted[Math.ceil((percent * sample.length) / 100) - 1], `p${percent}`);
        assert.equal(shown.max, sorted.at(-1));
        assert.equal(shown.mean, sample.reduce((sum, value) => sum + value, 0) / sample.length);
      }),
    );
  });

  test('reaches 5 % with exactly one of twenty', () => {
    const shown = distributionOf(histogramOf(Array.from({ length: 20 }, (_, index) => index + 1)));
    assert.deepEqual(shown, { mean: 10.5, p1: 1, p5: 1, p25: 5, p50: 10, p75: 15, p95: 19, p99: 20, max: 20 });
  });

  test('is null if there is nothing', () => assert.equal(distributionOf(createHistogram()), null));
});

describe('a report', () => {
  const simulation = (firsts: readonly number[], players: number, rolls: number): Simulation => {
    const counts = [...firsts.map(() => 1), ...Array.from({ length: players - firsts.length }, () => 0)];
    const gaps = histogramOf(firsts);
    const target = {
      kind: 'tier',
      id: 'five',
      firsts: histogramOf(firsts),
      gaps,
      counts: histogramOf(counts),
    } as const;
    return { players, rolls, targets: [target], pity: { top: 1, hard: 0, soft: 0, guarantee: 0 } };
  };
  const report = (firsts: readonly number[], players: number, rolls: number, pricePerRoll: number | null = null) => {
    const [target] = reportSimulation(simulation(firsts, players, rolls), { pricePerRoll, points: 4 }).targets;
    assert.ok(target !== undefined);
    return target;
  };

  test('has a point of the curve for every roll, or for rolls at equal distances that end with the last', () => {
    assert.deepEqual(report([1, 3, 3], 4, 3).curve, [
      { roll: 1, share: 0.25 },
      { roll: 2, share: 0.25 },
      { roll: 3, share: 0.75 },
    ]);
    assert.deepEqual(report([1, 3, 10], 4, 10).curve, [
      { roll: 3, share: 0.5 },
      { roll: 5, share: 0.5 },
      { roll: 8, share: 0.5 },
      { roll: 10, share: 0.75 },
    ]);
  });

  test('says how many never got it, and is about the others otherwise', () => {
    const { never, first, perPlayer } = report([2, 4], 8, 5);
    assert.equal(never, 0.75);
    assert.deepEqual([first?.mean, first?.max], [3, 4]);
    assert.deepEqual([perPlayer.mean, perPlayer.p75, perPlayer.max], [0.25, 0, 1]);
    const nobody = report([], 8, 5, 2);
    assert.deepEqual([nobody.never, nobody.first, nobody.each, nobody.cost], [1, null, null, null]);
    assert.equal(nobody.curve.at(-1)?.share, 0);
  });

  test('has costs with the decimals of the price, and none without a price', () => {
    assert.equal(report([3], 1, 5).cost, null);
    assert.equal(report([3], 1, 5, 0.1).cost?.p50, 0.3);
    assert.equal(report([3], 1, 5, 1e-120).cost?.p50, 0);
    assert.equal(report([3], 1, 5, 0).cost?.max, 0);
  });
});
