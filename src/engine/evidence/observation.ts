import type { PackPlan } from '../systems/card-pack/card-pack.ts';
import type { GachaRules } from '../systems/gacha/gacha.ts';
import { moveCounters, sinceByRank } from '../systems/gacha/gacha.ts';
import { offerPlan } from '../systems/roguelike/roguelike.ts';
import { type PityState, type RollResult, sinceOf } from '../systems/state.ts';
import type { CompiledTemplate } from '../systems/templates.ts';
import type { Tiers } from '../systems/tiers.ts';

/**
 * What evidence counts of a result: an outcome in a class, within which the odds of all outcomes are known. Classes
 * start with `t` for the tier, `f` for featured or not, and `i` for the item within its part.
 */
export type Observe = (kind: string, outcome: string) => void;

/** The class of rolls without a user, which have base odds. */
const NO_COUNTERS = '-';

/** The counters that decide the odds of a roll, each at most the index of its last factor. */
export const classOfCounters = ({ kept }: GachaRules, since: readonly number[] | null): string =>
  since === null
    ? NO_COUNTERS
    : kept.map(({ rank, factors }) => Math.min(since[rank] as number, factors.length - 1)).join();

/** Whether a draw decides between featured items and the others. */
export const dividesTop = ({ feature }: GachaRules): boolean =>
  feature !== null && feature.share !== null && feature.others.rollable > 0 && feature.featured.rollable > 0;

const placesOf = ({ all }: Tiers): Map<string | null, number> =>
  new Map(all.map(({ optionId }, place) => [optionId, place]));

const observeRolls = (
  rules: GachaRules,
  pity: PityState | null,
  results: readonly RollResult[],
  observe: Observe,
): void => {
  const { tiers, kept, feature } = rules;
  const places = placesOf(tiers);
  const since = pity && sinceByRank(rules, pity);
  let losses = pity?.losses ?? 0;
  for (const { tier, featured, item } of results) {
    const place = places.get(tier) as number;
    observe(`t${classOfCounters(rules, since)}`, String(place));
    const isTop = place === tiers.top;
    const isGuaranteed = feature !== null && pity !== null && losses >= feature.guaranteeAfter;
    const isDivided = isTop && dividesTop(rules);
    if (isDivided && !isGuaranteed) observe('f', featured ? '1' : '0');
    // A guaranteed result without a share is drawn from the featured items alone, like one with a share.
    const isFromFeatured = isTop && feature !== null && (isDivided || isGuaranteed) && featured;
    if (isDivided || isFromFeatured) observe(`i${place}${featured ? 'f' : 'o'}`, item.id);
    else observe(`i${place}`, item.id);
    if (since === null) continue;
    const rank = tiers.ranks[place] as number;
    moveCounters(kept, since, rank);
    if (rank === 0 && tiers.featured.size > 0) losses = featured ? 0 : losses + 1;
  }
};

/** The class of a card: the slot, and the tiers that the pack has used up. */
export const classOfCard = (depth: number, slot: number, gone: readonly number[]): string =>
  `${depth}/${slot}/${gone.join('.')}`;

const observePack = (
  plan: PackPlan,
  depth: number,
  isDue: boolean,
  cards: readonly RollResult[],
  places: ReadonlyMap<string | null, number>,
  observe: Observe,
): boolean => {
  const { tiers, slots, remainders, forcedCard } = plan;
  const taken = tiers.all.map(() => 0);
  let topGiven = false;
  let card = 0;
  for (const [slot, { count, items }] of slots.entries())
    for (let index = 0; index < count; index += 1, card += 1) {
      const { tier, item } = cards[card] as RollResult;
      const place = places.get(tier) as number;
      const isForced = isDue && !topGiven && card === forcedCard;
      const gone =
        remainders === null ? [] : tiers.all.flatMap(({ rollable }, other) => (taken[other] === rollable ? other : []));
      if (!isForced) observe(`t${classOfCard(depth, slot, gone)}`, String(place));
      const isFiltered = items[place] !== tiers.all[place];
      if (!isFiltered && (remainders === null || taken[place] === 0)) observe(`i${place}`, item.id);
      taken[place] = (taken[place] as number) + 1;
      topGiven ||= place === tiers.top;
    }
  return topGiven;
};

const observePacks = (
  plan: PackPlan,
  depth: number,
  pity: PityState | null,
  results: readonly RollResult[],
  observe: Observe,
): void => {
  const { tiers, cards, threshold } = plan;
  const places = placesOf(tiers);
  let since = pity === null ? 0 : sinceOf(pity, tiers.all[tiers.top]?.optionId ?? null);
  for (let first = 0; first < results.length; first += cards) {
    const pack = results.slice(first, first + cards);
    const isDue = pity !== null && since + 1 >= threshold;
    since = observePack(plan, depth, isDue, pack, places, observe) ? 0 : since + 1;
  }
};

/** Observes the results of a call, given the state before it; null for base odds. */
export const observeResults = (
  template: CompiledTemplate,
  pity: PityState | null,
  results: readonly RollResult[],
  depth: number,
  observe: Observe,
): void => {
  switch (template.type) {
    case 'gacha':
    case 'idle':
      observeRolls(template.rules, pity, results, observe);
      break;
    case 'card_pack':
      observePacks(template.rules, 0, pity, results, observe);
      break;
    case 'roguelike':
      observePacks(offerPlan(template.rules, depth), depth, pity, results, observe);
  }
};
