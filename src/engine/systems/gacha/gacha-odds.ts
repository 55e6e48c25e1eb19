import { type Chain, chainOf, type Edge, stationaryShares } from '../../chains/chain.ts';
import { timingsOf } from '../../chains/chain-timing.ts';
import { NEVER, type Timing } from '../../chains/survival.ts';
import type { Tier } from '../tiers.ts';
import type { Feature, GachaRules } from './gacha.ts';
import { type Counter, factorAt } from './pity.ts';

/** Odds of a tier or an item: shares of all items given, and how long the first one takes. */
export interface Odds extends Timing {
  readonly base: number;
  readonly effective: number;
}

/** Odds by the place of the tier, and of each of its items in their order. */
export interface TierOdds extends Odds {
  readonly items: readonly Odds[];
}

/** The counters that change the odds of a rank, longest first: the first is the coarse part of a state's number. */
const countersUpTo = ({ ladder }: GachaRules, rank: number): Counter[] =>
  ladder
    .filter((counter) => counter.rank <= rank && counter.rank < ladder.length - 1 && counter.factors.length > 1)
    .sort((left, right) => right.factors.length - left.factors.length);

/** The rolls since each rank last came, as far as they matter, in a state of so many counters. */
const sinceIn = (counters: readonly Counter[], state: number): number[] => {
  const since: number[] = [];
  let rest = state;
  for (const { rank, factors } of counters.toReversed()) {
    since[rank] = rest % factors.length;
    rest = Math.floor(rest / factors.length);
  }
  return since;
};

/** The state after a roll that gave a rank, or one that has no counter here. */
const stateAfter = (counters: readonly Counter[], since: readonly number[], given: number): number => {
  let state = 0;
  for (const { rank, higherResets, factors } of counters) {
    const reset = rank === given || (higherResets && given < rank);
    state = state * factors.length + (reset ? 0 : Math.min((since[rank] ?? 0) + 1, factors.length - 1));
  }
  return state;
};

/** The rates of every rank in a state, as a roll has them. */
const ratesIn = ({ ladder }: GachaRules, since: readonly number[]): number[] => {
  let left = 1;
  return ladder.map((counter, rank) => {
    const rate = rank === ladder.length - 1 ? left : factorAt(counter, since[rank] ?? 0) * left;
    left -= rate;
    return rate;
  });
};

const statesOf = (counters: readonly Counter[]): number =>
  counters.reduce((states, { factors }) => states * factors.length, 1);

/**
 * The chain of the counters that matter to a rank, in which a hit is a roll that gives it. Lower ranks change none of
 * them.
 */
const chainOfRank = (rules: GachaRules, rank: number): Chain => {
  const counters = countersUpTo(rules, rank);
  const states = statesOf(counters);
  const layers = counters[0]?.factors.length ?? 1;
  const edges: Edge[] = [];
  for (let state = 0; state < states; state += 1) {
    const since = sinceIn(counters, state);
    const rates = ratesIn(rules, since);
    const others = new Map<number, number>();
    for (const [given, chance] of rates.entries()) {
      const target = stateAfter(counters, since, given);
      if (given === rank) edges.push({ source: state, target, chance, hit: true });
      else others.set(target, (others.get(target) ?? 0) + chance);
    }
    for (const [target, chance] of others) edges.push({ source: state, target, chance, hit: false });
  }
  return chainOf(layers, states / layers, edges);
};

/**
 * The chain of the top tier's counter and the losses, in which a hit is a featured result, or one that is not. The
 * losses are not part of the states that a configuration is measured by: the top tier comes by its own counter alone.
 */
const chainOfFeature = (rules: GachaRules, feature: Feature, share: number, wantsFeatured: boolean): Chain => {
  const counters = countersUpTo(rules, 0);
  const layers = counters[0]?.factors.length ?? 1;
  const width = feature.guaranteeAfter + 1;
  const edges: Edge[] = [];
  for (let layer = 0; layer < layers; layer += 1) {
    const [rate = 1] = ratesIn(rules, sinceIn(counters, layer));
    for (let losses = 0; losses < width; losses += 1) {
      const source = layer * width + losses;
      const featured = losses === feature.guaranteeAfter ? 1 : share;
      const later = Math.min(layer + 1, layers - 1) * width + losses;
      edges.push({ source, target: 0, chance: rate * featured, hit: wantsFeatured });
      edges.push({ source, target: losses + 1, chance: rate * (1 - featured), hit: !wantsFeatured });
      edges.push({ source, target: later, chance: 1 - rate, hit: false });
    }
  }
  return chainOf(layers, width, edges);
};

