import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cheapDraws } from '../../../../test/statistics.ts';
import { drawPositions } from './successive-sampling.ts';

/** The probability of each item to be drawn first, second, …, by enumerating every order. */
const byEveryOrder = (weights: readonly number[], draws: number): number[][] => {
  const chances = weights.map(() => new Array<number>(draws).fill(0));
  const go = (taken: readonly number[], chance: number): void => {
    if (taken.length === draws) return;
    const left = weights.reduce((sum, weight, index) => (taken.includes(index) ? sum : sum + weight), 0);
    for (const [index, weight] of weights.entries()) {
      if (taken.includes(index)) continue;
      const row = chances[index] as number[];
      row[taken.length] = (row[taken.length] ?? 0) + (chance * weight) / left;
      go([...taken, index], (chance * weight) / left);
    }
  };
  go([], 1);
  return chances;
};

describe('positions in draws without replacement', () => {
  for (const weights of [
    [1, 2, 3],
    [5, 5, 5, 5],
    [1, 2, 3, 4, 5, 6, 7],
    [1, 1, 1, 5, 5, 100, 0.01],
    [1e-6, 1, 1e6, 3, 1e3],
    [1e-12, 1e-3, 1, 2, 1e9, 1e20],
  ]) {
    test(`are exact for the weights ${weights.join(', ')}`, () => {
      for (const draws of [1, 2, weights.length - 1, weights.length]) {
        const positions = drawPositions(weights, draws);
        for (const [index, chances] of byEveryOrder(weights, draws).entries()) {
          for (const [position, chance] of chances.entries()) {
            const computed = positions.get(weights[index] ?? 0)?.[position] ?? Number.NaN;
            assert.ok(
              Math.abs(computed - chance) < 1e-12,
              `${draws} ${index} ${position}: ${computed} is not ${chance}`,
            );
          }
        }
      }
    });
  }

  test('add up to 1 for every draw, even with many items and twenty draws', () => {
    for (const count of [20, 30, 1000]) {
      const draws = cheapDraws(80);
      const weights = Array.from({ length: count }, () => draws() ** 4 + 1e-6);
      const sums = new Array<number>(20).fill(0);
      const positions = drawPositions(weights, 20);
      for (const weight of weights) {
        for (const [position, chance] of (positions.get(weight) ?? []).entries())
          sums[position] = (sums[position] ?? 0) + chance;
      }
      for (const sum of sums) assert.ok(Math.abs(sum - 1) < 1e-12, `${count}: ${sum}`);
    }
  });

  test('exclude items without weight', () => {
    assert.deepEqual([...drawPositions([0, 2, 0, 2], 3)], [[2, new Float64Array([0.5, 0.5])]]);
    assert.deepEqual([...drawPositions([0], 3)], []);
  });
});
