import { type Chain, chainOf, type Edge, stationaryShares, withoutUnreachable } from '../../chains/chain.ts';
import {
  type ChainShape,
  followChain,
  stepsByEdges,
  stepsByStretches,
  stepsOfTimings,
  timingsOf,
} from '../../chains/chain-timing.ts';
import { type Follow, type Follower, followRow, forgetsAfter, NEVER, type Timing } from '../../chains/survival.ts';
import { once } from '../../once.ts';
import type { GachaOddsInput, OddsFeature, OddsItems, OddsTier } from '../odds-input.ts';
import { type Counter, factorAt } from './pity.ts';

/** Odds of a tier or an item: shares of all items given, and how long the first one takes. */
export interface Odds extends Timing {
  readonly base: number;
  readonly effective: number;
}

/** Odds by the place of the tier, and of each of its items in order. */
export interface TierOdds extends Odds {
  readonly items: readonly Odds[];
}

/**
 * Ranks whose probabilities have the same proportion whatever the counters are: one whose probability a counter
 * changes, or those between two such ranks. A hundred tiers with two pities make five bands, and everything expensive
 * is computed per band.
 */
export interface Band {
  /** Null for ranks without one. */
  readonly counter: Counter | null;
  /** The fraction of each rank within the band. */
  readonly parts: ReadonlyMap<number, number>;
  /** Without a counter: the fraction that the band takes of what rarer bands leave, and what it leaves of it. */
  readonly takes: number;
  readonly leaves: number;
}

/** The ranks from `from` up to but excluding `to`. None of them has a counter that changes anything. */
const plainBand = ({ ladder }: GachaOddsInput, from: number, to: number): Band => {
  const taken = new Map<number, number>();
  let takes = 0;
  let leaves = 1;
  for (let rank = from; rank < to; rank += 1) {
    // The last rank takes everything that is left.
    const factor = rank === ladder.length - 1 ? 1 : factorAt(ladder[rank] as Counter, 0);
    taken.set(rank, factor * leaves);
    takes += factor * leaves;
    leaves *= 1 - factor;
  }
  const parts = new Map([...taken].map(([rank, part]) => [rank, takes > 0 ? part / takes : 0]));
  return { counter: null, parts, takes, leaves };
};

/** Rarest first. */
export const bandsOf = (rules: GachaOddsInput): Band[] => {
  const { ladder } = rules;
  const bands: Band[] = [];
  let from = 0;
  for (const counter of ladder) {
    const { rank, factors } = counter;
    if (rank === ladder.length - 1 || factors.length === 1) continue;
    if (rank > from) bands.push(plainBand(rules, from, rank));
    bands.push({ counter, parts: new Map([[rank, 1]]), takes: 0, leaves: 0 });
    from = rank + 1;
  }
  if (from < ladder.length) bands.push(plainBand(rules, from, ladder.length));
  return bands;
};

/**
 * The counters of the first `count` bands, longest first: the first is the most significant part of a state's number.
 */
const countersIn = (bands: readonly Band[], count: number): { readonly band: number; readonly counter: Counter }[] =>
  bands
    .slice(0, count)
    .flatMap(({ counter }, band) => (counter === null ? [] : { band, counter }))
    .sort((left, right) => right.counter.factors.length - left.counter.factors.length);

type Counters = ReturnType<typeof countersIn>;

/** The rolls since the rank of each counter was last rolled, as far as they matter, by band. */
const sinceIn = (counters: Counters, state: number): number[] => {
  const since: number[] = [];
  let rest = state;
  for (const { band, counter } of counters.toReversed()) {
    since[band] = rest % counter.factors.length;
    rest = Math.floor(rest / counter.factors.length);
  }
  return since;
};

/** The state after a roll that gave a band, or one below all counters here. */
const stateAfter = (counters: Counters, since: readonly number[], given: number): number => {
  let state = 0;
  for (const { band, counter } of counters) {
    const { factors, higherResets } = counter;
    const reset = band === given || (higherResets && given < band);
    state = state * factors.length + (reset ? 0 : Math.min((since[band] ?? 0) + 1, factors.length - 1));
  }
  return state;
};

/** The probabilities of each of the first `count` bands in a state, followed by that of all bands below them. */
const chancesIn = (bands: readonly Band[], count: number, since: readonly number[]): number[] => {
  let left = 1;
  const chances = bands.slice(0, count).map(({ counter, takes, leaves }, band) => {
    const factor = counter === null ? takes : factorAt(counter, since[band] ?? 0);
    const chance = factor * left;
    left *= counter === null ? leaves : 1 - factor;
    return chance;
  });
  return [...chances, left];
};

