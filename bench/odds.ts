import { type Catalog, compileCatalog } from '../src/engine/pool/catalog.ts';
import type { TemplateConfig, TemplateType } from '../src/engine/systems/config.ts';
import { stepsOfOdds, templateOdds } from '../src/engine/systems/odds.ts';
import { rollTemplate, viewState } from '../src/engine/systems/rolling.ts';
import { initialState } from '../src/engine/systems/state.ts';
import { bindTemplate, type CompiledTemplate } from '../src/engine/systems/templates.ts';
import { LIMITS } from '../src/shared/limits.ts';
import { item, option } from '../test/catalogs.ts';
import { cheapDraws } from '../test/statistics.ts';

/**
 * The worst configurations that the limits allow, for each game system, and how long each operation on them takes in
 * this process: preparing the template (as saving does), the chances of the next roll, a request with many rolls, and
 * the exact odds. `node bench/odds.ts [part of a name]`.
 */
interface Case {
  readonly name: string;
  readonly type: TemplateType;
  readonly config: TemplateConfig;
  readonly catalog: () => Catalog;
}

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const tierId = (index: number): string => `t${String(index).padStart(3, '0')}`;
const tierIds = (count: number): string[] => Array.from({ length: count }, (_, index) => tierId(index));

/** No two weights are equal, so that nothing can be computed for several items at once. */
const weightOf = (index: number): number => 1 + ((index * 7919) % 99_991) / 1000;

/** Distributes items over the tiers; `sizes` sets the number of items in the first tiers. */
const catalogs = (tiers: number, items: number, sizes: readonly number[] = []) => {
  let made: Catalog | undefined;
  return (): Catalog => {
    const ids = tierIds(tiers);
    const own = sizes.flatMap((size, tier) => Array.from({ length: size }, () => tier));
    const rest = Array.from(
      { length: items - own.length },
      (_, index) => sizes.length + (index % (tiers - sizes.length)),
    );
    made ??= compileCatalog(
      [...ids.map((id) => option(id)), ...ids.map((id) => option(`other-${id}`, 'other'))],
      [...own, ...rest].map((tier, index) =>
        item(
          `i${String(index).padStart(6, '0')}`,
          [tierId(tier), `other-${tierId(Math.floor(index / tiers) % tiers)}`],
          weightOf(index),
        ),
      ),
    );
    return made;
  };
};

/** Increasing rates, so that tier 0 ranks first; none is a multiple of another. */
const growing = (tiers: number, first = 0.001): Record<string, number> =>
  Object.fromEntries(tierIds(tiers).map((id, index) => [id, first * (1 + index) ** 1.5]));

const segments = Array.from({ length: LIMITS.softPitySegments }, (_, index) => ({
  from: 1 + index * 9,
  add: 1e-9 * (1 + index),
}));
const pities = (thresholds: readonly number[]) =>
  thresholds.map((threshold, index) => ({ tier: tierId(index + 1), threshold }));

const gacha = (
  name: string,
  [tiers, items]: readonly [number, number],
  [top = 0, ...others]: readonly number[],
  more: object = {},
): Case => ({
  name: `gacha ${name}`,
  type: 'gacha',
  config: { baseRates: growing(tiers), pityThreshold: top, pities: pities(others), ...more },
  catalog: catalogs(tiers, items),
});

const slotsOf = (tiers: number, count: number, each: number) =>
  Array.from({ length: count }, (_, slot) => ({
    count: each,
    rates: Object.fromEntries(tierIds(tiers).map((id, index) => [id, 1 + ((index * 31 + slot * 17) % 97)])),
  }));

const packOf = (
  name: string,
  [tiers, items, sizes = []]: readonly [number, number, (readonly number[])?],
  config: object,
): Case => ({
  name: `pack ${name}`,
  type: 'card_pack',
  config: { baseRates: growing(tiers), ...config },
  catalog: catalogs(tiers, items, sizes),
});

