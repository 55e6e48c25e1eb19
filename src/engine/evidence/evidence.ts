import { type Cell, type Hits, logMeanExp, logMixture, logSpread, logSumExp, rangeOf } from './likelihood.ts';
import type { EvidenceModel } from './model.ts';

/** How often each outcome was observed in each class. */
export type Observations = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** A row that evidence is shown for. */
export interface EvidenceRow {
  readonly kind: 'tier' | 'pity' | 'featured' | 'item';
  readonly id: string | null;
  readonly rolls: number;
  readonly hits: number;
  /** The expected number of hits. */
  readonly expected: number;
  /** The rates that are not contradicted, with 95 %, whenever one looks. */
  readonly low: number;
  readonly high: number;
  /** ln of the evidence of this row alone. */
  readonly logEvidence: number;
}

/** Something that happened although its odds are 0. */
export const IMPOSSIBLE = Number.POSITIVE_INFINITY;

interface TierClass {
  readonly kind: string;
  readonly odds: Float64Array;
  readonly counts: Float64Array;
  readonly rolls: number;
  readonly isBase: boolean;
}

const sameOdds = (left: Float64Array, right: Float64Array): boolean =>
  left.every((value, index) => value === right[index]);

/** The classes of tiers, or undefined if something impossible was observed. */
const tierClassesOf = (model: EvidenceModel, observed: Observations): TierClass[] | undefined => {
  const classes: TierClass[] = [];
  for (const [key, outcomes] of observed) {
    if (!key.startsWith('t')) continue;
    const kind = key.slice(1);
    const odds = model.tierOdds(kind);
    if (odds === undefined) return undefined;
    const counts = new Float64Array(odds.length);
    let rolls = 0;
    for (const [outcome, count] of outcomes) {
      const place = Number(outcome);
      if (!((odds[place] ?? 0) > 0)) return undefined;
      counts[place] = count;
      rolls += count;
    }
    classes.push({ kind, odds, counts, rolls, isBase: model.baseOdds === null || sameOdds(odds, model.baseOdds) });
  }
  return classes;
};

/** Many classes have the same odds; together they are one cell. */
const hitsOfTier = (classes: readonly TierClass[], place: number): Hits => {
  const rollsByOdds = new Map<number, number>();
  let hits = 0;
  for (const { rolls, odds, counts } of classes) {
    const chance = odds[place] as number;
    rollsByOdds.set(chance, (rollsByOdds.get(chance) ?? 0) + rolls);
    hits += counts[place] as number;
  }
  return { cells: Array.from(rollsByOdds, ([odds, rolls]): Cell => ({ rolls, odds })), hits };
};

const SHIFTS = [1, 2, 3, 5, 10].flatMap((d) => [d, -d]);

/** ln of the likelihood ratio of a counter that is off by `d`. */
const logShift = (
  model: EvidenceModel,
  classes: readonly TierClass[],
  shift: EvidenceModel['shifts'][number],
  d: number,
): number => {
  let log = 0;
  for (const { kind, odds, counts } of classes) {
    const shifted = shift(kind, d);
    // Rolls without a user have no counter that could be off.
    const other = shifted === undefined ? undefined : model.tierOdds(shifted);
    if (other === undefined) continue;
    for (let place = 0; place < counts.length; place += 1) {
      const count = counts[place] as number;
      if (count > 0) log += count * Math.log((other[place] as number) / (odds[place] as number));
    }
  }
  return log;
};

interface Part {
  readonly odds: number[];
  readonly counts: number[];
  readonly ids: string[];
  readonly rolls: number;
}

const partOf = (odds: ReadonlyMap<string, number>, counts: ReadonlyMap<string, number>): Part | undefined => {
  for (const [id, count] of counts) if (count > 0 && !((odds.get(id) ?? 0) > 0)) return undefined;
  const items = [...odds].filter(([, p]) => p > 0);
  return {
    ids: items.map(([id]) => id),
    odds: items.map(([, p]) => p),
    counts: items.map(([id]) => counts.get(id) ?? 0),
    rolls: counts.values().reduce((sum, count) => sum + count, 0),
  };
};

const NOTHING: ReadonlyMap<string, number> = new Map();

/**
 * The items of every part, or undefined if something impossible was observed. Parts without a roll are included: which
 * ones count must not depend on what was rolled.
 */