interface BandChain {
  readonly chain: Chain;
  readonly counters: Counters;
  /** The original numbers of the states, for `sinceIn`. */
  readonly kept: Int32Array;
}

/**
 * The chain of the counters that affect a band, in which a hit is a roll that gives it. Lower bands change none of
 * them.
 */
const chainOfBand = (bands: readonly Band[], wanted: number): BandChain => {
  const counters = countersIn(bands, wanted + 1);
  const states = counters.reduce((product, { counter }) => product * counter.factors.length, 1);
  const layers = counters[0]?.counter.factors.length ?? 1;
  const edges: Edge[] = [];
  for (let source = 0; source < states; source += 1) {
    const since = sinceIn(counters, source);
    const others = new Map<number, number>();
    for (const [given, chance] of chancesIn(bands, wanted + 1, since).entries()) {
      const target = stateAfter(counters, since, given);
      if (given === wanted) edges.push({ source, target, chance, hit: true });
      else others.set(target, (others.get(target) ?? 0) + chance);
    }
    for (const [target, chance] of others) edges.push({ source, target, chance, hit: false });
  }
  return { ...withoutUnreachable(chainOf(layers, states / layers, edges)), counters };
};

/**
 * The chain of the top tier's counter and the losses, in which a hit is a featured result, or one that is not. Losses
 * do not count towards the limit on states: the top tier depends only on its own counter.
 */
const chainOfFeature = (
  { ladder }: GachaOddsInput,
  feature: OddsFeature,
  share: number,
  wantsFeatured: boolean,
): Chain => {
  const [top] = ladder as readonly [Counter];
  const layers = ladder.length > 1 ? top.factors.length : 1;
  const width = feature.guaranteeAfter + 1;
  const edges: Edge[] = [];
  for (let layer = 0; layer < layers; layer += 1) {
    const rate = ladder.length > 1 ? factorAt(top, layer) : 1;
    for (let losses = 0; losses < width; losses += 1) {
      const source = layer * width + losses;
      const featured = losses === feature.guaranteeAfter ? 1 : share;
      const later = Math.min(layer + 1, layers - 1) * width + losses;
      edges.push({ source, target: 0, chance: rate * featured, hit: wantsFeatured });
      edges.push({ source, target: losses + 1, chance: rate * (1 - featured), hit: !wantsFeatured });
      edges.push({ source, target: later, chance: 1 - rate, hit: false });
    }
  }
  return withoutUnreachable(chainOf(layers, width, edges)).chain;
};

/** The share of featured results in the top tier without the guarantee. */
const baseShareOf = ({ share, featured, others }: OddsFeature, tier: OddsTier): number => {
  if (others.rollable === 0) return 1;
  if (share !== null) return share;
  const items = new Set(featured.items);
  let weight = 0;
  for (const [index, item] of [...tier.items].entries()) if (items.has(item)) weight += tier.weights[index] as number;
  return weight / tier.picker.total;
};

/** In the long run: a featured result ends a row of losses, whose length the guarantee limits. */
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

const partsIn = ({ items, weights, picker }: OddsItems): ReadonlyMap<unknown, number> =>
  new Map([...items].map((item, index) => [item, picker.total > 0 ? (weights[index] as number) / picker.total : 0]));

const topItemsOf = (feature: OddsFeature, tier: OddsTier): TopItem[] => {
  const featured = partsIn(feature.featured);
  const others = partsIn(feature.others);
  return Array.from(tier.items, (item) => {
    const part = featured.get(item);
    return { featured: part !== undefined, part: part ?? others.get(item) ?? 0 };
  });
};

/** The timing of the first hit in a band, if its results are hits with probability `part`. */
type TimingIn = (rank: number, part: number) => Timing;

/** Items of the top tier if featured ones are treated differently. */
const featureOdds = (
  rules: GachaOddsInput,
  feature: OddsFeature,
  tier: OddsTier,
  effective: number,
  timingIn: TimingIn,
): Odds[] => {
  const share = baseShareOf(feature, tier);
  const longRun = effectiveShareOf(share, feature.guaranteeAfter);
  const items = topItemsOf(feature, tier);
  const shareOf = (featured: boolean, of: number): number => (featured ? of : 1 - of);
  const timings = [false, true].map((featured) => {
    if (feature.guaranteeAfter === Number.POSITIVE_INFINITY) return undefined;
    const parts = items.filter((item) => item.featured === featured).map(({ part }) => part);
    return timingsOf(chainOfFeature(rules, feature, share, featured), parts);
  });
  return items.map(({ featured, part }) => ({
    base: tier.share * shareOf(featured, share) * part,
    effective: effective * shareOf(featured, longRun) * part,
    ...(timings[Number(featured)]?.get(part) ?? timingIn(0, part * shareOf(featured, share))),
  }));
};

