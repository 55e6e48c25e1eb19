import { sortedBy } from '../byte-order.ts';
import { EFFECTS, logMeanExp, logOfEffects, spreadOf } from './likelihood.ts';
import type { EvidenceModel } from './model.ts';

/** How often each outcome was observed in each class. */
export type Observations = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** The classes in one order: sums of fractions differ in the last digit if they are added in another. */
export const inOrder = (observed: Observations): [string, ReadonlyMap<string, number>][] =>
  sortedBy(observed, ([kind]) => kind);

/** Something that happened although its odds are 0. */
export const IMPOSSIBLE = Number.POSITIVE_INFINITY;

/** How far a counter may be off. */
const SHIFTS = [1, 2, 3, 5, 10].flatMap((d) => [d, -d]);

export const hasOdds = (left: Float64Array, right: Float64Array): boolean =>
  left.every((value, index) => value === right[index]);

/** The log likelihood ratio of each alternative: what the hits add, less what all rolls take. */
class Ratios {
  hits = 0;
  readonly taken = new Float64Array(EFFECTS.length);

  add(rolls: number, hits: number, logs: Float64Array): void {
    this.hits += hits;
    for (let index = 0; index < logs.length; index += 1)
      this.taken[index] = (this.taken[index] as number) + rolls * (logs[index] as number);
  }

  /** ln M, of these together with others. */
  mixture(...others: readonly Ratios[]): number {
    const logs = new Float64Array(EFFECTS.length);
    for (const { hits, taken } of [this, ...others])
      for (let index = 0; index < logs.length; index += 1)
        logs[index] = (logs[index] as number) + (EFFECTS[index] as number) * hits - (taken[index] as number);
    return logMeanExp(logs);
  }
}

/** The ratios of one tier, in classes with base odds and in those in which a counter raises them. */
interface TierRatios {
  readonly base: Ratios;
  readonly raised: Ratios;
}

/** What follows from the odds of a class, computed once. */
interface KnownClass {
  readonly odds: Float64Array;
  readonly isBase: boolean;
  /** For each tier, what one roll takes. */
  readonly logs: readonly Float64Array[];
  /** For each tier, ln of the likelihood ratio of each shift; computed when the tier is first observed. */
  readonly shifts: Float64Array[];
}

/** The items of a part, and how often each was observed. */
interface PartCounts {
  readonly places: ReadonlyMap<string, number>;
  readonly odds: readonly number[];
  readonly logs: readonly Float64Array[];
  readonly counts: Float64Array;
  rolls: number;
}

/** Adds up observations and computes the evidence against them: the more there are, the less each costs. */
export interface Accumulation {
  add(observed: Observations): void;
  /** ln of the evidence: the mean of families of likelihood ratios, each the mean of its members. */
  log(): number;
}

