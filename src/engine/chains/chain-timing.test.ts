import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cheapDraws } from '../../../test/statistics.ts';
import { type Chain, chainOf, type Edge, meanByRestarts, stationaryShares } from './chain.ts';
import { timingsOf } from './chain-timing.ts';

/** A random chain with valid layers; the last one may lead to itself. About one edge per state is a hit. */
const anyChain = (seed: number, layers: number, width: number): Chain => {
  const draws = cheapDraws(seed);
  const edges: Edge[] = [];
  for (let source = 0; source < layers * width; source += 1) {
    const after = Math.min(Math.floor(source / width) + 1, layers - 1) * width;
    const targets = [after, after, 0, 0].map((base) => base + Math.floor(draws() * width));
    const weights = targets.map(() => draws() + 0.01);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    for (const [index, target] of targets.entries()) {
      edges.push({ source, target, chance: (weights[index] ?? 0) / total, hit: index === 3 });
    }
  }
  return chainOf(layers, width, edges);
};

/** Mean and median by following every roll. */
const byEveryRoll = ({ sources, targets, chances, hits, layers, width }: Chain, part: number): [number, number] => {
  let now = new Float64Array(layers * width);
  now[0] = 1;
  let left = 1;
  let mean = 0;
  let median = 0;
  for (let roll = 1; left > 1e-13; roll += 1) {
    mean += left;
    const next = new Float64Array(layers * width);
    for (const [edge, source] of sources.entries()) {
      const chance = (chances[edge] ?? 0) * (hits[edge] === 1 ? 1 - part : 1);
      next[targets[edge] ?? 0] = (next[targets[edge] ?? 0] ?? 0) + (now[source] ?? 0) * chance;
    }
    now = next;
    left = now.reduce((sum, mass) => sum + mass, 0);
    if (median === 0 && left <= 0.5 + 1e-12) median = roll;
  }
  return [mean, median];
};

describe('chains', () => {
  for (const [layers, width] of [
    [1, 1],
    [1, 4],
    [2, 1],
    [2, 3],
    [6, 2],
    [9, 5],
  ] as const) {
    test(`of ${layers} layers of ${width} have shares that one more roll does not change`, () => {
      const chain = anyChain(110, layers, width);
      const shares = stationaryShares(chain);
      const moved = new Float64Array(layers * width);
      for (const [edge, source] of chain.sources.entries()) {
        const target = chain.targets[edge] ?? 0;
        moved[target] = (moved[target] ?? 0) + (shares[source] ?? 0) * (chain.chances[edge] ?? 0);
      }
      for (const [state, share] of shares.entries()) assert.ok(Math.abs(share - (moved[state] ?? 0)) < 1e-14);
      assert.ok(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 1) < 1e-14);
    });

    test(`of ${layers} layers of ${width} have the mean and median found by following every roll`, () => {
      const chain = anyChain(111, layers, width);
      const parts = [1, 0.6, 0.04, 0.01];
      const timings = timingsOf(chain, parts);
      for (const part of parts) {
        const [mean, median] = byEveryRoll(chain, part);
        assert.ok(Math.abs((timings.get(part)?.expectedRolls ?? 0) / mean - 1) < 1e-11);
        assert.ok(Math.abs(meanByRestarts(chain, part) / mean - 1) < 1e-11);
        assert.equal(timings.get(part)?.medianRolls, median);
      }
    });
  }

  test('have medians beyond the followed rolls, computed from their decay', () => {
    // A pity of twenty at a base rate of 1 %, and one of 40,000 equal items: the median is about half a million rolls.
    const edges = Array.from({ length: 20 }, (_, source): Edge[] => {
      const chance = source === 19 ? 1 : 0.01;
      return [
        { source, target: 0, chance, hit: true },
        { source, target: source + 1, chance: 1 - chance, hit: false },
      ];
    }).flat();
    const chain = chainOf(20, 1, edges);
    const part = 1 / 40_000;
    let left = 1;
    let rolls = 0;
    // The probability that a row starts, by roll; a row in progress started with one of the last twenty rolls.
    const begun = [1];
    const lasting = Array.from({ length: 20 }, (_, since) => 0.99 ** since);
    while (left > 0.5 + 1e-12) {
      rolls += 1;
      let ending = 0;
      for (let since = 0; since < 20 && since < rolls; since += 1) {
        ending += (begun[rolls - 1 - since] ?? 0) * (lasting[since] ?? 0) * (since === 19 ? 1 : 0.01);
      }
      begun.push(ending * (1 - part));
      left -= ending * part;
    }
    assert.ok(rolls > 400_000);
    assert.equal(timingsOf(chain, [part]).get(part)?.medianRolls, rolls);
    // The same, computed together with many other parts.
    const together = timingsOf(chain, [part, ...Array.from({ length: 30 }, (_, index) => 1 / (index + 21))]);
    assert.equal(together.get(part)?.medianRolls, rolls);
  });
});
