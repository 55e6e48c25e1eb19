import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogOf, templateOf } from '../../../test/catalogs.ts';
import { stepsOfOdds } from '../systems/odds.ts';
import { exactChances } from './exact-chances.ts';
import { createHistogram } from './histogram.ts';
import type { Target, TargetKind } from './simulation.ts';

const config = {
  baseRates: { five: 0.006, four: 0.051, three: 0.943 },
  pityThreshold: 90,
  pities: [{ tier: 'four', threshold: 10 }],
};
const template = templateOf('gacha', config, catalogOf({ five: 4, four: 4, three: 8 }));
const target = (kind: TargetKind, id: string): Target => {
  const [firsts, gaps, counts] = [createHistogram(), createHistogram(), createHistogram()] as const;
  return { kind, id, firsts, gaps, counts };
};
const targets = [...['five', 'four', 'three'].map((id) => target('tier', id)), target('item', 'four-2')];
const known = (mostSteps: number): boolean[] => {
  const chances = exactChances(template, { targets, rolls: 200 }, { points: 100, mostSteps });
  return targets.map((_, index) => chances[index] !== undefined);
};

test('exact chances are computed for as many targets as are affordable, the first ones first', () => {
  assert.deepEqual(known(1e9), [true, true, true, true]);
  const steps = stepsOfOdds(template);
  assert.deepEqual(known(steps - 1), [false, false, false, false]);
  // Only the top tier has no other counter that matters.
  assert.deepEqual(known(steps + 200 * 100), [true, false, false, false]);
});

test('exact chances are those of the rolls that have points', () => {
  const [five] = exactChances(template, { targets, rolls: 200 }, { points: 50, mostSteps: 1e9 });
  assert.equal(five?.length, 50);
  for (const [index, chance] of (five ?? []).entries()) {
    const roll = 4 * (index + 1);
    assert.ok(Math.abs(chance - (roll < 90 ? 1 - 0.994 ** roll : 1)) < 1e-12, `${roll}`);
  }
});