export const accumulate = (model: EvidenceModel): Accumulation => {
  const { tiers, shifts, baseOdds, featuredShare } = model;
  const effects = new Map<number, Float64Array>();
  const logsOf = (odds: number): Float64Array => {
    let logs = effects.get(odds);
    if (logs === undefined) {
      logs = logOfEffects(odds);
      effects.set(odds, logs);
    }
    return logs;
  };

  const classes = new Map<string, KnownClass | undefined>();
  const ratiosOfTiers = tiers.map((): TierRatios => ({ base: new Ratios(), raised: new Ratios() }));
  const shiftLogs = new Float64Array(shifts.length * SHIFTS.length);
  const featured = new Ratios();
  let isImpossible = false;

  const classOf = (kind: string): KnownClass | undefined => {
    if (classes.has(kind)) return classes.get(kind);
    const odds = model.tierOdds(kind);
    const known = odds && {
      odds,
      isBase: baseOdds === null || hasOdds(odds, baseOdds),
      logs: Array.from(odds, logsOf),
      shifts: [],
    };
    classes.set(kind, known);
    return known;
  };

  /** ln of the likelihood ratios of counters that are off, for one result of a class. */
  const shiftsOf = (kind: string, { odds, shifts: known }: KnownClass, place: number): Float64Array => {
    const ready = known[place];
    if (ready !== undefined) return ready;
    const logs = new Float64Array(shiftLogs.length);
    let index = 0;
    for (const shift of shifts)
      for (const d of SHIFTS) {
        // Rolls without a user have no counter that could be off.
        const shifted = shift(kind, d);
        const other = shifted === undefined ? undefined : model.tierOdds(shifted);
        logs[index] = other === undefined ? 0 : Math.log((other[place] as number) / (odds[place] as number));
        index += 1;
      }
    known[place] = logs;
    return logs;
  };

  const addTiers = (kind: string, outcomes: ReadonlyMap<string, number>): void => {
    const known = classOf(kind);
    if (known === undefined) {
      isImpossible = true;
      return;
    }
    const hits = new Float64Array(tiers.length);
    let rolls = 0;
    for (const [outcome, count] of outcomes) {
      const place = Number(outcome);
      if (!((known.odds[place] ?? 0) > 0)) {
        isImpossible = true;
        return;
      }
      hits[place] = count;
      rolls += count;
    }
    for (const [place, count] of hits.entries()) {
      if (count === 0) continue;
      const logs = shiftsOf(kind, known, place);
      for (let index = 0; index < logs.length; index += 1)
        shiftLogs[index] = (shiftLogs[index] as number) + count * (logs[index] as number);
    }
    for (const [place, { base, raised }] of ratiosOfTiers.entries())
      (known.isBase ? base : raised).add(rolls, hits[place] as number, known.logs[place] as Float64Array);
  };

  // Parts without a roll are included: which ones count must not depend on what was rolled.
  const parts = new Map(
    Array.from(model.parts, ([key, all]): [string, PartCounts] => {
      const items = [...all].filter(([, odds]) => odds > 0);
      const odds = items.map(([, share]) => share);
      const places = new Map(items.map(([id], place) => [id, place]));
      return [key, { places, odds, logs: odds.map(logsOf), counts: new Float64Array(odds.length), rolls: 0 }];
    }),
  );
  const spreads = new Map(Array.from(parts, ([key, { odds }]) => [key, odds.length >= 3 ? spreadOf(odds) : undefined]));

  const addItems = (key: string, outcomes: ReadonlyMap<string, number>): void => {
    const part = parts.get(key);
    for (const [id, count] of outcomes) {
      const place = part?.places.get(id);
      if (part === undefined || place === undefined) {
        isImpossible = true;
        return;
      }
      part.counts[place] = (part.counts[place] as number) + count;
      part.rolls += count;
    }
  };

  const ratios = new Float64Array(EFFECTS.length);
  const itemLogs = ({ odds, logs, counts, rolls }: PartCounts): number[] =>
    odds.length < 2
      ? []
      : logs.map((taken, place) => {
          const hits = counts[place] as number;
          for (let index = 0; index < ratios.length; index += 1)
            ratios[index] = (EFFECTS[index] as number) * hits - rolls * (taken[index] as number);
          return logMeanExp(ratios);
        });

  return {
    add: (observed) => {
      for (const [kind, outcomes] of inOrder(observed)) {
        if (kind.startsWith('t')) addTiers(kind.slice(1), outcomes);
        else if (kind.startsWith('i')) addItems(kind.slice(1), outcomes);
        else if (kind === 'f' && featuredShare !== null) {
          const hits = outcomes.get('1') ?? 0;
          featured.add(hits + (outcomes.get('0') ?? 0), hits, logsOf(featuredShare));
        }
      }
    },
    log: () => {
      if (isImpossible) return IMPOSSIBLE;
      const ofTiers = ratiosOfTiers.flatMap(({ base, raised }) =>
        baseOdds === null ? base.mixture() : [base.mixture(raised), base.mixture(), raised.mixture()],
      );
      const families = [
        tiers.length > 1 ? ofTiers : [],
        [...shiftLogs],
        featuredShare === null ? [] : [featured.mixture()],
        parts.values().flatMap(itemLogs).toArray(),
        Array.from(parts, ([key, { counts }]) => spreads.get(key)?.(counts)).filter((log) => log !== undefined),
      ];
      const present = families.filter((members) => members.length > 0);
      return present.length === 0 ? 0 : logMeanExp(present.map((members) => logMeanExp(members)));
    },
  };
};
