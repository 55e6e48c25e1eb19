import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { catalogOf, templateOf } from '../../test/catalogs.ts';
import { templatePoolText } from '../engine/fairness/snapshots.ts';
import { exactChances } from '../engine/simulation/exact-chances.ts';
import type { Histogram } from '../engine/simulation/histogram.ts';
import { reportSimulation } from '../engine/simulation/report.ts';
import { simulate, type Target } from '../engine/simulation/simulation.ts';
import { allAtOnce } from '../engine/steps.ts';
import type { GachaConfig, IdleConfig, TemplateConfig, TemplateType } from '../engine/systems/config.ts';
import { templateOdds } from '../engine/systems/odds.ts';
import { shareText } from '../shared/shared-text.ts';
import { playerDraws, runSimulation, type SimulationInput } from './simulation.ts';

const catalog = catalogOf({ five: 4, four: 4, three: 8 });
const banner: GachaConfig = {
  baseRates: { five: 0.006, four: 0.051, three: 0.943 },
  pityThreshold: 90,
  softPity: [{ from: 74, add: 0.06 }],
  pities: [{ tier: 'four', threshold: 10 }],
  featuredItemIds: ['five-1'],
  featuredShare: 0.5,
  guaranteeAfterLosses: 1,
};

test('the draws of a player depend on the seed and the number of the player alone', () => {
  assert.equal(playerDraws('seed-1')(0)(), 0.23882321945688978);
  const first = (seed: string, player: number): number => playerDraws(seed)(player)();
  const all = [first('seed-1', 0), first('seed-1', 1), first('seed-2', 0), first('☘', 0)];
  assert.equal(new Set(all).size, all.length);
  const drawsOf = playerDraws('seed-1');
  drawsOf(7)();
  assert.equal(drawsOf(1)(), all[1]);
});

/** With right rules, a mean is farther away for one in 150,000 seeds; these are fixed. */
const STANDARD_ERRORS = 4.5;

/** A simulated share differs more from the exact one, at any roll, on one curve in 100,000 (Dvoretzky, Kiefer, Wolfowitz). */
const farFrom = (players: number): number => Math.sqrt(Math.log(2 / 1e-5) / (2 * players));

interface Sample {
  readonly size: number;
  readonly mean: number;
  readonly variance: number;
}

const sampleOf = (histogram: Histogram): Sample => {
  let [size, sum, squares] = [0, 0, 0];
  for (const [value, count] of histogram.counts().entries()) {
    size += count;
    sum += count * value;
    squares += count * value ** 2;
  }
  const mean = sum / size;
  return { size, mean, variance: (squares - size * mean ** 2) / (size - 1) };
};

const isNear = ({ size, mean, variance }: Sample, expected: number): boolean =>
  Math.abs(mean - expected) <= STANDARD_ERRORS * Math.sqrt(variance / size) + 1e-9;

const rates = { five: 0.05, four: 0.15, three: 0.8 };
const pack: TemplateConfig = {
  baseRates: rates,
  slots: [{ count: 4 }, { count: 1, rates: { four: 0.9, five: 0.1 } }],
  unique: true,
  featuredItemIds: ['five-2'],
};

/**
 * Enough rolls that practically everybody gets everything: otherwise those who would wait longest are missing from the
 * means.
 */
const CASES: [name: string, type: TemplateType, config: TemplateConfig, players: number, rolls: number][] = [
  ['a banner with two pities and a guarantee', 'gacha', banner, 4_000, 181],
  ['a banner with a guarantee after three losses', 'gacha', { ...banner, guaranteeAfterLosses: 3 }, 2_000, 361],
  ['packs with pity', 'card_pack', { ...pack, pityThreshold: 10 }, 2_000, 200],
  ['packs that may repeat', 'card_pack', { ...pack, unique: false }, 2_000, 200],
  ['offers with pity', 'roguelike', { baseRates: rates, choices: 3, pityThreshold: 8 }, 4_000, 100],
  ['an idle chest', 'idle', { baseRates: rates, rollsPerHour: 4 } as IdleConfig, 2_000, 400],
];

