import {
  type Decay,
  type Follow,
  type Follower,
  followRow,
  forgetsAfter,
  medianByFollowing,
  medianOfDecay,
  NEVER,
  orNull,
  settlesAfter,
  type Timing,
} from '../../chains/survival.ts';
import { sumOf } from '../../pool/weighted.ts';
import type { Odds, TierOdds } from '../gacha/gacha-odds.ts';
import type { OddsTier, PackOddsInput } from '../odds-input.ts';
import { countCards, stepsOfCounting, supplyOf, type TierCounts } from './pack-counts.ts';
import { drawPositions } from './successive-sampling.ts';

/** What one pack means for something it may contain. The first three probabilities add up to 1. */
interface PackChance {
  /** It contains it. */
  readonly hit: number;
  /** It contains neither it nor a card of the top tier: the pity counter continues. */
  readonly neither: number;
  /** It contains a card of the top tier, but not it: the pity counter is reset. */
  readonly onlyTop: number;
  /** The mean number of such cards in the pack. */
  readonly cards: number;
}

/** A tier or an item in packs that are not due, and in those that are. */
interface InPacks {
  readonly fresh: PackChance;
  readonly due: PackChance;
}

/** Probabilities this small are rounding errors of 0. */
const NOTHING = 1e-13;
const MAX_PACKS_FOLLOWED = 10_000;

/**
 * Follows pack after pack without a hit. All that matters is how many packs ago a card of the top tier came up: the
 * probability of consecutive `neither` packs is a power, so one sum represents all packs that are not due.
 */
const followPacks = ({ fresh, due }: InPacks, threshold: number): Follower => {
  // begun[n]: the probability that the pity counter is reset by pack n, without a hit before.
  const begun = [1];
  const waiting = threshold - 1;
  // Not a power, which would be no number for an item that never comes up.
  const lasting = waiting < Number.POSITIVE_INFINITY ? fresh.neither ** waiting : 0;
  let counting = waiting > 0 ? 1 : 0;
  let isDue = waiting > 0 ? 0 : 1;
  const advance = (): void => {
    const beginning = counting * fresh.onlyTop + isDue * due.onlyTop;
    const pack = begun.push(beginning) - 1;
    isDue = lasting * (begun[pack - waiting] ?? 0);
    counting = waiting > 0 ? Math.max(0, counting * fresh.neither - isDue) + beginning : 0;
  };
  return { advance, left: () => counting + isDue, stepsOfRoll: STEPS_OF_PACK };
};

/** The sums of x^k and of k x^k for k from 0 to `terms` - 1: by doubling, so that nothing is ever subtracted. */
const geometricSums = (x: number, terms: number): { readonly sum: number; readonly weighted: number } => {
  let sum = 0;
  let weighted = 0;
  let power = 1;
  let count = 0;
  for (let bit = 31 - Math.clz32(terms); bit >= 0; bit -= 1) {
    weighted += power * (weighted + count * sum);
    sum += power * sum;
    power *= power;
    count *= 2;
    if (((terms >>> bit) & 1) === 1) {
      weighted += count * power;
      sum += power;
      power *= x;
      count += 1;
    }
  }
  return { sum, weighted };
};

/** The mean numbers of packs, due and not due, between two cards of the top tier. */
const packsOfRow = (stay: number, threshold: number): { fresh: number; due: number } => {
  if (threshold === Number.POSITIVE_INFINITY) return { fresh: 1, due: 0 };
  return { fresh: geometricSums(stay, threshold - 1).sum, due: stay ** (threshold - 1) };
};

const worstOf = ({ fresh, due }: InPacks, threshold: number): number | null => {
  if (threshold > 1 && fresh.neither <= NOTHING && fresh.onlyTop <= NOTHING) return 1;
  const again = threshold > 1 && fresh.onlyTop > NOTHING;
  if (threshold === Number.POSITIVE_INFINITY || again || due.onlyTop > NOTHING) return null;
  return threshold;
};

