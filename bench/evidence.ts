import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type Accumulation, accumulate, type Observations } from '../src/engine/evidence/accumulation.ts';
import { logEvidenceOfDays } from '../src/engine/evidence/evidence.ts';
import { type EvidenceModel, evidenceModel } from '../src/engine/evidence/model.ts';
import { createObserver } from '../src/engine/evidence/observation.ts';
import { mixStarts } from '../src/engine/evidence/starts.ts';
import { compileCatalog } from '../src/engine/pool/catalog.ts';
import { templateOdds } from '../src/engine/systems/odds.ts';
import { rollTemplate } from '../src/engine/systems/rolling.ts';
import { initialState, type TemplateState } from '../src/engine/systems/state.ts';
import type { CompiledTemplate } from '../src/engine/systems/templates.ts';
import { catalogOf, item, templateOf } from '../test/catalogs.ts';
import { cheapDraws } from '../test/statistics.ts';

/**
 * How often evidence accuses sound templates if one looks all the time, compared with the intervals that are usual
 * elsewhere, and how many rolls it takes to find a fault. Fixed seeds: the same figures every time.
 *
 *   --runs=1000    sound runs per row, and a tenth of it faulty ones; fewer have larger errors, which are printed
 *   --only=pities  only the rows whose name contains this
 */
const { values: flags } = parseArgs({
  args: isMainThread ? process.argv.slice(2) : [],
  options: { runs: { type: 'string', default: '1000' }, only: { type: 'string', default: '' } },
});
const RUNS = Number(flags.runs);
/** An alarm: a sound stream ever reaches it with a chance of at most 5 %. */
const ALARM = Math.log(20);

const print = (line = ''): void => {
  process.stdout.write(`${line}\n`);
};

interface Scene {
  readonly name: string;
  readonly promised: CompiledTemplate;
  /** What is rolled in fact. */
  readonly actual?: CompiledTemplate;
  readonly calls: number;
  /** Calls of one user before the next one starts. */
  readonly callsPerUser: number;
  readonly callsPerLook: number;
  /** Sound calls before the fault begins, and how many of them there are per day. */
  readonly soundCalls?: number;
  readonly callsPerDay?: number;
}

interface Ended {
  /** The number of calls of the fault before the alarm; undefined if there was none. */
  readonly alarm: number | undefined;
  readonly wilson: boolean;
}

/** Whether a Wilson interval of 95 % over all rolls excludes the long-run odds. */
const wilsonExcludes = (rolls: number, hits: number, odds: number): boolean => {
  const z = 1.959964;
  const share = hits / rolls;
  const middle = (share + (z * z) / (2 * rolls)) / (1 + (z * z) / rolls);
  const half = (z / (1 + (z * z) / rolls)) * Math.sqrt((share * (1 - share)) / rolls + (z * z) / (4 * rolls * rolls));
  return odds < middle - half || odds > middle + half;
};

type Counts = Map<string, Map<string, number>>;

const addTo = (counts: Counts, observed: Observations): void => {
  for (const [kind, outcomes] of observed) {
    const sums = counts.get(kind) ?? new Map<string, number>();
    counts.set(kind, sums);
    for (const [outcome, count] of outcomes) sums.set(outcome, (sums.get(outcome) ?? 0) + count);
  }
};

/** The evidence of `logEvidenceOfDays`, kept up to date rather than computed anew at every look. */
const watch = (model: EvidenceModel) => {
  const days: Counts[] = [new Map()];
  /** What was observed since the beginning of each day. */
  const since: Accumulation[] = [accumulate(model)];
  return {
    days,
    nextDay: (): void => {
      days.push(new Map());
      since.push(accumulate(model));
    },
    add: (observed: Observations): void => {
      addTo(days.at(-1) as Counts, observed);
      for (const sum of since) sum.add(observed);
    },
    log: (): number => {
      const logs = since.map((sum) => sum.log());
      return mixStarts(logs[0] as number, logs);
    },
  };
};