/** The long-run share of every rank. */
const effectiveByRank = (rules: GachaOddsInput, bands: readonly Band[]): number[] => {
  const { chain, counters, kept } = chainOfBand(bands, bands.length - 1);
  const effective = rules.ladder.map(() => 0);
  for (const [state, share] of stationaryShares(chain).entries()) {
    const chances = chancesIn(bands, bands.length, sinceIn(counters, kept[state] as number));
    for (const [band, { parts }] of bands.entries()) {
      for (const [rank, part] of parts)
        effective[rank] = (effective[rank] as number) + share * (chances[band] as number) * part;
    }
  }
  return effective;
};

/** The parts of a tier that are needed: the tier itself, and its items. */
const partsOf = ({ tiers, feature }: GachaOddsInput, tier: OddsTier): number[] => {
  const isSet = feature !== null && tier === tiers.all[tiers.top];
  if (!isSet)
    return [1, ...Array.from(tier.weights, (weight) => (tier.picker.total > 0 ? weight / tier.picker.total : 0))];
  if (feature.guaranteeAfter < Number.POSITIVE_INFINITY) return [1];
  const share = baseShareOf(feature, tier);
  return [1, ...topItemsOf(feature, tier).map(({ featured, part }) => part * (featured ? share : 1 - share))];
};

/** Computes everything that is needed of each band at once. */
const timer = (rules: GachaOddsInput, bands: readonly Band[]): TimingIn => {
  const { all, ranked } = rules.tiers;
  const timings = bands.map(({ parts }, band) => {
    const asked = [...parts].flatMap(([rank, ofBand]) =>
      partsOf(rules, all[ranked[rank] as number] as OddsTier).map((part) => part * ofBand),
    );
    return timingsOf(chainOfBand(bands, band).chain, asked);
  });
  const bandOf = rules.ladder.map(({ rank }) => bands.findIndex(({ parts }) => parts.has(rank)));
  return (rank, part) => {
    const band = bandOf[rank] as number;
    return timings[band]?.get(part * (bands[band]?.parts.get(rank) ?? 0)) ?? NEVER;
  };
};

/** Exact odds of every tier, by its place, and of its items. */
export const gachaOdds = (rules: GachaOddsInput): TierOdds[] => {
  const { tiers, feature } = rules;
  const bands = bandsOf(rules);
  const effectives = effectiveByRank(rules, bands);
  const timingIn = timer(rules, bands);
  return tiers.all.map((tier, place) => {
    const rank = tiers.ranks[place] ?? 0;
    const effective = effectives[rank] ?? 0;
    const [, ...parts] = partsOf(rules, tier);
    const items =
      feature !== null && place === tiers.top
        ? featureOdds(rules, feature, tier, effective, timingIn)
        : parts.map((part) => ({ base: tier.share * part, effective: effective * part, ...timingIn(rank, part) }));
    return { base: tier.share, effective, ...timingIn(rank, 1), items };
  });
};

/** Follows the items of the top tier, by their index, if featured ones are guaranteed after some losses. */
const followGuaranteed = (rules: GachaOddsInput, feature: OddsFeature): ((item: number) => Follower) => {
  const tier = rules.tiers.all[rules.tiers.top] as OddsTier;
  const share = baseShareOf(feature, tier);
  const items = topItemsOf(feature, tier);
  const chains = [false, true].map((featured) => once(() => chainOfFeature(rules, feature, share, featured)));
  return (item) => {
    const { featured, part } = items[item] as TopItem;
    return followChain((chains[Number(featured)] as () => Chain)(), part);
  };
};

