import { sortedBy } from '../../byte-order.ts';
import type { CompiledItem } from '../../pool/catalog.ts';
import { valuesFrom } from '../../pool/pool.ts';
import { pickLinear } from '../../pool/weighted.ts';
import type { Draws } from '../../random.ts';
import type { Steps } from '../../steps.ts';
import { boundTo } from '../binding.ts';
import type { GachaConfig } from '../config.ts';
import { type PityState, type RollResult, sinceOf, type TierCounter } from '../state.ts';
import {
  type CompileContext,
  compileTiers,
  faultOfItems,
  type Tier,
  type Tiers,
  tierNamed,
  type WeightedItems,
  weigh,
} from '../tiers.ts';
import { type Counter, checkSegments, compileCounter, factorAt, isDue, MAX_STATES, statesOf } from './pity.ts';

/** How the top tier is divided between featured items and the others. */
export interface Feature {
  /** The share of featured results; null if the weights decide. */
  readonly share: number | null;
  /** After this many consecutive losses the next one is featured; Infinity without a guarantee. */
  readonly guaranteeAfter: number;
  /** With their own weights: multiplying all of them by the same factor would change nothing. */
  readonly featured: WeightedItems;
  readonly others: WeightedItems;
}

export interface GachaRules {
  readonly tiers: Tiers;
  /** One per rank, rarest first. Only those in `kept` are stored between rolls. */
  readonly ladder: readonly Counter[];
  /** The top tier's counter, then those of `pities` in the given order. */
  readonly kept: readonly Counter[];
  /** Null if featured items of the top tier differ only by their weights. */
  readonly feature: Feature | null;
  readonly pityGroup: string | null;
}

function* compileFeature(config: GachaConfig, tiers: Tiers, { faults }: CompileContext): Steps<Feature | null> {
  const { featuredShare, guaranteeAfterLosses } = config;
  if (featuredShare === undefined && guaranteeAfterLosses === undefined) return null;
  const items = tiers.all[tiers.top]?.items ?? [];
  const featured = weigh(
    items.filter(({ id }) => tiers.featured.has(id)),
    tiers.featured,
    ({ weight }) => weight,
  );
  yield;
  const others = weigh(
    items.filter(({ id }) => !tiers.featured.has(id)),
    tiers.featured,
    ({ weight }) => weight,
  );
  const faultOfFeatured = faultOfItems(featured);
  const faultOfOthers = others.rollable > 0 ? faultOfItems(others) : undefined;
  for (const member of ['featuredShare', 'guaranteeAfterLosses'] as const) {
    if (config[member] === undefined || !tiers.complete) continue;
    if (faultOfFeatured !== undefined) faults.add([member], `the featured part of the top tier ${faultOfFeatured}`);
    if (faultOfOthers !== undefined) faults.add([member], `the other part of the top tier ${faultOfOthers}`);
  }
  return {
    share: featuredShare ?? null,
    guaranteeAfter: guaranteeAfterLosses ?? Number.POSITIVE_INFINITY,
    featured,
    others,
  };
}

/** The pity of each rank that has one, by rank. Reports invalid ones. */
const pitiesByRank = (config: GachaConfig, tiers: Tiers, context: CompileContext) => {
  const byRank = new Map<
    number,
    { threshold: number; softPity: NonNullable<GachaConfig['softPity']>; higherResets: boolean }
  >();
  // A top tier that always comes up needs no pity.
  const always = tiers.all[tiers.top]?.share === 1;
  const threshold = always ? 0 : (config.pityThreshold ?? 0);
  byRank.set(0, { threshold, softPity: always ? [] : (config.softPity ?? []), higherResets: false });
  for (const [index, pity] of (config.pities ?? []).entries()) {
    checkSegments(pity.softPity, ['pities', index, 'softPity'], context.faults);
    const path = ['pities', index, 'tier'];
    const rank = tiers.ranked.indexOf(tierNamed(pity.tier, path, tiers, context));
    if (rank === -1) continue;
    if (rank === 0) context.faults.add(path, 'is the top tier, whose pity is pityThreshold and softPity');
    else if (byRank.has(rank)) context.faults.add(path, 'already has a pity');
    else
      byRank.set(rank, {
        threshold: pity.threshold,
        softPity: pity.softPity ?? [],
        higherResets: pity.higherResets ?? false,
      });
  }
  return byRank;
};