const run = (
  { promised, actual = promised, calls, callsPerUser, callsPerLook, ...scene }: Scene,
  seed: number,
): Ended => {
  const { soundCalls = 0, callsPerDay = Number.POSITIVE_INFINITY } = scene;
  const draws = cheapDraws(seed);
  const observers = new Map([promised, actual].map((template) => [template, createObserver(template)]));
  const model = evidenceModel(promised);
  const watched = watch(model);
  const odds = templateOddsOf(promised);
  const seen = new Map<string, number>();
  let observed: Counts = new Map();
  let [rolls, wilson] = [0, false];
  let state: TemplateState = initialState();
  const look = (): number => {
    watched.add(observed);
    observed = new Map();
    return watched.log();
  };
  const ended = (alarm: number | undefined): Ended => {
    assert.ok(Math.abs(look() - logEvidenceOfDays(model, watched.days)) < 1e-9);
    return { alarm, wilson };
  };
  const total = soundCalls + calls;
  for (let call = 0; call < total; call += 1) {
    if (call % callsPerUser === 0) state = initialState();
    if (call > 0 && call % callsPerDay === 0) {
      watched.add(observed);
      observed = new Map();
      watched.nextDay();
    }
    const template = call < soundCalls ? promised : actual;
    const before = state;
    const { results, state: after } = rollTemplate(template, before, {
      count: 1,
      depth: 0,
      drawsOf: () => draws,
      nowMs: 0,
    });
    state = after ?? state;
    observers.get(template)?.(before.pity, results, 0, (kind, outcome) => {
      const outcomes = observed.get(kind) ?? new Map<string, number>();
      observed.set(kind, outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1));
    });
    for (const { item } of results) seen.set(item.id, (seen.get(item.id) ?? 0) + 1);
    rolls += results.length;
    if (call % callsPerLook !== callsPerLook - 1 || call < soundCalls) continue;
    if (actual === promised && !wilson && rolls >= 100)
      for (const [id, p] of odds) if (wilsonExcludes(rolls, seen.get(id) ?? 0, p)) wilson = true;
    if (look() >= ALARM) return ended(call + 1 - soundCalls);
  }
  return ended(undefined);
};

const templateOddsOf = (template: CompiledTemplate): Map<string, number> =>
  new Map(templateOdds(template).items.map(({ itemId, effective }) => [itemId, effective]));

const few = catalogOf({ five: 3, four: 5, three: 10 });
const baseRates = { five: 0.006, four: 0.051, three: 0.943 };
const soft = (from: number, more: object = {}) =>
  templateOf('gacha', { baseRates, pityThreshold: 90, softPity: [{ from, add: 0.06 }], ...more }, few);
const guarantee = { featuredItemIds: ['five-1'], featuredShare: 0.5, guaranteeAfterLosses: 1 };
/** A template without tiers gives one of all items by weight, like a plain roll. */
const plain = (rare: number, others: number) =>
  templateOf(
    'gacha',
    {},
    compileCatalog(
      [],
      [
        item('rare', [], rare),
        ...Array.from({ length: others }, (_, index) => item(`item-${index}`, [], (1 - rare) / others)),
      ],
    ),
  );

const SOUND: readonly Scene[] = [
  {
    name: 'plain, 1 % item among 34; 20,000 rolls',
    promised: plain(0.01, 33),
    calls: 20_000,
    callsPerUser: 20_000,
    callsPerLook: 20,
  },
  {
    name: 'soft 74, hard 90, fresh users of 20 rolls',
    promised: soft(74),
    calls: 5000,
    callsPerUser: 20,
    callsPerLook: 10,
  },
  { name: 'with a 50/50 guarantee', promised: soft(74, guarantee), calls: 5000, callsPerUser: 200, callsPerLook: 10 },
  {
    name: 'two pities',
    promised: soft(74, { pities: [{ tier: 'four', threshold: 10 }] }),
    calls: 5000,
    callsPerUser: 200,
    callsPerLook: 10,
  },
  {
    name: 'unique pack, pity 10; 4,000 packs',
    promised: templateOf('card_pack', { baseRates, slots: [{ count: 5 }], unique: true, pityThreshold: 10 }, few),
    ...{ calls: 4000, callsPerUser: 100, callsPerLook: 20 },
  },
];

