import { type Catalog, compileCatalog } from '../src/engine/pool/catalog.ts';
import { compilePool, rollItem } from '../src/engine/pool/pool.ts';
import { pickLinear } from '../src/engine/pool/weighted.ts';
import type { Draws } from '../src/engine/random.ts';
import type { GachaConfig } from '../src/engine/systems/config.ts';
import { rollGacha } from '../src/engine/systems/gacha/gacha.ts';
import { templateOdds } from '../src/engine/systems/odds.ts';
import { initialPityState, type PityState } from '../src/engine/systems/state.ts';
import { systemDraws } from '../src/shared/randomness.ts';
import { item, option, templateOf } from '../test/catalogs.ts';

/**
 * Rolls per second of the engine, for pools of 10, 1,000 and 100,000 items, compared with a linear scan and with just
 * the draws that a roll takes; and the time to compute exact odds. Every figure that matters is a ratio of two measured
 * in the same run.
 */
const POOLS = [10, 1_000, 100_000];
const ROLLS_PER_CALL = 100;

/** The last roll: otherwise the compiler might eliminate rolls whose result is unused. */
let seen: unknown;

const print = (line = ''): void => {
  process.stdout.write(`${line}\n`);
};

/** CPU time of this process in milliseconds: other work on the machine does not count. */
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Nanoseconds per operation, where `work` does many at a time. */
const nanoseconds = (each: number, work: () => void, ms: number): number => {
  const start = cpuMs();
  let calls = 0;
  let elapsed = 0;
  while (elapsed < ms) {
    for (let call = 0; call < 10; call += 1) work();
    calls += 10;
    elapsed = cpuMs() - start;
  }
  return (elapsed * 1e6) / (calls * each);
};

interface Work {
  readonly each: number;
  readonly work: () => void;
}

const STRETCH_MS = 60;
const STRETCHES = 12;

/**
 * Runs each work in turn, several times, and keeps the best time of each: all are warm before any counts, and other
 * load on the machine affects all of them alike.
 */
const bestOfEach = (works: readonly Work[]): number[] => {
  for (const { each, work } of works) nanoseconds(each, work, STRETCH_MS);
  const best = works.map(() => Number.POSITIVE_INFINITY);
  for (let stretch = 0; stretch < STRETCHES; stretch += 1) {
    for (const [index, { each, work }] of works.entries())
      best[index] = Math.min(best[index] as number, nanoseconds(each, work, STRETCH_MS));
  }
  return best;
};

const milliseconds = (work: () => void): { first: number; best: number } => {
  const times = Array.from({ length: 3 }, () => {
    const start = cpuMs();
    work();
    return cpuMs() - start;
  });
  return { first: times[0] ?? 0, best: Math.min(...times) };
};

/** Items of varying weight: one in twenty in tier five, one in five in tier four, the rest in tier three. */
const catalogWith = (count: number): Catalog =>
  compileCatalog(
    ['five', 'four', 'three'].map((id) => option(id)),
    Array.from({ length: count }, (_, index) => {
      const tier = index % 20 === 0 ? 'five' : index % 5 === 1 ? 'four' : 'three';
      return item(`${tier}-${String(index).padStart(6, '0')}`, [tier], 1 + ((index * 7919) % 97) / 10);
    }),
  );

const banner: GachaConfig = {
  baseRates: { five: 0.006, four: 0.051, three: 0.943 },
  pityThreshold: 90,
  softPity: [{ from: 74, add: 0.06 }],
  pities: [{ tier: 'four', threshold: 10 }],
  featuredItemIds: ['five-000000'],
  featuredShare: 0.5,
  guaranteeAfterLosses: 1,
};

const bareDraws = (draws: Draws): Work => {
  let sum = 0;
  const work = () => {
    for (let roll = 0; roll < 1000; roll += 1) sum += draws() + draws() + draws();
    if (sum < 0) throw new Error('Draws must not be negative.');
  };
  return { each: 1000, work };
};

