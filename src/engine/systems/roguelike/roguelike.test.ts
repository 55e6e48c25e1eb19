import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { catalogOf, templateOf } from '../../../../test/catalogs.ts';
import { cheapDraws } from '../../../../test/statistics.ts';
import { seededDraws } from '../../../shared/randomness.ts';
import type { RoguelikeConfig } from '../config.ts';
import { depthFaults, rollTemplate } from '../rolling.ts';
import { initialState } from '../state.ts';
import { offerPlan } from './roguelike.ts';

const catalog = catalogOf({ three: 8, four: 4, five: 4 });
const offer: RoguelikeConfig = {
  baseRates: { three: 0.7, four: 0.25, five: 0.05 },
  depthScaling: { five: 1.1, three: 0.9 },
};
const template = templateOf('roguelike', offer, catalog);

const runOf = (seed: string, depth: number, first: number, count: number): string[] =>
  rollTemplate(template, null, {
    count,
    depth,
    drawsOf: (roll) => seededDraws(seed, 'template', depth, first + roll),
    nowMs: 0,
  }).results.map(({ item: { id } }) => id);

describe('an offer', () => {
  test('contains different items, as many as there are choices', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.integer({ min: 1, max: 16 }),
        fc.integer({ min: 0, max: 30 }),
        (seed, choices, depth) => {
          const { results } = rollTemplate(templateOf('roguelike', { ...offer, choices }, catalog), null, {
            count: 1,
            depth,
            drawsOf: () => cheapDraws(seed),
            nowMs: 0,
          });
          assert.equal(new Set(results.map(({ item: { id } }) => id)).size, choices);
        },
      ),
      { seed: 50, numRuns: 300 },
    );
  });

  test('scales its rates by repeated multiplication', () => {
    const [five, four, three] = offerPlan(template.rules, 3).slots[0]?.rates ?? [];
    assert.deepEqual([five, four, three], [0.05 * 1.1 * 1.1 * 1.1, 0.25, 0.7 * 0.9 * 0.9 * 0.9]);
  });

  test('is not possible at a depth that leaves too few items', () => {
    const fading = templateOf(
      'roguelike',
      { baseRates: { three: 1, five: 1 }, depthScaling: { three: 0 }, choices: 5 },
      catalog,
    );
    assert.deepEqual(depthFaults(fading, 0), []);
    assert.deepEqual(depthFaults(fading, 1), [
      { path: '/depth', message: 'leaves 4 items that can be rolled, fewer than the 5 choices' },
    ]);
    const growing = templateOf('roguelike', { baseRates: { three: 4 }, depthScaling: { three: 2 } }, catalog);
    assert.deepEqual(depthFaults(growing, 998), []);
    assert.deepEqual(
      depthFaults(growing, 999).map(({ path }) => path),
      ['/depth'],
    );
  });

  test('forces its last choice if it is due', () => {
    const due = templateOf('roguelike', { ...offer, pityThreshold: 1 }, catalog);
    const { results } = rollTemplate(due, initialState(), { count: 1, depth: 0, drawsOf: () => () => 0.999, nowMs: 0 });
    assert.deepEqual(
      results.map(({ tier, pity }) => [tier, pity]),
      [
        ['three', false],
        ['three', false],
        ['five', true],
      ],
    );
  });
});

describe('a seeded run', () => {
  test('is the same for the same seed, offer by offer or all at once', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 20 }),
        fc.nat({ max: 1000 }),
        fc.nat({ max: 50 }),
        (seed, depth, first) => {
          const together = runOf(seed, depth, first, 3);
          assert.deepEqual(
            [0, 1, 2].flatMap((roll) => runOf(seed, depth, first + roll, 1)),
            together,
          );
        },
      ),
      { seed: 51, numRuns: 50 },
    );
  });

  test('gives the same offers in every version', () => {
    assert.deepEqual(runOf('a seed', 4, 0, 3), [
      'four-1',
      'three-1',
      'three-8',
      'three-6',
      'three-5',
      'three-7',
      'four-1',
      'three-6',
      'three-4',
    ]);
  });
});
