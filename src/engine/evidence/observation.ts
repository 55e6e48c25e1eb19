import type { CompiledItem } from '../pool/catalog.ts';
import type { Steps } from '../steps.ts';
import type { PackPlan } from '../systems/card-pack/card-pack.ts';
import type { GachaRules } from '../systems/gacha/gacha.ts';
import { moveCounters, sinceByRank } from '../systems/gacha/gacha.ts';
import { offerPlan } from '../systems/roguelike/roguelike.ts';
import { type PityState, type RollResult, sinceOf } from '../systems/state.ts';
import type { CompiledTemplate } from '../systems/templates.ts';
import type { Tiers } from '../systems/tiers.ts';
import { chooseNamedItems, namedItems, OTHER_ITEMS, type Weighted } from './named-items.ts';

/**
 * What evidence counts of a result: an outcome in a class, within which the odds of all outcomes are known. Classes
 * start with `t` for the tier, `f` for featured or not, and `i` for the item within its part.
 */
export type Observe = (kind: string, outcome: string) => void;

/** Observes the results of a call, given the state before it; null for base odds. */
export type Observer = (
  pity: PityState | null,
  results: readonly RollResult[],
  depth: number,
  observe: Observe,
) => void;

/** The part of rolls without a template, which are made on all items. */
export const PLAIN_PART = '';

/** Observes items of one part. */
const observerOfPart = (part: string, items: Weighted) => observerOfNamed(part, namedItems(items));

const observerOfNamed = (part: string, named: ReadonlySet<string> | null) => {
  const kind = `i${part}`;
  return named === null
    ? (id: string, observe: Observe): void => observe(kind, id)
    : (id: string, observe: Observe): void => observe(kind, named.has(id) ? id : OTHER_ITEMS);
};

/** The class of rolls without a user, which have base odds. */
const NO_COUNTERS = '-';

/** The counters that decide the odds of a roll, each at most the index of its last factor. */
const classOfCounters = ({ kept }: GachaRules, since: readonly number[] | null): string => {
  if (since === null) return NO_COUNTERS;
  let text = '';
  for (let index = 0; index < kept.length; index += 1) {
    const { rank, factors } = kept[index] as GachaRules['kept'][number];
    text += `${index === 0 ? '' : ','}${Math.min(since[rank] as number, factors.length - 1)}`;
  }
  return text;
};

/** Whether a draw decides between featured items and the others. */
export const dividesTop = ({ feature }: GachaRules): boolean =>
  feature !== null && feature.share !== null && feature.others.rollable > 0 && feature.featured.rollable > 0;

const placesOf = ({ all }: Tiers): Map<string | null, number> =>
  new Map(all.map(({ optionId }, place) => [optionId, place]));

const observerOfRolls = (rules: GachaRules): Observer => {
  const { tiers, kept, feature } = rules;
  const places = placesOf(tiers);
  const whole = tiers.all.map((tier, place) => observerOfPart(String(place), tier));
  const featuredPart = feature && observerOfPart(`${tiers.top}f`, feature.featured);
  const otherPart = feature && dividesTop(rules) ? observerOfPart(`${tiers.top}o`, feature.others) : null;
  return (pity, results, _depth, observe) => {
    const since = pity && sinceByRank(rules, pity);
    let losses = pity?.losses ?? 0;
    for (const { tier, featured, item } of results) {
      const place = places.get(tier) as number;
      observe(`t${classOfCounters(rules, since)}`, String(place));
      const isTop = place === tiers.top;
      const isGuaranteed = feature !== null && pity !== null && losses >= feature.guaranteeAfter;
      if (isTop && otherPart !== null && !isGuaranteed) observe('f', featured ? '1' : '0');
      // A guaranteed result can only be a featured item; any other has odds of 0 there.
      if (isTop && featuredPart !== null && (isGuaranteed || (otherPart !== null && featured)))
        featuredPart(item.id, observe);
      else if (isTop && otherPart !== null) otherPart(item.id, observe);
      else whole[place]?.(item.id, observe);
      if (since === null) continue;
      const rank = tiers.ranks[place] as number;
      moveCounters(kept, since, rank);
      if (rank === 0 && tiers.featured.size > 0) losses = featured ? 0 : losses + 1;
    }
  };
};

/** The class of a card: the slot, and the tiers that the pack has used up. */
const classOfCard = (depth: number, slot: number, gone: readonly number[]): string =>
  `${depth}/${slot}/${gone.join('.')}`;

const NOTHING_GONE: readonly number[] = [];

const observerOfPacks = (plan: PackPlan): Observer => {
  const { tiers, slots, cards, remainders, threshold, forcedCard } = plan;
  const places = placesOf(tiers);
  const parts = tiers.all.map((tier, place) => observerOfPart(String(place), tier));

  /** Observes a pack from its first result on; returns whether it contains the top tier. */
  const observePack = (
    results: readonly RollResult[],
    first: number,
    isDue: boolean,
    depth: number,
    observe: Observe,
  ): boolean => {
    const taken = tiers.all.map(() => 0);
    let topGiven = false;
    let card = 0;
    for (const [slot, { count, items }] of slots.entries())
      for (let index = 0; index < count; index += 1, card += 1) {
        const { tier, item } = results[first + card] as RollResult;
        const place = places.get(tier) as number;
        const isForced = isDue && !topGiven && card === forcedCard;
        const gone =
          remainders === null
            ? NOTHING_GONE
            : tiers.all.flatMap(({ rollable }, other) => (taken[other] === rollable ? other : []));
        if (!isForced) observe(`t${classOfCard(depth, slot, gone)}`, String(place));
        const isFiltered = items[place] !== tiers.all[place];
        if (!isFiltered && (remainders === null || taken[place] === 0)) parts[place]?.(item.id, observe);
        taken[place] = (taken[place] as number) + 1;
        topGiven ||= place === tiers.top;
      }
    return topGiven;
  };

  return (pity, results, depth, observe) => {
    let since = pity === null ? 0 : sinceOf(pity, tiers.all[tiers.top]?.optionId ?? null);
    for (let first = 0; first < results.length; first += cards) {
      const isDue = pity !== null && since + 1 >= threshold;
      since = observePack(results, first, isDue, depth, observe) ? 0 : since + 1;
    }
  };
};

/** What to observe of a template's results. */
export const createObserver = (template: CompiledTemplate): Observer => {
  switch (template.type) {
    case 'gacha':
    case 'idle':
      return observerOfRolls(template.rules);
    case 'card_pack':
      return observerOfPacks(template.rules);
    case 'roguelike':
      // The depth changes the rates, which are part of the class, and nothing else.
      return observerOfPacks(offerPlan(template.rules, 0));
  }
};

export type PlainObserver = (id: string, observe: Observe) => void;

/** What to observe of rolls on all items. */
export function* createPlainObserver(items: readonly CompiledItem[]): Steps<PlainObserver> {
  const weights = Float64Array.from(items, ({ weight }) => weight);
  yield;
  return observerOfNamed(PLAIN_PART, yield* chooseNamedItems({ items, weights }));
}