const FAULTY: readonly Scene[] = [
  {
    name: 'soft pity 74 → 76',
    promised: soft(74),
    actual: soft(76),
    calls: 40_000,
    callsPerUser: 500,
    callsPerLook: 20,
  },
  {
    name: 'soft pity 74 → 76, after 60 sound days of 1,000',
    ...{ promised: soft(74), actual: soft(76), calls: 40_000, callsPerUser: 500, callsPerLook: 500 },
    ...{ soundCalls: 60_000, callsPerDay: 1000 },
  },
  {
    name: 'plain 1 % → 1.2 %, of 2 items',
    promised: plain(0.01, 1),
    actual: plain(0.012, 1),
    calls: 200_000,
    callsPerUser: 200_000,
    callsPerLook: 100,
  },
  {
    name: 'plain 1 % → 1.2 %, of 34 items',
    promised: plain(0.01, 33),
    actual: plain(0.012, 33),
    calls: 300_000,
    callsPerUser: 300_000,
    callsPerLook: 100,
  },
];

interface Task {
  readonly scene: string;
  readonly first: number;
  readonly step: number;
  readonly runs: number;
}

/** Runs the seeds of a scene, divided among as many threads as there are cores. */
const runAll = async ({ name }: Scene, runs: number): Promise<Ended[]> => {
  const step = availableParallelism();
  const parts = Array.from({ length: step }, (_, index) => {
    const task: Task = { scene: name, first: index + 1, step, runs };
    return new Promise<Ended[]>((resolve, reject) => {
      new Worker(new URL(import.meta.url), { workerData: task }).once('message', resolve).once('error', reject);
    });
  });
  return (await Promise.all(parts)).flat();
};

const work = ({ scene, first, step, runs }: Task): Ended[] => {
  const found = [...SOUND, ...FAULTY].find(({ name }) => name === scene) as Scene;
  const ended: Ended[] = [];
  for (let seed = first; seed <= runs; seed += step) ended.push(run(found, seed));
  return ended;
};

const percent = (share: number): string => {
  const error = Math.sqrt((share * (1 - share)) / RUNS);
  return `${(100 * share).toFixed(1)} % ± ${(100 * error).toFixed(1)}`;
};

const printSound = async (scene: Scene): Promise<void> => {
  const ended = await runAll(scene, RUNS);
  const alarms = ended.filter(({ alarm }) => alarm !== undefined).length / RUNS;
  const wilson = ended.filter((end) => end.wilson).length / RUNS;
  print(`  ${scene.name.padEnd(46)} ${percent(alarms).padStart(14)}   Wilson ${percent(wilson)}`);
};

const FAULTY_RUNS = Math.max(20, Math.floor(RUNS / 10));

const printFaulty = async (scene: Scene): Promise<void> => {
  const ended = await runAll(scene, FAULTY_RUNS);
  const alarms = ended.map(({ alarm = Number.POSITIVE_INFINITY }) => alarm).sort((a, b) => a - b);
  const at = (share: number) => (alarms[Math.floor(share * (FAULTY_RUNS - 1))] as number).toLocaleString('en');
  print(`  ${scene.name.padEnd(52)} ${at(0.5).padStart(8)} (half of them from ${at(0.25)} to ${at(0.75)})`);
};

if (isMainThread) {
  const isAsked = ({ name }: Scene): boolean => name.includes(flags.only);
  print(
    `${RUNS} sound runs each: how many ever raise an alarm, and how many a Wilson interval of an item ever accuses`,
  );
  for (const scene of SOUND.filter(isAsked)) await printSound(scene);
  print(`\n${FAULTY_RUNS} faulty runs each: the median number of rolls until the alarm`);
  for (const scene of FAULTY.filter(isAsked)) await printFaulty(scene);
} else parentPort?.postMessage(work(workerData as Task));
