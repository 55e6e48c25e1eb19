import { accumulate, hasOdds, inOrder, type Observations } from './accumulation.ts';
import { type Cell, type Hits, logMixture, rangeOf } from './likelihood.ts';
import type { EvidenceModel } from './model.ts';
import { type FrozenStarts, freezeStarts, mixStarts, NOTHING_FROZEN } from './starts.ts';

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

/** Days that are no longer kept one by one: all that was observed on them, and what began on them. */
export interface FrozenDays {
  readonly observed: Observations;
  readonly starts: FrozenStarts;
}

const NO_DAYS: FrozenDays = { observed: new Map(), starts: NOTHING_FROZEN };

/** ln of the evidence of everything, and of what came from each day on. */
const logsOfDays = (model: EvidenceModel, days: readonly Observations[], before: Observations) => {
  const sum = accumulate(model);
  // From the last day backwards, so that each sum contains the next.
  const from = days
    .toReversed()
    .map((day) => {
      sum.add(day);
      return sum.log();
    })
    .reverse();
  sum.add(before);
  return { whole: sum.log(), from };
};

/**
 * ln of the evidence against a stream, from its observations by day: half of it counts everything, half looks for a
 * fault that began on a later day. It is a mean of likelihood ratios, so for a sound stream it ever reaches a value of
 * K with a chance of at most 1/K, however often one looks, and for however many years.
 */
export const logEvidenceOfDays = (
  model: EvidenceModel,
  days: readonly Observations[],
  { observed, starts }: FrozenDays = NO_DAYS,
): number => {
  const { whole, from } = logsOfDays(model, days, observed);
  return mixStarts(whole, from, starts);
};

/** What is left of the first days once they are not kept one by one, given all days that are. */
export const freezeDays = (
  model: EvidenceModel,
  days: readonly Observations[],
  count: number,
  { observed, starts }: FrozenDays = NO_DAYS,
): FrozenStarts => freezeStarts(logsOfDays(model, days, observed).from.slice(0, count), starts);

/** How often each tier was rolled, by its place, and how often it was to be expected in these very rolls. */
export interface TierResults {
  readonly hits: readonly number[];
  readonly expected: readonly number[];
}

/** Every roll counts with the odds that applied to it. */
export const tierResults = (model: EvidenceModel, observed: Observations): TierResults => {
  const hits = model.tiers.map(() => 0);
  const expected = model.tiers.map(() => 0);
  for (const [key, outcomes] of inOrder(observed)) {
    if (!key.startsWith('t')) continue;
    const odds = model.tierOdds(key.slice(1));
    for (const [outcome, count] of outcomes) {
      const place = Number(outcome);
      hits[place] = (hits[place] ?? 0) + count;
      for (const tier of expected.keys()) expected[tier] = (expected[tier] as number) + count * (odds?.[tier] ?? 0);
    }
  }
  return { hits, expected };
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