/**
 * How the probability of no hit decays from pack to pack. A row ends without a hit after k packs with a known
 * probability; the factor is the one for which these probabilities, each divided by its k-th power, add up to 1. Found
 * by Newton's method, from the side on which it cannot overshoot.
 */
const decayOf = ({ fresh, due }: InPacks, threshold: number): Decay | null => {
  if (threshold === Number.POSITIVE_INFINITY) return { lnScale: 0, lnFactor: Math.log1p(-Math.min(1, fresh.hit)) };
  let growth = 1;
  for (let round = 0; round < 100; round += 1) {
    const stay = growth * fresh.neither;
    const { sum, weighted } = geometricSums(stay, threshold - 1);
    const lasting = stay ** (threshold - 1);
    const inRow = sum + lasting;
    const ending = growth * (fresh.onlyTop * sum + due.onlyTop * lasting);
    const slope = growth * (fresh.onlyTop * (weighted + sum) + due.onlyTop * lasting * threshold);
    if (!(ending > 0) || !Number.isFinite(slope)) return null;
    const change = (1 - ending) / slope;
    if (Math.abs(change) <= 4e-16) return { lnScale: Math.log(inRow / slope), lnFactor: -Math.log(growth) };
    growth *= 1 + change;
  }
  return null;
};

/**
 * Timings in packs. How long the initial state matters hardly depends on what is computed, so it is determined once.
 */
const timer = (threshold: number): ((inPacks: InPacks) => Timing) => {
  let settled: number | undefined;
  return (inPacks) => {
    const { fresh, due } = inPacks;
    const row = packsOfRow(fresh.neither, threshold);
    const hitInRow = row.fresh * fresh.hit + row.due * due.hit;
    if (hitInRow <= 0) return NEVER;
    const expectedRolls = (row.fresh + row.due) / hitInRow;
    const decay = decayOf(inPacks, threshold);
    let medianRolls = decay === null ? 0 : medianOfDecay(decay);
    if (decay !== null && threshold < Number.POSITIVE_INFINITY) {
      settled ??= settlesAfter(followPacks(inPacks, threshold), decay, threshold, MAX_PACKS_FOLLOWED);
    }
    if (decay === null || medianRolls <= (settled ?? 0)) {
      medianRolls = medianByFollowing(followPacks(inPacks, threshold), MAX_PACKS_FOLLOWED, () => expectedRolls);
    }
    return { expectedRolls, medianRolls: orNull(medianRolls), worstRolls: worstOf(inPacks, threshold) };
  };
};

const oddsOf = (
  inPacks: InPacks,
  { cards, threshold }: PackOddsInput,
  withoutTop: number,
  timingOf: (inPacks: InPacks) => Timing,
): Odds => {
  const row = packsOfRow(withoutTop, threshold);
  const effective = (row.fresh * inPacks.fresh.cards + row.due * inPacks.due.cards) / (row.fresh + row.due) / cards;
  return { base: inPacks.fresh.cards / cards, effective, ...timingOf(inPacks) };
};

const countFrom = (chances: readonly number[], least: number): number => {
  let sum = 0;
  for (let count = chances.length - 1; count >= least; count -= 1) sum += chances[count] as number;
  return sum;
};

const tierInPack = ({ withoutTop, withTop }: TierCounts): PackChance => {
  let cards = 0;
  for (let count = withTop.length - 1; count >= 1; count -= 1) {
    cards += count * ((withTop[count] as number) + (withoutTop[count] as number));
  }
  const hit = Math.min(1, countFrom(withTop, 1) + countFrom(withoutTop, 1));
  return { hit, neither: withoutTop[0] ?? 0, onlyTop: withTop[0] ?? 0, cards };
};

/** An item of a tier without repeats: it is the k-th card of its tier, and there are at least k of them. */
const uniqueItemInPack = ({ withoutTop, withTop }: TierCounts, positions: Float64Array): PackChance => {
  let withoutTopHit = 0;
  let withTopHit = 0;
  for (const [position, chance] of positions.entries()) {
    withoutTopHit += chance * countFrom(withoutTop, position + 1);
    withTopHit += chance * countFrom(withTop, position + 1);
  }
  const hit = withoutTopHit + withTopHit;
  const neither = Math.max(0, countFrom(withoutTop, 0) - withoutTopHit);
  return { hit, neither, onlyTop: Math.max(0, countFrom(withTop, 0) - withTopHit), cards: hit };
};

