import type { PackPlan } from './card-pack.ts';
import { exhaustibleTiers } from './pack-supply.ts';

/** How many cards of a tier a pack holds, and whether it holds one of the top tier. */
export interface TierCounts {
  /** The chance of k cards of the tier and none of the top tier, by k. */
  readonly withoutTop: readonly number[];
  /** The chance of k cards of the tier and at least one of the top tier, by k. */
  readonly withTop: readonly number[];
}

interface Branch {
  readonly counts: number[];
  readonly topGiven: boolean;
  chance: number;
}

/** One card more: every state, split by the tier that the card can take. */
const dealCard = (
  plan: PackPlan,
  rates: readonly number[],
  forces: boolean,
  tracked: readonly number[],
  states: Iterable<Branch>,
): Map<string, Branch> => {
  const { tiers, remainders } = plan;
  const dealt = new Map<string, Branch>();
  const add = (counts: number[], topGiven: boolean, chance: number): void => {
    const key = String.fromCharCode(topGiven ? 1 : 0, ...counts);
    const known = dealt.get(key);
    if (known === undefined) dealt.set(key, { counts, topGiven, chance });
    else known.chance += chance;
  };
  for (const { counts, topGiven, chance } of states) {
    if (forces && !topGiven) {
      add(
        counts.map((count, index) => (tracked[index] === tiers.top ? count + 1 : count)),
        true,
        chance,
      );
      continue;
    }
    const left = [...rates];
    if (remainders !== null) {
      for (const [index, place] of tracked.entries()) if (counts[index] === tiers.all[place]?.rollable) left[place] = 0;
    }
    const total = left.reduce((sum, rate) => sum + rate, 0);
    let others = 0;
    for (const [place, rate] of left.entries()) {
      if (rate === 0) continue;
      const index = tracked.indexOf(place);
      if (index === -1 && place !== tiers.top) others += rate;
      else {
        const next = index === -1 ? counts : counts.with(index, (counts[index] as number) + 1);
        add(next, topGiven || place === tiers.top, (chance * rate) / total);
      }
    }
    if (others > 0) add(counts, topGiven, (chance * others) / total);
  }
  return dealt;
};

/** Deals a whole pack, keeping count of the tracked tiers alone: the rest neither run out nor are asked for. */
const dealPack = (plan: PackPlan, due: boolean, tracked: readonly number[]): Iterable<Branch> => {
  let states: Iterable<Branch> = [{ counts: tracked.map(() => 0), topGiven: false, chance: 1 }];
  let card = 0;
  for (const { count, rates } of plan.slots) {
    for (let dealt = 0; dealt < count; dealt += 1) {
      states = dealCard(plan, rates, due && card === plan.forcedCard, tracked, states).values();
      card += 1;
    }
  }
  return states;
};

/** The exact distribution of the cards of every tier, by its place, in a pack that is due or is not. */
export const countCards = (plan: PackPlan, due: boolean): TierCounts[] => {
  const { tiers, slots, cards, remainders } = plan;
  const empty = (): number[] => new Array<number>(cards + 1).fill(0);
  const counted = tiers.all.map(() => ({ withoutTop: empty(), withTop: empty() }));
  const gather = (tracked: readonly number[], asked: readonly number[]): void => {
    for (const { counts, topGiven, chance } of dealPack(plan, due, tracked)) {
      for (const place of asked) {
        const row = counted[place]?.[topGiven ? 'withTop' : 'withoutTop'];
        const count = counts[tracked.indexOf(place)];
        if (row !== undefined && count !== undefined) row[count] = (row[count] as number) + chance;
      }
    }
  };
  const supply = tiers.all.map(({ rollable }) => rollable);
  const canRunOut = remainders === null ? [] : exhaustibleTiers(slots, supply);
  if (canRunOut.length > 0) gather(canRunOut, canRunOut);
  for (const place of tiers.all.keys()) if (!canRunOut.includes(place)) gather([...canRunOut, place], [place]);
  return counted;
};

/** The chance that a pack holds a card of each tier, by its place. */
export const chancesOfTiers = (plan: PackPlan, due: boolean): number[] =>
  countCards(plan, due).map(({ withoutTop, withTop }) => {
    let chance = 0;
    for (let count = plan.cards; count >= 1; count -= 1) chance += (withoutTop[count] ?? 0) + (withTop[count] ?? 0);
    return Math.min(1, chance);
  });