const checkStates = (config: GachaConfig, kept: readonly Counter[], { faults }: CompileContext): void => {
  let states = 1;
  for (const counter of kept) states *= statesOf(counter);
  if (states <= MAX_STATES) return;
  const path = config.pities?.length ? ['pities'] : [config.softPity?.length ? 'softPity' : 'pityThreshold'];
  faults.add(path, `results in more than ${MAX_STATES} counter states, too many for exact odds`);
};

/** A top tier with a pity must be able to give an item, even if its rate is 0. */
const checkTopTier = (config: GachaConfig, { all, top }: Tiers, { faults }: CompileContext): void => {
  const tier = all[top];
  const member = config.pityThreshold ? 'pityThreshold' : config.softPity?.length ? 'softPity' : undefined;
  if (tier === undefined || tier.rate > 0 || member === undefined || config.pityTier !== undefined) return;
  const fault = faultOfItems(tier);
  if (fault !== undefined) faults.add([member], `the top tier, ${JSON.stringify(tier.key)}, ${fault}`);
};

export function* compileGacha(config: GachaConfig, context: CompileContext): Steps<GachaRules> {
  const pityTier = config.pityTier === undefined ? undefined : boundTo(context.bindings, config.pityTier);
  const tiers = yield* compileTiers(config, { pityTier, plainTop: config.featuredShare !== undefined }, context);
  if (config.pityTier !== undefined) tierNamed(config.pityTier, ['pityTier'], tiers, context);
  checkTopTier(config, tiers, context);
  checkSegments(config.softPity, ['softPity'], context.faults);
  const pities = pitiesByRank(config, tiers, context);

  let left = 1;
  const ladder = tiers.ranked.map((place, rank) => {
    const { optionId = null, share = 0 } = tiers.all[place] ?? {};
    const none = { threshold: 0, softPity: [], higherResets: false };
    const counter = compileCounter({ rank, optionId, share, left, ...(pities.get(rank) ?? none) });
    left -= share;
    return counter;
  });
  const kept = [...pities.keys()].flatMap((rank) => ladder[rank] ?? []);
  checkStates(config, kept, context);
  const feature = yield* compileFeature(config, tiers, context);
  return { tiers, ladder, kept, feature, pityGroup: config.pityGroup ?? null };
}

/** The rolls since each rank was last rolled; 0 for ranks without a stored counter. */
export const sinceByRank = ({ ladder, kept }: GachaRules, pity: PityState): number[] => {
  const since = ladder.map(() => 0);
  for (const { rank, optionId } of kept) since[rank] = sinceOf(pity, optionId);
  return since;
};

/**
 * Writes the rates of a roll, by the place of the tier. In rank order each tier takes its factor of what rarer ones
 * leave, and the last takes everything that is left. Without counters these are the base odds.
 */
export const writeRates = (
  { tiers: { ranked }, ladder }: GachaRules,
  since: readonly number[] | null,
  rates: Float64Array,
): void => {
  const last = ranked.length - 1;
  let left = 1;
  for (let rank = 0; rank < last; rank += 1) {
    const counter = ladder[rank] as Counter;
    const rate = since === null ? counter.baseFactor * left : factorAt(counter, since[rank] as number) * left;
    rates[ranked[rank] as number] = rate;
    left -= rate;
  }
  rates[ranked[last] as number] = left;
};

/** The items of the top tier among which a draw chooses. */
const topItems = (feature: Feature, tier: WeightedItems, losses: number, u: number): WeightedItems => {
  if (losses >= feature.guaranteeAfter) return feature.featured;
  if (feature.share === null) return tier;
  return u < feature.share || feature.others.rollable === 0 ? feature.featured : feature.others;
};

