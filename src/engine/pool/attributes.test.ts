import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { agrees, cheapDraws } from '../../../test/statistics.ts';
import { compileRange, type ValueRange } from './attributes.ts';

const MAX_DRAW = 1 - 2 ** -53;

/** All `count` values of a range, by a draw from the middle of each share. */
const valuesOf = (range: ValueRange, count: number): number[] => {
  const valueAt = compileRange(range);
  return Array.from({ length: count }, (_, k) => valueAt((k + 0.5) / count));
};

describe('a range with a step', () => {
  for (const [range, values] of [
    [{ min: 0, max: 1, step: 0.1 }, [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]],
    [{ min: 0, max: 0.3, step: 0.1 }, [0, 0.1, 0.2, 0.3]],
    [{ min: -0.3, max: 0.3, step: 0.1 }, [-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3]],
    [{ min: 0.7, max: 1.1, step: 0.2 }, [0.7, 0.9, 1.1]],
    [{ min: 1, max: 10, step: 4 }, [1, 5, 9]],
    [{ min: 0.5, max: 3, step: 1 }, [0.5, 1.5, 2.5]],
    [{ min: 0, max: 3e-7, step: 1e-7 }, [0, 1e-7, 2e-7, 3e-7]],
    [{ min: 1e21, max: 3e21, step: 1e21 }, [1e21, 2e21, 3e21]],
    [{ min: 5, max: 9, step: 100 }, [5]],
    [{ min: 2.5, max: 2.5, step: 0.5 }, [2.5]],
    [{ min: 1e-200, max: 3e-200, step: 1e-200 }, [1e-200, 2e-200, 3e-200]],
  ] as const) {
    test(`from ${range.min} to ${range.max} by ${range.step} has exactly its values`, () => {
      assert.deepEqual(valuesOf(range, values.length), values);
      assert.equal(compileRange(range)(0), values[0]);
      assert.equal(compileRange(range)(MAX_DRAW), values.at(-1));
    });
  }

  test('finer than any number can count falls back to the whole range', () => {
    assert.equal(compileRange({ min: 0, max: 1e300, step: 5e-324 })(0.5), 5e299);
  });
});

describe('a range without a step', () => {
  test('between whole numbers has every whole number', () => {
    assert.deepEqual(valuesOf({ min: -2, max: 3, step: null }, 6), [-2, -1, 0, 1, 2, 3]);
    assert.deepEqual(valuesOf({ min: 7, max: 7, step: null }, 1), [7]);
  });

  test('between other bounds is continuous', () => {
    const valueAt = compileRange({ min: 0.5, max: 2, step: null });
    assert.deepEqual([valueAt(0), valueAt(0.5), valueAt(0.25)], [0.5, 1.25, 0.875]);
  });

  test('with bounds beyond the safe integers is continuous', () => {
    assert.equal(compileRange({ min: 0, max: 2 ** 60, step: null })(0.5), 2 ** 59);
  });

  test('with the greatest possible width stays finite', () => {
    const valueAt = compileRange({ min: -1.7e308, max: 1.7e308, step: null });
    assert.deepEqual([valueAt(0), valueAt(0.5)], [-1.7e308, 0]);
    assert.ok(valueAt(MAX_DRAW) <= 1.7e308);
  });

  test('of safe integers, however wide, stays within them', () => {
    const valueAt = compileRange({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, step: null });
    assert.equal(valueAt(0), Number.MIN_SAFE_INTEGER);
    assert.ok(valueAt(MAX_DRAW) <= Number.MAX_SAFE_INTEGER);
  });
});

test('a value never leaves its range and is never negative zero', () => {
  const bound = fc.oneof(
    fc.integer({ min: -50, max: 50 }),
    fc.integer({ min: -500, max: 500 }).map((tenths) => tenths / 10),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(-0, 0, -1e-7, 1e-7),
  );
  const step = fc.oneof(
    fc.constant(null),
    fc.constantFrom(0.1, 0.25, 1, 3, 1e-7, 0.3),
    fc.double({ min: 1e-3, max: 1e3 }),
  );
  const draw = fc.oneof(
    fc.maxSafeNat().map((bits) => bits * 2 ** -53),
    fc.constantFrom(0, 0.5, MAX_DRAW),
  );
  fc.assert(
    fc.property(bound, bound, step, draw, (one, other, by, u) => {
      fc.pre(by === null || by > 0);
      const [min, max] = [Math.min(one, other), Math.max(one, other)];
      const value = compileRange({ min, max, step: by })(u);
      assert.ok(value >= min && value <= max, `${value} is not from ${min} to ${max}`);
      assert.ok(!Object.is(value, -0));
    }),
    { seed: 6, numRuns: 5000 },
  );
});

test('stepped values are equally likely by chi-square at the level 0.001, over 100,000 draws', () => {
  const valueAt = compileRange({ min: -1, max: 1, step: 0.05 });
  const counts = new Array<number>(41).fill(0);
  const draws = cheapDraws(7);
  for (let round = 0; round < 100_000; round += 1) {
    const place = Math.round((valueAt(draws()) + 1) * 20);
    counts[place] = (counts[place] ?? 0) + 1;
  }
  assert.ok(
    agrees(
      counts,
      counts.map(() => 1 / 41),
      0.001,
    ),
  );
});