/**
 * An item in packs that may repeat it, card by card. `chances` are the probabilities that a card of each slot is the
 * item.
 */
const repeatedItemInPack = (
  plan: PackOddsInput,
  due: boolean,
  isTop: boolean,
  chances: readonly SlotChance[],
): PackChance => {
  let hit = 0;
  let neither = 1;
  let onlyTop = 0;
  let cards = 0;
  let noTopYet = 1;
  let card = 0;
  for (const [index, { count }] of plan.slots.entries()) {
    const { item, top, itemOfTop } = chances[index] as SlotChance;
    for (let dealt = 0; dealt < count; dealt += 1) {
      // Without a top card so far, the forced card is of the top tier; otherwise it is an ordinary card.
      const forced = due && card === plan.forcedCard;
      const itemNow = forced ? (isTop ? itemOfTop : 0) : item;
      const topNow = forced ? 1 : top;
      cards += noTopYet * itemNow + (1 - noTopYet) * item;
      noTopYet *= 1 - topNow;
      hit += neither * itemNow + onlyTop * item;
      const topButNotIt = isTop ? topNow - itemNow : topNow;
      onlyTop = onlyTop * (1 - item) + neither * topButNotIt;
      neither *= Math.max(0, isTop ? 1 - topNow : 1 - topNow - itemNow);
      card += 1;
    }
  }
  return { hit, neither, onlyTop, cards };
};

interface SlotChance {
  /** The probability that a card of the slot is the item, and that it is of the top tier. */
  readonly item: number;
  readonly top: number;
  /** The probability that a card of the top tier in this slot is the item. */
  readonly itemOfTop: number;
}

/** The weights of the items of a tier in a slot: 0 for those that its filter excludes. */
const weightsInSlot = ({ items }: PackOddsInput['slots'][number], place: number): ReadonlyMap<unknown, number> => {
  const of = items[place];
  if (of === undefined) return new Map();
  return new Map([...of.items].map((item, index) => [item, (of.weights[index] ?? 0) / (of.picker.total || 1)]));
};

const repeatedItems = (plan: PackOddsInput, place: number): InPacks[] => {
  const { tiers, slots } = plan;
  const tier = tiers.all[place];
  const shares = slots.map(({ rates }) => rates.map((rate) => rate / sumOf(rates)));
  const weights = slots.map((slot) => weightsInSlot(slot, place));
  const known = new Map<string, InPacks>();
  return [...(tier?.items ?? [])].map((item) => {
    const parts = weights.map((weight) => weight.get(item) ?? 0);
    const key = parts.join();
    const same = known.get(key);
    if (same !== undefined) return same;
    const chances = parts.map((part, slot) => ({
      item: (shares[slot]?.[place] ?? 0) * part,
      top: shares[slot]?.[tiers.top] ?? 0,
      itemOfTop: part,
    }));
    const isTop = place === tiers.top;
    const inPacks = {
      fresh: repeatedItemInPack(plan, false, isTop, chances),
      due: repeatedItemInPack(plan, true, isTop, chances),
    };
    known.set(key, inPacks);
    return inPacks;
  });
};

/** An item that never comes up. */
const ABSENT: InPacks = {
  fresh: { hit: 0, neither: 1, onlyTop: 0, cards: 0 },
  due: { hit: 0, neither: 0, onlyTop: 1, cards: 0 },
};

const uniqueItems = (plan: PackOddsInput, place: number, fresh: TierCounts, due: TierCounts): InPacks[] => {
  const weights = [...(plan.tiers.all[place]?.weights ?? [])];
  const known = new Map<number, InPacks>();
  for (const [weight, positions] of drawPositions(weights, plan.cards))
    known.set(weight, { fresh: uniqueItemInPack(fresh, positions), due: uniqueItemInPack(due, positions) });
  return weights.map((weight) => known.get(weight) ?? ABSENT);
};

