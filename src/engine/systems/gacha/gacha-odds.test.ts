import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { catalogOf, templateOf } from '../../../../test/catalogs.ts';
import type { GachaConfig } from '../config.ts';
import { type GachaRules, writeRates } from './gacha.ts';
import { gachaOdds } from './gacha-odds.ts';

const TIERS = ['a', 'b', 'c', 'd'];
const catalog = catalogOf({ a: 1, b: 1, c: 1, d: 1 });

const softPity = fc.option(
  fc.integer({ min: 1, max: 3 }).map((from) => [{ from, add: 0.25 }]),
  { nil: undefined },
);
const pity = fc.record({ threshold: fc.integer({ min: 0, max: 5 }), softPity, higherResets: fc.boolean() });
const config = fc
  .record({
    rates: fc.array(fc.integer({ min: 2, max: 9 }), { minLength: 4, maxLength: 4 }),
    top: fc.option(fc.constantFrom(...TIERS), { nil: undefined }),
    pityThreshold: fc.integer({ min: 0, max: 5 }),
    softPity,
    pities: fc.array(pity, { minLength: 0, maxLength: 2 }),
  })
  .map(({ rates, top, pities, ...rest }): GachaConfig => {
    const baseRates = Object.fromEntries(TIERS.map((tier, index) => [tier, rates[index] ?? 1]));
    const ranked = TIERS.toSorted(
      (left, right) => Number(right === top) - Number(left === top) || (baseRates[left] ?? 0) - (baseRates[right] ?? 0),
    );
    return {
      ...rest,
      baseRates,
      pityTier: top,
      pities: pities.map((of, index) => ({ ...of, tier: ranked[index + 1] ?? '' })),
    };
  });

/**
 * Advances a distribution over counters by a roll, with the rates that rolls use; if a tier is given, removes the mass
 * that gives it.
 */
const step = (
  rules: GachaRules,
  before: ReadonlyMap<string, number>,
  without?: number,
): { after: Map<string, number>; given: number[] } => {
  const after = new Map<string, number>();
  const given = TIERS.map(() => 0);
  const rates = new Float64Array(TIERS.length);
  for (const [key, mass] of before) {
    const since = key.split(',').map(Number);
    writeRates(rules, since, rates);
    for (const [place, rate] of rates.entries()) {
      if (rate === 0) continue;
      given[place] = (given[place] ?? 0) + mass * rate;
      if (place === without) continue;
      const rank = rules.tiers.ranks[place] ?? 0;
      const moved = since.map((rolls, of) => {
        const counter = rules.kept.find((kept) => kept.rank === of);
        if (counter === undefined || of === rank || (counter.higherResets && rank < of)) return 0;
        return Math.min(rolls + 1, 7);
      });
      after.set(moved.join(), (after.get(moved.join()) ?? 0) + mass * rate);
    }
  }
  return { after, given };
};

const near = (value: number | null | undefined, expected: number, tolerance: number): void => {
  assert.ok(typeof value === 'number' && Math.abs(value - expected) <= tolerance, `${value} is not ${expected}`);
};

test('odds match the rolling rules, followed roll by roll, for any counters', () => {
  fc.assert(
    fc.property(config, (of) => {
      const { rules } = templateOf('gacha', of, catalog);
      const odds = gachaOdds(rules);
      const fresh = new Map([[TIERS.map(() => 0).join(), 1]]);

      // The long run: shares averaged over a period that is a multiple of every short cycle of the counters.
      let states: ReadonlyMap<string, number> = fresh;
      for (let roll = 0; roll < 300; roll += 1) states = step(rules, states).after;
      const shares = TIERS.map(() => 0);
      for (let roll = 0; roll < 60; roll += 1) {
        const { after, given } = step(rules, states);
        for (const [place, share] of given.entries()) shares[place] = (shares[place] ?? 0) + share / 60;
        states = after;
      }
      for (const [place, share] of shares.entries()) near(odds[place]?.effective, share, 1e-9);

      for (const place of TIERS.keys()) {
        let left: ReadonlyMap<string, number> = fresh;
        let surviving = 1;
        let taken = 0;
        let mean = 0;
        let median: number | null = null;
        for (let roll = 1; roll <= 400 && surviving > 1e-15; roll += 1) {
          mean += surviving;
          const { after, given } = step(rules, left, place);
          left = after;
          taken = (given[place] ?? 0) / surviving;
          surviving = [...left.values()].reduce((sum, mass) => sum + mass, 0);
          if (surviving <= 0.5 + 1e-12) median ??= roll;
        }
        // A tier may only be possible before the pities of others apply. Rare tiers continue at a steady rate.
        if (taken === 0) assert.equal(odds[place]?.expectedRolls, null);
        else near(odds[place]?.expectedRolls, mean + surviving / taken, 1e-8 * (mean + surviving / taken));
        if (median === null && taken > 0) continue;
        assert.equal(odds[place]?.medianRolls, median);
      }
    }),
    { seed: 100, numRuns: 15 },
  );
});
