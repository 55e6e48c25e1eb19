import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { agrees, cheapDraws } from '../../../test/statistics.ts';
import { compilePicker, isUsableTotal, pickLinear } from './weighted.ts';

const MAX_DRAW = 1 - 2 ** -53;

const draw = fc.oneof(
  fc.maxSafeNat().map((bits) => bits * 2 ** -53),
  fc.constantFrom(0, 2 ** -53, 0.25, 0.5, 0.75, MAX_DRAW),
);

const weight = fc.oneof(
  fc.constant(0),
  fc.nat({ max: 5 }),
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.double({ min: 0, max: 1e300, noNaN: true }),
  fc.integer({ min: -899, max: 990 }).map((exponent) => 2 ** exponent),
);
const weights = fc.array(weight, { minLength: 1, maxLength: 60 });

/** The draws on both sides of every boundary between two entries, where wrong rounding would show. */
const drawsAtBorders = (entries: readonly number[]): number[] => {
  const total = entries.reduce((sum, entry) => sum + entry, 0);
  const found: number[] = [];
  let running = 0;
  for (const entry of entries) {
    running += entry;
    const nearest = Math.round((running / total) * 2 ** 53);
    for (let step = -3; step <= 3; step += 1) {
      const bits = nearest + step;
      if (bits >= 0 && bits < 2 ** 53) found.push(bits * 2 ** -53);
    }
  }
  return found;
};

describe('a compiled picker', () => {
  test('chooses what the definition chooses, for any weights and draws', () => {
    fc.assert(
      fc.property(weights, fc.array(draw, { minLength: 20, maxLength: 20 }), (entries, draws) => {
        const picker = compilePicker(entries);
        for (const u of [...draws, ...drawsAtBorders(entries)]) assert.equal(picker.pick(u), pickLinear(entries, u));
      }),
      { seed: 2, numRuns: 1000 },
    );
  });

  test('chooses what the definition chooses if many small weights fall into one bucket', () => {
    const few = Array.from({ length: 20 }, (_, index) => 1 + index);
    const tiny = Array.from({ length: 700 }, (_, index) => 2 ** -30 * (1 + (index % 3)));
    for (const entries of [
      [...few, ...tiny, ...few],
      [...tiny, ...few],
      [...few, ...tiny],
      [...tiny, 1e6, ...tiny, 0, ...tiny],
    ]) {
      const picker = compilePicker(entries);
      const draws = cheapDraws(7);
      const random = Array.from({ length: 1000 }, () => draws());
      for (const u of [...random, ...drawsAtBorders(entries)]) assert.equal(picker.pick(u), pickLinear(entries, u));
    }
  });

  test('chooses what the definition chooses among thousands', () => {
    const entries = Array.from({ length: 5000 }, (_, index) => 1 + ((index * 7919) % 97) / 10);
    const picker = compilePicker(entries);
    const draws = cheapDraws(8);
    for (let round = 0; round < 3000; round += 1) {
      const u = draws();
      assert.equal(picker.pick(u), pickLinear(entries, u));
    }
  });

  test('never chooses a weight of zero', () => {
    fc.assert(
      fc.property(weights, draw, (entries, u) => {
        fc.pre(entries.some((entry) => entry > 0));
        assert.ok((entries[compilePicker(entries).pick(u)] ?? 0) > 0);
      }),
      { seed: 3, numRuns: 2000 },
    );
  });

  test('chooses the same when all weights are doubled', () => {
    fc.assert(
      fc.property(weights, draw, (entries, u) => {
        const doubled = entries.map((entry) => entry * 2);
        assert.equal(compilePicker(doubled).pick(u), compilePicker(entries).pick(u));
      }),
      { seed: 4, numRuns: 2000 },
    );
  });

  test('finds no entry if all weights are zero', () => {
    assert.equal(compilePicker([]).pick(0.5), -1);
    assert.equal(compilePicker([0, 0]).pick(0), -1);
    assert.equal(pickLinear([0, 0], MAX_DRAW), -1);
  });

  test('falls back to the last weight above zero if rounding leaves none', () => {
    // With an infinite sum, no running total is above the draw.
    const entries = [1e308, 1e308, 1, 0];
    assert.equal(pickLinear(entries, 0.5), 2);
    assert.equal(compilePicker(entries).pick(0.5), 2);
  });

  test('agrees with exact odds by chi-square at the level 0.001, over 100,000 draws', () => {
    const entries = Array.from({ length: 200 }, (_, index) => (index % 7) * 1.5 ** (index % 11));
    const total = entries.reduce((sum, entry) => sum + entry, 0);
    const counts = entries.map(() => 0);
    const draws = cheapDraws(5);
    const { pick } = compilePicker(entries);
    for (let round = 0; round < 100_000; round += 1) {
      const index = pick(draws());
      counts[index] = (counts[index] ?? 0) + 1;
    }
    assert.ok(
      agrees(
        counts,
        entries.map((entry) => entry / total),
        0.001,
      ),
    );
  });
});

test('a total is usable from 2^-900 to 2^1000', () => {
  for (const total of [2 ** -900, 1, 2 ** 1000]) assert.equal(isUsableTotal(total), true, String(total));
  for (const total of [0, 2 ** -901, 2 ** 1001, Number.POSITIVE_INFINITY, Number.NaN, -1]) {
    assert.equal(isUsableTotal(total), false, String(total));
  }
});