/** What packs or offers contain. */
export interface PackContents {
  /** The probability that a pack which is not due has no card of the top tier. */
  readonly withoutTop: number;
  /** By the place of the tier. Equivalent items share one object. */
  readonly tiers: readonly { readonly tier: InPacks; readonly items: readonly InPacks[] }[];
}

export const packContents = (plan: PackOddsInput): PackContents => {
  const supply = supplyOf(plan);
  const fresh = countCards(plan, false, supply);
  const due = plan.threshold < Number.POSITIVE_INFINITY ? countCards(plan, true, supply) : fresh;
  const tiers = plan.tiers.all.map((_, place) => {
    const counts = [fresh[place], due[place]] as const;
    if (counts[0] === undefined || counts[1] === undefined) throw new Error('A tier was not counted.');
    return {
      tier: { fresh: tierInPack(counts[0]), due: tierInPack(counts[1]) },
      items: plan.remainders === null ? repeatedItems(plan, place) : uniqueItems(plan, place, counts[0], counts[1]),
    };
  });
  return { withoutTop: countFrom(fresh[plan.tiers.top]?.withoutTop ?? [], 0), tiers };
};

/** Exact odds of every tier of packs or offers, by its place, and of its items. */
export const packOdds = (plan: PackOddsInput, { withoutTop, tiers }: PackContents): TierOdds[] =>
  tiers.map(({ tier, items }) => {
    const timingOf = timer(plan.threshold);
    const known = new Map<InPacks, Odds>();
    for (const item of items) if (!known.has(item)) known.set(item, oddsOf(item, plan, withoutTop, timingOf));
    return {
      ...oddsOf(tier, plan, withoutTop, timer(plan.threshold)),
      items: items.map((item) => known.get(item) as Odds),
    };
  });

export const packFollow =
  ({ threshold, tiers: { top } }: PackOddsInput, { tiers }: PackContents): Follow =>
  (place, item) => {
    const contents = tiers[place];
    const inPacks = (item === undefined ? contents?.tier : contents?.items[item]) as InPacks;
    if (item !== undefined || place !== top) return followPacks(inPacks, threshold);
    return followRow((packs) => (packs + 1 >= threshold ? inPacks.due : inPacks.fresh).hit);
  };

/** A card of a pack for one item, one iteration of Newton's method, and one followed pack, in steps. */
const STEPS_OF_CARD = 10;
const STEPS_OF_ROUNDS = 1000;
const STEPS_OF_PACK = 5;
/** The nodes of the integral for positions without replacement, and the cost of a node per draw. */
const NODES = 150;
const STEPS_OF_DRAW = 9;

/** The approximate number of steps that exact odds take; a step takes a few nanoseconds. */
export const stepsOfPack = (plan: PackOddsInput): number => {
  const { tiers, slots, cards, threshold, remainders } = plan;
  // Without repeats, items of equal weight are equivalent; with repeats, slots may filter a tier differently.
  const countOf = ({ items, weights }: OddsTier): number =>
    remainders === null ? items.length : new Set(weights).size;
  const items = tiers.all.reduce((sum, tier) => sum + countOf(tier), 0);
  const ofItem =
    remainders === null ? 2 * cards * STEPS_OF_CARD + slots.length * STEPS_OF_CARD : NODES * cards * STEPS_OF_DRAW;
  const hasPity = threshold < Number.POSITIVE_INFINITY;
  const top = 1 - (1 - (tiers.all[tiers.top]?.share ?? 1)) ** cards;
  const settles = hasPity ? forgetsAfter(new Float64Array(threshold).fill(top)) : 0;
  const ofTiming = STEPS_OF_ROUNDS + (hasPity ? STEPS_OF_PACK * Math.min(settles, MAX_PACKS_FOLLOWED) : 0);
  return stepsOfCounting(plan) + items * (ofItem + ofTiming);
};