describe('simulated players wait as long as the exact odds say', () => {
  for (const [name, type, config, players, rolls] of CASES) {
    test(name, () => {
      const template = templateOf(type, config, catalog);
      const { tiers, items } = templateOdds(template);
      const itemIds = ['three-1'];
      const simulation = simulate(template, { players, rolls, depth: 0, itemIds }, playerDraws('seed-1'));
      const { targets } = simulation;
      const chances = exactChances(template, simulation, { points: rolls, mostSteps: 1e9 });
      assert.ok(targets.every((_, index) => chances[index] !== undefined));
      for (const { id, curve } of reportSimulation(simulation, { pricePerRoll: null, points: rolls, chances }).targets)
        for (const { roll, share, chance = Number.NaN } of curve)
          assert.ok(Math.abs(share - chance) < farFrom(players), `${id} by roll ${roll}: ${share}, ${chance}`);
      const expectedOf = ({ kind, id }: Target): number | null | undefined =>
        kind === 'tier'
          ? tiers.find(({ tier }) => tier === id)?.expectedRolls
          : items.find(({ itemId }) => itemId === id)?.expectedRolls;
      for (const target of targets) {
        const sample = sampleOf(target.firsts);
        const what = `${target.kind} ${target.id}: ${sample.mean} instead of ${expectedOf(target)}`;
        assert.equal(sample.size, players, `${what}: somebody did not get it`);
        assert.ok(isNear(sample, expectedOf(target) ?? Number.NaN), what);
      }
    });
  }

  test('and get as many, where nothing but the base odds decides', () => {
    for (const [type, config] of [
      ['card_pack', pack],
      ['roguelike', { baseRates: rates, choices: 3 }],
      ['idle', { baseRates: rates, rollsPerHour: 4, featuredItemIds: ['five-1'], rateUpMultiplier: 3 }],
    ] as [TemplateType, TemplateConfig][]) {
      const template = templateOf(type, config, catalog);
      const odds = templateOdds(template);
      const perRoll = type === 'card_pack' ? 5 : type === 'roguelike' ? 3 : 1;
      const itemIds = odds.items.map(({ itemId }) => itemId);
      const plan = { players: 3_000, rolls: 50, depth: 0, itemIds };
      const { targets } = simulate(template, plan, playerDraws('seed-1'));
      for (const { kind, id, counts } of targets) {
        const row =
          kind === 'tier' ? odds.tiers.find(({ tier }) => tier === id) : odds.items.find(({ itemId }) => itemId === id);
        const expected = 50 * perRoll * (row?.base ?? Number.NaN);
        assert.ok(isNear(sampleOf(counts), expected), `${type} ${kind} ${id}: ${sampleOf(counts).mean}, ${expected}`);
      }
    }
  });

  test('and the share that never gets an item is what the odds say', () => {
    const players = 5_000;
    const template = templateOf('gacha', { baseRates: { five: 0.007, three: 0.993 } }, catalog);
    const plan = { players, rolls: 200, depth: 0, itemIds: [] };
    const [five] = simulate(template, plan, playerDraws('seed-1')).targets;
    const never = 0.993 ** 200;
    const share = (five?.counts.counts()[0] ?? 0) / players;
    assert.ok(Math.abs(share - never) <= STANDARD_ERRORS * Math.sqrt((never * (1 - never)) / players), `${share}`);
  });
});

describe('a simulation of a snapshot', () => {
  const template = templateOf('gacha', banner, catalog);
  const bindings = { five: 'five', four: 'four', three: 'three' };
  const rollNumeratorOf = () => 1;
  const pool = allAtOnce(templatePoolText({ catalog, rollNumeratorOf }, template, { config: banner, bindings })) ?? [];
  const input: SimulationInput = {
    template: { templateId: 'template', type: 'gacha', config: banner, bindings },
    pool: pool.map(shareText),
    plan: { players: 50, rolls: 300, depth: 0, itemIds: ['four-2'] },
    seed: 'seed-1',
    pricePerRoll: 1.6,
    exact: false,
  };

  test('has the same text every time', () => {
    const text = runSimulation(input);
    assert.equal(runSimulation(structuredClone(input)), text);
    assert.notEqual(runSimulation({ ...input, seed: 'seed-2' }), text);
  });

  test('is one of the template that the snapshot was made of', () => {
    const { targets, pity } = simulate(template, input.plan, playerDraws('seed-1'));
    const shown = JSON.parse(runSimulation(input));
    assert.deepEqual(shown.pity, pity);
    assert.deepEqual(
      shown.targets.map(({ first }: { first: { mean: number } }) => first.mean),
      targets.map(({ firsts }) => sampleOf(firsts).mean),
    );
    assert.equal(shown.targets[0].curve.length, 200);
  });

  test('names the configuration by a hash that does not depend on how it is written', () => {
    const configOf = (given: SimulationInput): string => JSON.parse(runSimulation(given)).config;
    const reversed = Object.fromEntries(Object.entries(banner).reverse()) as GachaConfig;
    const config = configOf(input);
    assert.match(config, /^[0-9a-f]{64}$/);
    assert.equal(configOf({ ...input, template: { ...input.template, config: reversed } }), config);
    assert.equal(configOf({ ...input, seed: 'other' }), config);
    assert.notEqual(configOf({ ...input, template: { ...input.template, templateId: '' } }), config);
  });
});