const offerOf = (
  name: string,
  [tiers, items, sizes = []]: readonly [number, number, (readonly number[])?],
  config: object,
): Case => ({
  name: `offer ${name}`,
  type: 'roguelike',
  config: {
    baseRates: growing(tiers),
    choices: 20,
    depthScaling: Object.fromEntries(tierIds(tiers).map((id, index) => [id, 1 + index * 1e-5])),
    ...config,
  },
  catalog: catalogs(tiers, items, sizes),
});

const ones = (count: number): number[] => new Array<number>(count).fill(1);

const CASES: readonly Case[] = [
  gacha('banner, 3 tiers, 1,000 items', [3, 1000], [90, 10]),
  gacha('30 tiers, 300 items, 63 x 63', [30, 300], [63, 63]),
  gacha('100 tiers, 1,000 items, 63 x 63', [100, 1000], [63, 63]),
  gacha('100 tiers, 1,000 items, 1000 x 4', [100, 1000], [1000, 4]),
  gacha('100 tiers, 1,000 items, 4 x 1000', [100, 1000], [4, 1000]),
  gacha('100 tiers, 1,000 items, 1000 with 100 segments', [100, 1000], [1000], { softPity: segments }),
  gacha('100 tiers, 1,000 items, 1000 at a rate of nearly 0', [100, 1000], [1000], {
    baseRates: { ...growing(100), [tierId(0)]: 1e-12 },
  }),
  gacha('100 tiers, 1,000 items, 1000 x 4 at rates of nearly 0', [100, 1000], [1000, 4], {
    baseRates: { ...growing(100), [tierId(0)]: 1e-12, [tierId(1)]: 1e-11 },
  }),
  gacha('100 tiers, 1,000 items, 15 x 15 x 15', [100, 1000], [15, 15, 15]),
  gacha('100 tiers, 1,000 items, 7 x 8 x 8 x 8', [100, 1000], [7, 8, 8, 8]),
  gacha('100 tiers, 1,000 items, five of 5', [100, 1000], [5, 5, 5, 5, 5]),
  gacha('100 tiers, 1,000 items, eleven of 2', [100, 1000], new Array<number>(11).fill(2)),
  gacha('100 tiers, 1,000 items, featured, 1000, 10 losses', [100, 1000], [1000], {
    featuredItemIds: Array.from({ length: 5 }, (_, index) => `i${String(index * 100).padStart(6, '0')}`),
    featuredShare: 0.5,
    guaranteeAfterLosses: 10,
  }),
  gacha('1 tier, 1,000 items', [1, 1000], [1000]),
  gacha('100 tiers, 100,000 items, 63 x 63', [100, 100_000], [63, 63]),
  gacha('2 tiers, 100,000 items, 90', [2, 100_000], [90]),
  packOf('5 cards, 1,000 items, pity 10', [3, 1000], { pityThreshold: 10 }),
  packOf('20 slots, 100 tiers, 1,000 items, pity 1000', [100, 1000], {
    slots: slotsOf(100, 20, 1),
    pityThreshold: 1000,
  }),
  packOf('20 filtered slots, 100 tiers, 1,000 items, pity 1000', [100, 1000], {
    slots: slotsOf(100, 20, 1).map((slot, index) => ({
      ...slot,
      classifierOptionIds: tierIds(100)
        .slice(0, 100 - index)
        .map((id) => `other-${id}`),
    })),
    pityThreshold: 1000,
  }),
  packOf('20 filtered slots, 100 tiers, 100,000 items, pity 1000', [100, 100_000], {
    slots: slotsOf(100, 20, 1).map((slot, index) => ({
      ...slot,
      classifierOptionIds: tierIds(100)
        .slice(0, 100 - index)
        .map((id) => `other-${id}`),
    })),
    pityThreshold: 1000,
  }),
  packOf('unique, 20 cards, 100 tiers, 3,000 items, pity 1000', [100, 3000], {
    slots: [{ count: 20 }],
    unique: true,
    pityThreshold: 1000,
  }),
  packOf('unique, 20 slots, 100 tiers, 3,000 items, pity 1000', [100, 3000], {
    slots: slotsOf(100, 20, 1),
    unique: true,
    pityThreshold: 1000,
  }),
  packOf('unique, 20 cards, 10 tiers of 1 item, 30 tiers', [30, 1000, ones(10)], {
    slots: [{ count: 20 }],
    unique: true,
    pityThreshold: 1000,
  }),
  packOf('unique, 20 slots, 6 tiers of 1 item, 20 tiers', [20, 1000, ones(6)], {
    slots: slotsOf(20, 20, 1),
    unique: true,
    pityThreshold: 1000,
  }),
  packOf('unique, 2 slots, 16 tiers of 1 item, 100 tiers', [100, 3000, ones(16)], {
    slots: slotsOf(100, 2, 10),
    unique: true,
    pityThreshold: 1000,
  }),
  packOf('unique, 20 slots, 16 tiers of 1 item, 100 tiers', [100, 3000, ones(16)], {
    slots: slotsOf(100, 20, 1),
    unique: true,
    pityThreshold: 1000,
  }),
  packOf('unique, 1 tier, 100,000 items', [1, 100_000], { slots: [{ count: 20 }], unique: true }),
  offerOf('20 of 100 tiers, 3,000 items, pity 1000', [100, 3000], { pityThreshold: 1000 }),
  offerOf('20 of 30 tiers, 10 of 1 item', [30, 1000, ones(10)], { pityThreshold: 1000 }),
  offerOf('20 of 100 tiers, 16 of 1 item', [100, 3000, ones(16)], { pityThreshold: 1000 }),
  offerOf('20 of 100,000 items', [1, 100_000], {}),
  {
    ...gacha('100 tiers, 1,000 items, 63 x 63', [100, 1000], [63, 63], { rollsPerHour: 1e6, maxHours: 1e6 }),
    name: 'idle 100 tiers, 1,000 items, 63 x 63',
    type: 'idle',
  },
];