const partsOf = (model: EvidenceModel, observed: Observations): Part[] | undefined => {
  for (const key of observed.keys()) if (key.startsWith('i') && !model.parts.has(key.slice(1))) return undefined;
  const parts: Part[] = [];
  for (const [key, odds] of model.parts) {
    const part = partOf(odds, observed.get(`i${key}`) ?? NOTHING);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts;
};

const hitsOfItem = ({ odds, counts, rolls }: Part, index: number): Hits => ({
  cells: [{ rolls, odds: odds[index] as number }],
  hits: counts[index] as number,
});

const featuredHits = (share: number, counts: ReadonlyMap<string, number>): Hits => {
  const hits = counts.get('1') ?? 0;
  return { cells: [{ rolls: hits + (counts.get('0') ?? 0), odds: share }], hits };
};

/** The parts of the classes that a tier is looked at in: all; and, where counters raise odds, those with base odds and the rest. */
const groupsOf = (model: EvidenceModel, classes: readonly TierClass[]): (readonly TierClass[])[] =>
  model.baseOdds === null
    ? [classes]
    : [classes, classes.filter(({ isBase }) => isBase), classes.filter(({ isBase }) => !isBase)];

/** ln of the evidence of some observations: the mean of families of likelihood ratios, each the mean of its members. */
export const logEvidence = (model: EvidenceModel, observed: Observations): number => {
  const classes = tierClassesOf(model, observed);
  const parts = partsOf(model, observed);
  if (classes === undefined || parts === undefined) return IMPOSSIBLE;
  const families: number[][] = [[], [], [], [], []];
  const [tiers, shifts, featured, items, spread] = families as [number[], number[], number[], number[], number[]];
  if (model.tiers.length > 1)
    for (let place = 0; place < model.tiers.length; place += 1)
      for (const group of groupsOf(model, classes)) tiers.push(logMixture(hitsOfTier(group, place)));
  for (const shift of model.shifts) for (const d of SHIFTS) shifts.push(logShift(model, classes, shift, d));
  const divided = observed.get('f');
  if (model.featuredShare !== null)
    featured.push(divided === undefined ? 0 : logMixture(featuredHits(model.featuredShare, divided)));
  for (const part of parts) {
    if (part.odds.length >= 2)
      for (let index = 0; index < part.odds.length; index += 1) items.push(logMixture(hitsOfItem(part, index)));
    if (part.odds.length >= 3) spread.push(logSpread(part.odds, part.counts));
  }
  const present = families.filter((members) => members.length > 0);
  return present.length === 0 ? 0 : logMeanExp(present.map((members) => logMeanExp(members)));
};

/** Adds observations to others. */
const addObservations = (sum: Map<string, Map<string, number>>, more: Observations): void => {
  for (const [kind, outcomes] of more) {
    let known = sum.get(kind);
    if (known === undefined) {
      known = new Map();
      sum.set(kind, known);
    }
    for (const [outcome, count] of outcomes) known.set(outcome, (known.get(outcome) ?? 0) + count);
  }
};

/**
 * ln of the evidence against a stream, from its observations by day: half of it counts everything, half looks for a
 * fault that began on a later day. It is a mean of likelihood ratios, so for a sound stream it ever reaches a value of
 * K with a chance of at most 1/K, however often one looks.
 */
export const logEvidenceOfDays = (model: EvidenceModel, days: readonly Observations[]): number => {
  const sum = new Map<string, Map<string, number>>();
  const later: number[] = [];
  const further = days.length - 1;
  // From the last day backwards, so that each sum contains the next.
  for (let day = further; day >= 1; day -= 1) {
    addObservations(sum, days[day] as Observations);
    later.push(logEvidence(model, sum) - Math.log(day * (day + 1)));
  }
  if (days[0] !== undefined) addObservations(sum, days[0]);
  later.push(-Math.log(Math.max(0, further) + 1));
  const whole = logEvidence(model, sum);
  return logSumExp([whole, logSumExp(later)]) - Math.LN2;
};

const rowOf = (kind: EvidenceRow['kind'], id: string | null, hits: Hits): EvidenceRow => ({
  kind,
  id,
  rolls: hits.cells.reduce((sum, { rolls }) => sum + rolls, 0),
  hits: hits.hits,
  expected: hits.cells.reduce((sum, { rolls, odds }) => sum + rolls * odds, 0),
  ...rangeOf(hits),
  logEvidence: logMixture(hits),
});

/** Every row of a stream: tiers, tiers while a counter raises their odds, the featured share, and items. */
export const evidenceRows = (model: EvidenceModel, observed: Observations): EvidenceRow[] => {
  const classes = tierClassesOf(model, observed) ?? [];
  const rows: EvidenceRow[] = [];
  const raised = model.baseOdds === null ? [] : classes.filter(({ isBase }) => !isBase);
  for (const [place, { id }] of model.tiers.entries()) {
    if (model.tiers.length > 1) rows.push(rowOf('tier', id, hitsOfTier(classes, place)));
    if (raised.length > 0) rows.push(rowOf('pity', id, hitsOfTier(raised, place)));
  }
  const divided = observed.get('f');
  if (model.featuredShare !== null && divided !== undefined)
    rows.push(rowOf('featured', null, featuredHits(model.featuredShare, divided)));
  for (const part of partsOf(model, observed) ?? [])
    if (part.rolls > 0)
      for (const [index, id] of part.ids.entries()) rows.push(rowOf('item', id, hitsOfItem(part, index)));
  return rows;
};