const worksOf = (count: number, draws: Draws): { plain: Work; linear: Work; banner: Work } => {
  const catalog = catalogWith(count);
  const pool = compilePool(catalog);
  const weights = pool.items.map(({ weight }) => weight);
  const { rules } = templateOf('gacha', banner, catalog);
  let pity: PityState = initialPityState();
  const drawsOf = () => draws;
  return {
    plain: {
      each: ROLLS_PER_CALL,
      work: () => {
        for (let roll = 0; roll < ROLLS_PER_CALL; roll += 1) seen = rollItem(pool, draws);
      },
    },
    linear: {
      each: 1,
      work: () => {
        draws();
        draws();
        seen = pickLinear(weights, draws());
      },
    },
    banner: {
      each: ROLLS_PER_CALL,
      work: () => {
        const rolled = rollGacha(rules, pity, ROLLS_PER_CALL, drawsOf);
        seen = rolled.results;
        pity = rolled.pity ?? pity;
      },
    },
  };
};

const measureRolls = (): void => {
  const draws = systemDraws();
  const pools = POOLS.map((count) => worksOf(count, draws));
  const [bare = 0, ...plains] = bestOfEach([bareDraws(draws), ...pools.map(({ plain }) => plain)]);
  const banners = bestOfEach(pools.map((works) => works.banner));
  const linears = bestOfEach(pools.map(({ linear }) => linear));
  print(`three draws of the system generator alone   ${bare.toFixed(0).padStart(8)} ns`);
  print();
  print('   items   plain roll    of bare   linear scan   banner with two pities    of bare');
  const rate = (ns: number): string => `${(1e3 / ns).toFixed(2)} M/s`;
  for (const [index, count] of POOLS.entries()) {
    const [plain, linear, gacha] = [plains[index] ?? 0, linears[index] ?? 0, banners[index] ?? 0];
    print(
      `${String(count).padStart(8)}${rate(plain).padStart(13)}${(plain / bare).toFixed(1).padStart(10)}x${rate(linear).padStart(13)}` +
        `${rate(gacha).padStart(25)}${(gacha / bare).toFixed(1).padStart(10)}x`,
    );
  }
  const spread = (figures: readonly number[]): string => (Math.max(...figures) / Math.min(...figures)).toFixed(2);
  print();
  print(`slowest / fastest pool: plain ${spread(plains)} (limit 2), banner ${spread(banners)} (limit 2)`);
  print(`banner / bare draws, at most: ${(Math.max(...banners) / bare).toFixed(1)} (goal: under 10)`);
};

const measureOdds = (): void => {
  const small = catalogWith(40);
  const large = catalogWith(100_000);
  const { pities: _, ...alone } = banner;
  const pack = (unique: boolean) => ({
    baseRates: { five: 0.05, four: 0.15, three: 0.8 },
    slots: [{ count: 15 }, { count: 5, rates: { four: 0.9, five: 0.1 } }],
    pityThreshold: 10,
    unique,
  });
  const tight = { ...banner, pityThreshold: 400 };
  print();
  print('exact odds                                            first time    best of three');
  for (const [name, type, config, catalog] of [
    ['banner, 40 items (limit 100 ms)', 'gacha', alone, small],
    ['banner, 100,000 items of 97 weights', 'gacha', alone, large],
    ['banner with two pities, 40 items', 'gacha', banner, small],
    ['banner with two pities, 100,000 items', 'gacha', banner, large],
    ['4,000 states, 400 by 10, 40 items', 'gacha', tight, small],
    ['4,000 states, 400 by 10, 100,000 items', 'gacha', tight, large],
    [
      '4,000 states, 1,000 by 4, 40 items',
      'gacha',
      { ...banner, pityThreshold: 1000, softPity: [], pities: [{ tier: 'four', threshold: 4 }] },
      small,
    ],
    ['unique pack of 20, 100,000 items', 'card_pack', pack(true), large],
    ['pack of 20, 100,000 items', 'card_pack', pack(false), large],
  ] as const) {
    const template = templateOf(type, config, catalog);
    const { first, best } = milliseconds(() => {
      templateOdds(template);
    });
    print(`${name.padEnd(50)}${first.toFixed(0).padStart(11)} ms${best.toFixed(0).padStart(14)} ms`);
  }
};

measureRolls();
measureOdds();
if (seen === undefined) throw new Error('Nothing was rolled.');