/** The share of featured results in the top tier with the guarantee off. */
const baseShareOf = ({ share, featured, others }: Feature, tier: Tier): number => {
  if (others.rollable === 0) return 1;
  if (share !== null) return share;
  const items = new Set(featured.items);
  const weight = tier.weights.reduce(
    (sum, entry, index) => sum + (items.has(tier.items[index] as never) ? entry : 0),
    0,
  );
  return weight / tier.picker.total;
};

/** In the long run: one featured result ends a row of losses, which the guarantee keeps short. */
const effectiveShareOf = (share: number, guaranteeAfter: number): number => {
  if (guaranteeAfter === Number.POSITIVE_INFINITY) return share;
  let results = 0;
  for (let losses = 0; losses <= guaranteeAfter; losses += 1) results += (1 - share) ** losses;
  return 1 / results;
};

interface TopItem {
  readonly featured: boolean;
  /** Its share of the featured items, or of the others. */
  readonly part: number;
}

const topItemsOf = (feature: Feature, tier: Tier): TopItem[] => {
  const featured = new Set(feature.featured.items);
  return tier.items.map((item) => {
    const isFeatured = featured.has(item);
    const { picker } = isFeatured ? feature.featured : feature.others;
    return { featured: isFeatured, part: picker.total > 0 ? item.weight / picker.total : 0 };
  });
};

/** Items of the top tier where something sets the featured ones apart. */
const featureOdds = (rules: GachaRules, feature: Feature, tier: Tier, chain: Chain, effective: number): Odds[] => {
  const share = baseShareOf(feature, tier);
  const longRun = effectiveShareOf(share, feature.guaranteeAfter);
  const items = topItemsOf(feature, tier);
  const partsOf = (featured: boolean): number[] =>
    items.filter((item) => item.featured === featured).map(({ part }) => part);
  const shareOf = (featured: boolean, of: number): number => (featured ? of : 1 - of);
  const guaranteed = feature.guaranteeAfter < Number.POSITIVE_INFINITY;
  const timings = [false, true].map((featured) =>
    guaranteed
      ? timingsOf(chainOfFeature(rules, feature, share, featured), partsOf(featured))
      : timingsOf(
          chain,
          partsOf(featured).map((part) => part * shareOf(featured, share)),
        ),
  );
  return items.map(({ featured, part }) => ({
    base: tier.share * shareOf(featured, share) * part,
    effective: effective * shareOf(featured, longRun) * part,
    ...(timings[Number(featured)]?.get(guaranteed ? part : part * shareOf(featured, share)) ?? NEVER),
  }));
};

/** The long-run share of every rank. */
const effectiveByRank = (rules: GachaRules): number[] => {
  const counters = countersUpTo(rules, rules.ladder.length);
  const shares = stationaryShares(chainOfRank(rules, rules.ladder.length - 1));
  const effective = rules.ladder.map(() => 0);
  for (const [state, share] of shares.entries()) {
    for (const [rank, rate] of ratesIn(rules, sinceIn(counters, state)).entries()) {
      effective[rank] = (effective[rank] as number) + share * rate;
    }
  }
  return effective;
};

/** Exact odds of every tier, by its place, and of its items. */
export const gachaOdds = (rules: GachaRules): TierOdds[] => {
  const { tiers, feature } = rules;
  const effectives = effectiveByRank(rules);
  return tiers.all.map((tier, place) => {
    const rank = tiers.ranks[place] ?? 0;
    const effective = effectives[rank] ?? 0;
    const chain = chainOfRank(rules, rank);
    const parts = tier.weights.map((weight) => (tier.picker.total > 0 ? weight / tier.picker.total : 0));
    const isSet = feature !== null && place === tiers.top;
    const timings = timingsOf(chain, isSet ? [1] : [1, ...parts]);
    const items = isSet
      ? featureOdds(rules, feature, tier, chain, effective)
      : parts.map((part) => ({
          base: tier.share * part,
          effective: effective * part,
          ...(timings.get(part) ?? NEVER),
        }));
    return { base: tier.share, effective, ...(timings.get(1) ?? NEVER), items };
  });
};