export const gachaFollow = (rules: GachaOddsInput): Follow => {
  const { tiers, feature, ladder } = rules;
  const bands = bandsOf(rules);
  const chains = bands.map((_, band) => once(() => chainOfBand(bands, band).chain));
  const parts = tiers.all.map((tier) => once(() => partsOf(rules, tier)));
  const guaranteed = once(() =>
    feature === null || feature.guaranteeAfter === Number.POSITIVE_INFINITY ? null : followGuaranteed(rules, feature),
  );
  return (place, item) => {
    if (place === tiers.top) {
      if (item === undefined) return followRow((since) => factorAt(ladder[0] as Counter, since));
      const follower = guaranteed()?.(item);
      if (follower !== undefined) return follower;
    }
    const rank = tiers.ranks[place] as number;
    const band = bands.findIndex((one) => one.parts.has(rank));
    const part = parts[place]?.()[item === undefined ? 0 : item + 1] as number;
    return followChain((chains[band] as () => Chain)(), part * (bands[band]?.parts.get(rank) as number));
  };
};

/**
 * The number of reachable states of some counters, from `least` on: until they reach their maximum, no two are equal.
 * Each is at its maximum, or has a value below it that no shorter counter has.
 */
const reachableStates = (lengths: readonly number[], least: number): number => {
  // By the number of counters below their maximum.
  let ways = [1];
  for (const length of lengths.toSorted((left, right) => left - right)) {
    const next = [...ways, 0];
    for (const [moving, count] of ways.entries()) {
      next[moving + 1] = (next[moving + 1] as number) + count * Math.max(0, length - 1 - least - moving);
    }
    ways = next;
  }
  return ways.reduce((sum, count) => sum + count, 0);
};

const stretchesIn = ({ factors }: Counter): number =>
  factors.reduce((sum, factor, index) => sum + Number(factor !== factors[index - 1]), 0);

/** The shape of the chain of the first `count` bands, which determines its cost. */
const shapeOf = (bands: readonly Band[], count: number): ChainShape => {
  const counters = countersIn(bands, count);
  const [longest, ...others] = counters.map(({ counter }) => counter);
  if (longest === undefined) return { layers: 1, edges: 2, size: 1, stepsOfRoll: stepsByStretches(1) };
  const layers = longest.factors.length;
  const lengths = others.map(({ factors }) => factors.length);
  const states = reachableStates([layers, ...lengths], 0);
  const edges = states * (counters.length + 1);
  if (lengths.length === 0) return { layers, edges, size: 1, stepsOfRoll: stepsByStretches(1 + stretchesIn(longest)) };
  // Only a tier that no rarer one can delay is certain to be rolled in its last layer.
  const lingers = others.some(({ rank }) => rank < longest.rank);
  const size = reachableStates(lengths, 1) + (lingers ? reachableStates(lengths, 0) : 0);
  return { layers, edges, size, stepsOfRoll: stepsByEdges(edges) };
};

/** Equal weights are detected only among fewer items; beyond that it is not worth the effort. */
const FEW_ITEMS = 100;

/** The number of different parts of a band: its tiers and their items, counting equal ones once. */
const countParts = (rules: GachaOddsInput, { parts }: Band): number => {
  const { all, ranked } = rules.tiers;
  const tiers = [...parts].map(([rank, part]) => ({ tier: all[ranked[rank] as number] as OddsTier, part }));
  const items = tiers.reduce((sum, { tier }) => sum + tier.items.length, 0);
  if (items > FEW_ITEMS) return items;
  return new Set(tiers.flatMap(({ tier, part }) => partsOf(rules, tier).map((ofTier) => ofTier * part))).size;
};

/** The approximate number of steps that exact odds take; a step takes a few nanoseconds. */
export const stepsOfGacha = (rules: GachaOddsInput): number => {
  const bands = bandsOf(rules);
  let settles = 1;
  let steps = 0;
  for (const [index, band] of bands.entries()) {
    if (band.counter !== null) settles = Math.max(settles, forgetsAfter(band.counter.factors));
    steps += stepsOfTimings(shapeOf(bands, index + 1), countParts(rules, band), settles);
  }
  const { feature, ladder, tiers } = rules;
  if (feature !== null && feature.guaranteeAfter < Number.POSITIVE_INFINITY) {
    const counter = ladder[0] as Counter;
    const width = feature.guaranteeAfter + 1;
    const edges = 3 * counter.factors.length * width;
    const shape = { layers: counter.factors.length, edges, size: width, stepsOfRoll: stepsByEdges(edges) };
    const items = tiers.all[tiers.top]?.items.length ?? 0;
    const featured = feature.featured.items.length;
    for (const parts of [featured, items - featured])
      steps += stepsOfTimings(shape, parts, forgetsAfter(counter.factors));
  }
  return steps;
};