/** CPU time of this process: other work on the machine does not count. */
const timed = <T>(work: () => T): [number, T] => {
  const start = process.cpuUsage();
  const value = work();
  const { user, system } = process.cpuUsage(start);
  return [(user + system) / 1000, value];
};

const draws = cheapDraws(1);
const rolled = (template: CompiledTemplate): void => {
  const depth = template.type === 'roguelike' ? LIMITS.offerDepth : 0;
  const state = { ...initialState(), own: { rolls: 0, sparkPoints: 0, idle: { atMs: 0, rolls: 0, units: 0 } } };
  rollTemplate(template, state, { count: LIMITS.rollsPerCall, depth, drawsOf: () => draws, nowMs: 1e12 });
};

const ms = (time: number): string => `${time.toFixed(time < 10 ? 1 : 0)} ms`.padStart(10);

const wanted = process.argv[2] ?? '';
const MOST_STEPS = Number(process.argv[3] ?? LIMITS.oddsSteps);
print(
  `${'configuration'.padEnd(62)}   preparing  next odds  100 rolls  estimating            steps       odds  ns / step`,
);
for (const { name, type, config, catalog } of CASES.filter((one) => one.name.includes(wanted))) {
  const of = catalog();
  const [readyMs, { template, faults }] = timed(() => bindTemplate({ id: 'bench', type, config }, of));
  if (template === null) {
    print(`${name.padEnd(62)} ${ms(readyMs)}  rejected: ${faults[0]?.path} ${faults[0]?.message}`);
    continue;
  }
  const [nextMs] = timed(() => viewState(template, null, 0));
  const [rollsMs] = timed(() => rolled(template));
  const [estimateMs, steps] = timed(() => stepsOfOdds(template));
  const figures = `${name.padEnd(62)} ${ms(readyMs)} ${ms(nextMs)} ${ms(rollsMs)} ${ms(estimateMs)} ${Math.round(steps).toLocaleString('en').padStart(16)}`;
  if (steps > MOST_STEPS) {
    print(`${figures}   rejected`);
    continue;
  }
  const [oddsMs] = timed(() => templateOdds(template));
  print(`${figures} ${ms(oddsMs)} ${((oddsMs * 1e6) / steps).toFixed(1).padStart(10)}`);
}
