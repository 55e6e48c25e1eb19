import { accumulate, hasOdds, inOrder, type Observations } from './accumulation.ts';
import { type Cell, type Hits, logMixture, logSumExp, rangeOf } from './likelihood.ts';
import type { EvidenceModel } from './model.ts';

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

interface TierClass {
  readonly kind: string;
  readonly odds: Float64Array;
  readonly counts: Float64Array;
  readonly rolls: number;
  readonly isBase: boolean;
}

/** The classes of tiers, or undefined if something impossible was observed. */
const tierClassesOf = (model: EvidenceModel, observed: Observations): TierClass[] | undefined => {
  const classes: TierClass[] = [];
  for (const [key, outcomes] of inOrder(observed)) {
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
    classes.push({ kind, odds, counts, rolls, isBase: model.baseOdds === null || hasOdds(odds, model.baseOdds) });
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

/** ln of the evidence of some observations. */
export const logEvidence = (model: EvidenceModel, observed: Observations): number => {
  const sum = accumulate(model);
  sum.add(observed);
  return sum.log();
};

/**
 * ln of the evidence against a stream, from its observations by day: half of it counts everything, half looks for a
 * fault that began on a later day. It is a mean of likelihood ratios, so for a sound stream it ever reaches a value of
 * K with a chance of at most 1/K, however often one looks.
 */
export const logEvidenceOfDays = (model: EvidenceModel, days: readonly Observations[]): number => {
  const sum = accumulate(model);
  const later: number[] = [];
  const further = days.length - 1;
  // From the last day backwards, so that each sum contains the next.
  for (let day = further; day >= 1; day -= 1) {
    sum.add(days[day] as Observations);
    later.push(sum.log() - Math.log(day * (day + 1)));
  }
  if (days[0] !== undefined) sum.add(days[0]);
  later.push(-Math.log(Math.max(0, further) + 1));
  return logSumExp([sum.log(), logSumExp(later)]) - Math.LN2;
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
