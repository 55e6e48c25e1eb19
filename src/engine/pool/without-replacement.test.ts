import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pickLinear } from './weighted.ts';
import { compileRemainder, pickRemainingLinear } from './without-replacement.ts';

const draw = fc.oneof(
  fc.maxSafeNat().map((bits) => bits * 2 ** -53),
  fc.constantFrom(0, 0.25, 0.5, 0.75, 1 - 2 ** -53),
);
const exact = fc.oneof(
  fc.nat({ max: 9 }),
  fc.nat({ max: 1000 }).map((quarters) => quarters / 4),
);
const rounded = fc.double({ min: 0, max: 10, noNaN: true });

test('the definition is a weighted choice with taken weights set to 0', () => {
  fc.assert(
    fc.property(
      fc.array(rounded, { minLength: 1, maxLength: 20 }),
      fc.array(fc.nat({ max: 19 })),
      draw,
      (weights, taken, u) => {
        const left = weights.map((weight, index) => (taken.includes(index) ? 0 : weight));
        assert.equal(pickRemainingLinear(weights, u, taken), pickLinear(left, u));
      },
    ),
    { seed: 20, numRuns: 1000 },
  );
});

test('a compiled remainder chooses what the definition chooses, draw after draw until nothing is left', () => {
  for (const weight of [exact, rounded]) {
    fc.assert(
      fc.property(
        fc.array(weight, { minLength: 1, maxLength: 40 }),
        fc.array(draw, { minLength: 41, maxLength: 41 }),
        (weights, draws) => {
          const remainder = compileRemainder(weights);
          const taken: number[] = [];
          for (const u of draws) {
            const index = remainder.pick(u, taken);
            assert.equal(index, pickRemainingLinear(weights, u, taken));
            if (index === -1) break;
            assert.ok(!taken.includes(index) && (weights[index] ?? 0) > 0);
            taken.push(index);
          }
          assert.equal(taken.length, weights.filter((entry) => entry > 0).length);
        },
      ),
      { seed: 21, numRuns: 300 },
    );
  }
});