/** Advances all stored counters by one roll that gave the tier of a rank. */
export const moveCounters = (kept: readonly Counter[], since: number[], given: number): void => {
  for (const { rank, higherResets } of kept) {
    since[rank] = rank === given || (higherResets && given < rank) ? 0 : (since[rank] as number) + 1;
  }
};

/** The counters after a roll: those of this template updated, those of others in its group unchanged. */
export const withCounters = (pity: PityState, own: readonly TierCounter[], losses: number): PityState => {
  const others = pity.counters.filter(({ tier }) => !own.some((counter) => counter.tier === tier));
  return { counters: sortedBy([...others, ...own], ({ tier }) => tier), losses };
};

/** What a roll starts with: the rolls since each rank was last rolled, and the losses. Null: base odds. */
interface Standing {
  readonly since: number[];
  losses: number;
}

/** What the rules decide about a roll. The item itself is left to the weights. */
interface Decision {
  readonly tier: Tier;
  readonly rank: number;
  /** Whether the tier was due because of a threshold. */
  readonly pity: boolean;
  /** The items among which one is given: the whole tier or, in the top tier, the featured ones or the others. */
  readonly from: WeightedItems;
}

/** Decides which tier a roll gives, whether it was due, and whether it is featured. */
const decide = (
  rules: GachaRules,
  standing: Standing | null,
  rates: Float64Array,
  tierDraw: number,
  featuredDraw: number,
): Decision => {
  const { tiers, ladder, feature } = rules;
  writeRates(rules, standing?.since ?? null, rates);
  const place = pickLinear(rates, tierDraw);
  const tier = tiers.all[place];
  if (tier === undefined) throw new Error('A template without tiers was rolled.');
  const rank = tiers.ranks[place] as number;
  const isDivided = rank === 0 && feature !== null;
  return {
    tier,
    rank,
    pity: standing !== null && isDue(ladder[rank] as Counter, standing.since[rank] as number),
    from: isDivided ? topItems(feature, tier, standing?.losses ?? 0, featuredDraw) : tier,
  };
};

/** The item that a draw chooses among those decided on. */
const itemFrom = ({ items, picker, rollable }: WeightedItems, itemDraw: number): CompiledItem => {
  const item = items[picker.pick(itemDraw)];
  if (item === undefined || rollable === 0) throw new Error('A tier without items was rolled.');
  return item;
};

/** Updates the standing, in place, after a roll. */
const moveOn = ({ kept, tiers }: GachaRules, standing: Standing, rank: number, featured: boolean): void => {
  moveCounters(kept, standing.since, rank);
  if (rank === 0 && tiers.featured.size > 0) standing.losses = featured ? 0 : standing.losses + 1;
};

/** `count` rolls in sequence. Without a state they have base odds: no pity and no guarantee. */
export const rollGacha = (
  rules: GachaRules,
  pity: PityState | null,
  count: number,
  drawsOf: (roll: number) => Draws,
): { results: RollResult[]; pity: PityState | null } => {
  const { tiers, kept } = rules;
  const standing = pity && { since: sinceByRank(rules, pity), losses: pity.losses };
  const rates = new Float64Array(tiers.all.length);
  const results: RollResult[] = [];
  for (let roll = 0; roll < count; roll += 1) {
    const draws = drawsOf(roll);
    const decision = decide(rules, standing, rates, draws(), draws());
    const item = itemFrom(decision.from, draws());
    const featured = decision.from.hasFeatured && tiers.featured.has(item.id);
    if (standing !== null) moveOn(rules, standing, decision.rank, featured);
    results.push({
      tier: decision.tier.optionId,
      pity: decision.pity,
      featured,
      item,
      values: valuesFrom(decision.from, item, draws),
    });
  }
  if (pity === null || standing === null) return { results, pity: null };
  const own = kept.flatMap(({ rank, optionId }) =>
    optionId === null ? [] : { tier: optionId, since: standing.since[rank] ?? 0 },
  );
  return { results, pity: withCounters(pity, own, standing.losses) };
};
