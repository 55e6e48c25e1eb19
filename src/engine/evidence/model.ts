import type { CompiledItem } from '../pool/catalog.ts';
import { sumOf } from '../pool/weighted.ts';
import type { PackPlan } from '../systems/card-pack/card-pack.ts';
import { type GachaRules, writeRates } from '../systems/gacha/gacha.ts';
import { offerPlan } from '../systems/roguelike/roguelike.ts';
import type { CompiledTemplate } from '../systems/templates.ts';
import type { Tiers } from '../systems/tiers.ts';
import { namedItems, OTHER_ITEMS, type Weighted } from './named-items.ts';
import { dividesTop, PLAIN_PART } from './observation.ts';

/** The odds that were promised for everything that is observed of a template. */
export interface EvidenceModel {
  /** By the place of the tier; empty if there are no tiers to tell apart. */
  readonly tiers: readonly { readonly id: string | null; readonly name: string | null }[];
  /** The odds of the tiers in a class; undefined for a class that cannot occur. */
  tierOdds(kind: string): Float64Array | undefined;
  /** The odds without any counter, if counters raise odds. */
  readonly baseOdds: Float64Array | null;
  /** The classes in which a counter would be off by `d`, one function per counter. */
  readonly shifts: readonly ((kind: string, d: number) => string | undefined)[];
  /** The share of featured results, if a draw decides it. */
  readonly featuredShare: number | null;
  /** The odds of the items within each part. */
  readonly parts: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** The odds of the items that are counted by name, and of all others together. */
const partOf = (part: Weighted): ReadonlyMap<string, number> => {
  const total = sumOf(part.weights);
  const named = namedItems(part);
  const odds = new Map<string, number>();
  for (const [index, { id }] of part.items.entries()) {
    const share = total > 0 ? (part.weights[index] as number) / total : 0;
    if (named === null || named.has(id)) odds.set(id, share);
    else odds.set(OTHER_ITEMS, (odds.get(OTHER_ITEMS) ?? 0) + share);
  }
  return odds;
};

const tiersOf = ({ all }: Tiers): EvidenceModel['tiers'] => all.map(({ optionId: id, name }) => ({ id, name }));

/** Computes the odds of a class once. */
const remember = (compute: (kind: string) => Float64Array | undefined) => {
  const known = new Map<string, Float64Array | undefined>();
  return (kind: string): Float64Array | undefined => {
    if (!known.has(kind)) known.set(kind, compute(kind));
    return known.get(kind);
  };
};

const countersIn = (kind: string, count: number): number[] | undefined => {
  const values = kind === '' ? [] : kind.split(',').map(Number);
  return values.length === count && values.every((value) => Number.isInteger(value) && value >= 0) ? values : undefined;
};

const modelOfRolls = (rules: GachaRules): EvidenceModel => {
  const { tiers, ladder, kept, feature } = rules;
  const ratesAt = (since: readonly number[] | null): Float64Array => {
    const rates = new Float64Array(tiers.all.length);
    writeRates(rules, since, rates);
    return rates;
  };
  const tierOdds = remember((kind) => {
    if (kind === '-') return ratesAt(null);
    const values = countersIn(kind, kept.length);
    if (values === undefined) return undefined;
    const since = ladder.map(() => 0);
    for (const [index, { rank }] of kept.entries()) since[rank] = values[index] as number;
    return ratesAt(since);
  });
  const shifts = kept.flatMap(({ factors }, index) =>
    factors.length === 1
      ? []
      : (kind: string, d: number): string | undefined => {
          const values = countersIn(kind, kept.length);
          if (values === undefined) return undefined;
          const shifted = (values[index] as number) - d;
          values[index] = Math.max(0, Math.min(factors.length - 1, shifted));
          return values.join();
        },
  );
  const parts = new Map(tiers.all.map((tier, place) => [String(place), partOf(tier)]));
  if (feature !== null) {
    parts.set(`${tiers.top}f`, partOf(feature.featured));
    if (dividesTop(rules)) {
      parts.set(`${tiers.top}o`, partOf(feature.others));
      parts.delete(String(tiers.top));
    }
  }
  return {
    tiers: tiersOf(tiers),
    tierOdds,
    baseOdds: shifts.length > 0 ? ratesAt(null) : null,
    shifts,
    featuredShare: dividesTop(rules) ? (feature?.share ?? null) : null,
    parts,
  };
};

const modelOfPacks = (planAt: (depth: number) => PackPlan): EvidenceModel => {
  const { tiers } = planAt(0);
  const tierOdds = remember((kind) => {
    const [depth = '', slot = '', gone = ''] = kind.split('/');
    const rates = planAt(Number(depth)).slots[Number(slot)]?.rates;
    if (rates === undefined) return undefined;
    const isGone = new Set(gone === '' ? [] : gone.split('.').map(Number));
    const left = rates.map((rate, place) => (isGone.has(place) ? 0 : rate));
    const total = left.reduce((sum, rate) => sum + rate, 0);
    return total > 0 ? Float64Array.from(left, (rate) => rate / total) : undefined;
  });
  return {
    tiers: tiersOf(tiers),
    tierOdds,
    baseOdds: null,
    shifts: [],
    featuredShare: null,
    parts: new Map(tiers.all.map((tier, place) => [String(place), partOf(tier)])),
  };
};

export const evidenceModel = (template: CompiledTemplate): EvidenceModel => {
  switch (template.type) {
    case 'gacha':
    case 'idle':
      return modelOfRolls(template.rules);
    case 'card_pack':
      return modelOfPacks(() => template.rules);
    case 'roguelike':
      return modelOfPacks((depth) => offerPlan(template.rules, depth));
  }
};

/** Of rolls on all items. */
export const plainEvidenceModel = (items: readonly CompiledItem[]): EvidenceModel => ({
  tiers: [],
  tierOdds: () => undefined,
  baseOdds: null,
  shifts: [],
  featuredShare: null,
  parts: new Map([[PLAIN_PART, partOf({ items, weights: items.map(({ weight }) => weight) })]]),
});
