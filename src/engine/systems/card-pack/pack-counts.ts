import { sumOf } from '../../pool/weighted.ts';
import type { PackOddsInput } from '../odds-input.ts';
import { exhaustibleTiers, statesByCards } from './pack-supply.ts';

/** How many cards of a tier a pack contains, and whether it contains one of the top tier. */
export interface TierCounts {
  /** The probability of k cards of the tier and none of the top tier, by k. */
  readonly withoutTop: readonly number[];
  /** The probability of k cards of the tier and at least one of the top tier, by k. */
  readonly withTop: readonly number[];
}

/** All counts of cards of the exhaustible tiers, ordered by their total. */
export interface Supply {
  /** Their places among the tiers. */
  readonly places: readonly number[];
  /** The counts of each state. */
  readonly counts: Uint8Array;
  /** The state after one more card of each tier; -1 if that is exhausted. */
  readonly after: Int32Array;
  /** By k: the number of states with at most k cards in total. */
  readonly upTo: readonly number[];
}

export const supplyOf = ({ tiers, slots, cards, remainders }: PackOddsInput): Supply => {
  const rollable = tiers.all.map((tier) => tier.rollable);
  const places = remainders === null ? [] : exhaustibleTiers(slots, rollable);
  const width = places.length;
  const states: Uint8Array[] = [new Uint8Array(width)];
  const after: number[] = [];
  const upTo = [1];
  const textOf = (counts: Uint8Array): string => String.fromCharCode(...counts);
  for (let from = 0; upTo.length <= cards; upTo.push(states.length)) {
    const to = states.length;
    const known = new Map<string, number>();
    for (; from < to; from += 1) {
      for (let index = 0; index < width; index += 1) {
        const counts = (states[from] as Uint8Array).slice();
        counts[index] = (counts[index] as number) + 1;
        if ((counts[index] as number) > (rollable[places[index] as number] as number)) {
          after.push(-1);
          continue;
        }
        const text = textOf(counts);
        const number = known.get(text) ?? states.push(counts) - 1;
        known.set(text, number);
        after.push(number);
      }
    }
  }
  const flat = new Uint8Array(states.length * width);
  for (const [state, counts] of states.entries()) flat.set(counts, state * width);
  return { places, counts: flat, after: Int32Array.from(after), upTo };
};

/** What a card does to lanes: each keeps a fraction of itself and receives a fraction of the one before it. */
interface Change {
  readonly keeps: Float64Array;
  readonly gets: Float64Array;
}

/** The probability of a state, split into lanes. */
interface Lanes {
  readonly count: number;
  readonly initial: readonly number[];
  /** By slot: the effect of a card of a tier that is neither exhaustible nor the top tier. */
  readonly onOthers: readonly Change[];
  readonly onTop: Change;
}

/** Adds the lanes of one state to those of another. */
const addLanes = (
  from: Float64Array,
  source: number,
  to: Float64Array,
  target: number,
  count: number,
  chance: number,
) => {
  for (let lane = 0; lane < count; lane += 1)
    to[target + lane] = (to[target + lane] as number) + chance * (from[source + lane] as number);
};

/** The same for a card that changes them. */
const addChanged = (
  from: Float64Array,
  source: number,
  to: Float64Array,
  target: number,
  { keeps, gets }: Change,
  chance: number,
): void => {
  let before = 0;
  for (let lane = 0; lane < keeps.length; lane += 1) {
    const value = from[source + lane] as number;
    const changed = value * (keeps[lane] as number) + before * (gets[lane] as number);
    to[target + lane] = (to[target + lane] as number) + chance * changed;
    before = value;
  }
};

interface Dealt {
  /** All lanes of each state; without a card of the top tier, and with one. */
  readonly withoutTop: Float64Array;
  readonly withTop: Float64Array;
}

/** Deals a whole pack card by card: every state of the supply, with and without a card of the top tier. */
const dealPack = (plan: PackOddsInput, due: boolean, supply: Supply, lanes: Lanes): Dealt => {
  const { tiers, slots, forcedCard } = plan;
  const { places, counts, after, upTo } = supply;
  const { count, onTop } = lanes;
  const width = places.length;
  const size = (upTo.at(-1) as number) * count;
  const topIndex = places.indexOf(tiers.top);
  const emptied = new Set(places);
  let now = [new Float64Array(size), new Float64Array(size)] as const;
  let next = [new Float64Array(size), new Float64Array(size)] as const;
  now[0].set(lanes.initial);
  let card = 0;
  for (const [slot, { count: cardsOfSlot, rates }] of slots.entries()) {
    const topRate = topIndex === -1 ? (rates[tiers.top] ?? 0) : 0;
    const others = rates.reduce(
      (sum, rate, place) => (emptied.has(place) || place === tiers.top ? sum : sum + rate),
      0,
    );
    const onOthers = lanes.onOthers[slot] as Change;
    for (let dealt = 0; dealt < cardsOfSlot; dealt += 1, card += 1) {
      const forces = due && card === forcedCard;
      for (const one of next) one.fill(0);
      for (let state = 0; state < (upTo[card] as number); state += 1) {
        let total = topRate + others;
        for (let index = 0; index < width; index += 1)
          if (after[state * width + index] !== -1) total += rates[places[index] as number] as number;
        for (const topGiven of [0, 1] as const) {
          // If the top tier is exhaustible, its own count is used.
          if (topIndex !== -1 && (counts[state * width + topIndex] === 0) !== (topGiven === 0)) continue;
          const from = now[topGiven];
          const source = state * count;
          if (forces && topGiven === 0) {
            if (topIndex === -1) addChanged(from, source, next[1], source, onTop, 1);
            else addLanes(from, source, next[1], (after[state * width + topIndex] as number) * count, count, 1);
            continue;
          }
          if (topRate > 0) addChanged(from, source, next[1], source, onTop, topRate / total);
          if (others > 0) addChanged(from, source, next[topGiven], source, onOthers, others / total);
          for (let index = 0; index < width; index += 1) {
            const target = after[state * width + index] as number;
            const rate = rates[places[index] as number] as number;
            if (target === -1 || rate === 0) continue;
            addLanes(from, source, next[index === topIndex ? 1 : topGiven], target * count, count, rate / total);
          }
        }
      }
      [now, next] = [next, now];
    }
  }
  return { withoutTop: now[0], withTop: now[1] };
};

/** By slot, the share of each tier among the cards of tiers that are neither tracked nor the top. */
const sharesOfOthers = ({ tiers, slots }: PackOddsInput, { places }: Pick<Supply, 'places'>): number[][] => {
  const emptied = new Set(places);
  return slots.map(({ rates }) => {
    const others = rates.map((rate, place) => (emptied.has(place) || place === tiers.top ? 0 : rate));
    const total = sumOf(others);
    return others.map((rate) => (total > 0 ? rate / total : 0));
  });
};

/** Tiers whose shares have the same proportion in every slot, each with its fraction of the group. */
type Group = readonly { readonly place: number; readonly part: number }[];

const groupOthers = (shares: readonly (readonly number[])[]): Group[] => {
  const places = [...(shares[0]?.keys() ?? [])].filter((place) => shares.some((slot) => (slot[place] as number) > 0));
  const keyOf = (place: number): string => {
    const most = Math.max(...shares.map((slot) => slot[place] as number));
    return shares.map((slot) => ((slot[place] as number) / most).toPrecision(13)).join();
  };
  return [...Map.groupBy(places, keyOf).values()].map((group) => {
    const sumsOf = (of: readonly number[]): number =>
      of.reduce((sum, place) => sum + shares.reduce((all, slot) => all + (slot[place] as number), 0), 0);
    const total = sumsOf(group);
    return group.map((place) => ({ place, part: sumsOf([place]) / total }));
  });
};

/** The distribution of a count after keeping each element with the same probability. */
const thinned = (counts: readonly number[], part: number): number[] => {
  const thin = counts.map(() => 0);
  for (const [count, chance] of counts.entries()) {
    let ways = chance * (1 - part) ** count;
    if (part === 1) {
      thin[count] = (thin[count] as number) + chance;
      continue;
    }
    for (let kept = 0; kept <= count; kept += 1) {
      thin[kept] = (thin[kept] as number) + ways;
      ways *= ((count - kept) / (kept + 1)) * (part / (1 - part));
    }
  }
  return thin;
};

const filled = (count: number, keeps: number, gets: number): Change => ({
  keeps: new Float64Array(count).fill(keeps),
  gets: new Float64Array(count).fill(gets),
});

/** A lane per count of cards of some tiers, which have the given share of the others in each slot. */
const countingLanes = ({ cards, slots }: PackOddsInput, shareOf: (slot: number) => number): Lanes => ({
  count: cards + 1,
  initial: [1],
  onOthers: slots.map((_, slot) => filled(cards + 1, 1 - shareOf(slot), shareOf(slot))),
  onTop: filled(cards + 1, 1, 0),
});

/** The same for the top tier. */
const topLanes = ({ cards, slots }: PackOddsInput): Lanes => ({
  count: cards + 1,
  initial: [1],
  onOthers: slots.map(() => filled(cards + 1, 1, 0)),
  onTop: filled(cards + 1, 0, 1),
});

/** Two lanes for each of some tiers: none of it so far, or some. */
const presenceLanes = (
  { slots }: PackOddsInput,
  shares: readonly (readonly number[])[],
  places: readonly number[],
): Lanes => {
  const count = 2 * places.length;
  return {
    count,
    initial: places.flatMap(() => [1, 0]),
    onOthers: slots.map((_, slot) => {
      const own = places.map((place) => shares[slot]?.[place] as number);
      return {
        keeps: Float64Array.from(own.flatMap((share) => [1 - share, 1])),
        gets: Float64Array.from(own.flatMap((share) => [0, share])),
      };
    }),
    onTop: filled(count, 1, 0),
  };
};

const sumLanes = (lanes: Float64Array, count: number): number[] => {
  const sums = new Array<number>(count).fill(0);
  for (const [index, value] of lanes.entries()) sums[index % count] = (sums[index % count] as number) + value;
  return sums;
};

/** The sums of each lane over all states. */
const countLanes = (plan: PackOddsInput, due: boolean, supply: Supply, lanes: Lanes): TierCounts => {
  const dealt = dealPack(plan, due, supply, lanes);
  return { withoutTop: sumLanes(dealt.withoutTop, lanes.count), withTop: sumLanes(dealt.withTop, lanes.count) };
};

const oneLane = ({ slots }: PackOddsInput): Lanes => ({
  count: 1,
  initial: [1],
  onOthers: slots.map(() => filled(1, 1, 0)),
  onTop: filled(1, 1, 0),
});

/** The distributions of the exhaustible tiers. */
const countTracked = (plan: PackOddsInput, due: boolean, supply: Supply): ReadonlyMap<number, TierCounts> => {
  const { places, counts } = supply;
  const dealt = dealPack(plan, due, supply, oneLane(plan));
  const sumsOf = (index: number, chances: Float64Array): number[] => {
    const sums = new Array<number>(plan.cards + 1).fill(0);
    for (const [state, chance] of chances.entries()) {
      const count = counts[state * places.length + index] as number;
      sums[count] = (sums[count] as number) + chance;
    }
    return sums;
  };
  return new Map(
    places.map((place, index) => [
      place,
      { withoutTop: sumsOf(index, dealt.withoutTop), withTop: sumsOf(index, dealt.withTop) },
    ]),
  );
};

/** The distributions of the tiers that are neither exhaustible nor the top. */
const countOthers = (
  plan: PackOddsInput,
  due: boolean,
  supply: Supply,
  shares: readonly (readonly number[])[],
  groups: readonly Group[],
): ReadonlyMap<number, TierCounts> => {
  const counted = new Map<number, TierCounts>();
  for (const group of groups) {
    const shareOf = (slot: number): number =>
      group.reduce((sum, { place }) => sum + (shares[slot]?.[place] as number), 0);
    const ofGroup = countLanes(plan, due, supply, countingLanes(plan, shareOf));
    for (const { place, part } of group) {
      counted.set(place, { withoutTop: thinned(ofGroup.withoutTop, part), withTop: thinned(ofGroup.withTop, part) });
    }
  }
  return counted;
};

/** The exact distribution of the cards of every tier, by its place, in a pack that is due or not. */
export const countCards = (plan: PackOddsInput, due: boolean, supply = supplyOf(plan)): TierCounts[] => {
  const { tiers, cards } = plan;
  const shares = sharesOfOthers(plan, supply);
  const counted = new Map([
    ...countTracked(plan, due, supply),
    ...countOthers(plan, due, supply, shares, groupOthers(shares)),
  ]);
  const top = counted.get(tiers.top) ?? countLanes(plan, due, supply, topLanes(plan));
  // A tier without a rate in any slot is in no pack.
  const none = (sum: number): number[] => [sum, ...new Array<number>(cards).fill(0)];
  const absent = { withoutTop: none(sumOf(top.withoutTop)), withTop: none(sumOf(top.withTop)) };
  return tiers.all.map((_, place) => (place === tiers.top ? top : (counted.get(place) ?? absent)));
};

/** Limit on the lanes of all states that are in memory at once: about ten megabytes. */
const MAX_LANES = 500_000;

const chanceOfAny = ({ withoutTop, withTop }: TierCounts): number => {
  let chance = 0;
  for (let count = withTop.length - 1; count >= 1; count -= 1)
    chance += (withoutTop[count] as number) + (withTop[count] as number);
  return chance;
};

/** The probability that a pack contains a card of each tier, by its place. */
export const chancesOfTiers = (plan: PackOddsInput, due: boolean, supply = supplyOf(plan)): number[] => {
  const { tiers, cards } = plan;
  const chances = new Map<number, number>();
  const shares = sharesOfOthers(plan, supply);
  const groups = groupOthers(shares);
  const others = groups.flat().map(({ place }) => place);
  if (groups.length * (cards + 1) <= 2 * others.length) {
    for (const [place, counts] of countOthers(plan, due, supply, shares, groups))
      chances.set(place, chanceOfAny(counts));
  } else {
    const batch = Math.max(1, Math.floor(MAX_LANES / (2 * (supply.upTo.at(-1) as number))));
    for (let from = 0; from < others.length; from += batch) {
      const places = others.slice(from, from + batch);
      const some = countLanes(plan, due, supply, presenceLanes(plan, shares, places));
      for (const [index, place] of places.entries())
        chances.set(place, (some.withoutTop[2 * index + 1] as number) + (some.withTop[2 * index + 1] as number));
    }
  }
  for (const [place, counts] of countTracked(plan, due, supply)) chances.set(place, chanceOfAny(counts));
  if (!supply.places.includes(tiers.top))
    chances.set(tiers.top, sumOf(countLanes(plan, due, supply, oneLane(plan)).withTop));
  return tiers.all.map((_, place) => Math.min(1, chances.get(place) ?? 0));
};

/** The probability that a pack or an offer contains each tier, by its place. */
export interface PackChances {
  readonly fresh: readonly number[];
  readonly due: readonly number[];
}

export const chancesOfPacks = (plan: PackOddsInput): PackChances => {
  const supply = supplyOf(plan);
  const fresh = chancesOfTiers(plan, false, supply);
  return { fresh, due: plan.threshold < Number.POSITIVE_INFINITY ? chancesOfTiers(plan, true, supply) : fresh };
};

/** The approximate number of steps for dealing a pack, with the given number of lanes per state. */
const stepsOfDealing = (
  { cards }: PackOddsInput,
  { places, upTo }: Pick<Supply, 'places' | 'upTo'>,
  lanes: number,
): number => upTo.slice(0, cards).reduce((sum, states) => sum + states, 0) * (2 + places.length) * (4 + lanes / 3);

/** Steps for finding the state after a card of some tier. */
const STEPS_OF_STATE = 100;

/** Steps for dealing all required packs: by lanes, one list per pack that is dealt. */
const stepsOfPacks = (plan: PackOddsInput, lanesOf: (groups: readonly Group[]) => readonly number[]): number => {
  const { tiers, slots, cards, remainders, threshold } = plan;
  const rollable = tiers.all.map((tier) => tier.rollable);
  const places = remainders === null ? [] : exhaustibleTiers(slots, rollable);
  const upTo = places.length === 0 ? new Array<number>(cards + 1).fill(1) : statesByCards(slots, rollable);
  const groups = groupOthers(sharesOfOthers(plan, { places }));
  const packs = threshold < Number.POSITIVE_INFINITY ? 2 : 1;
  const dealing = lanesOf(groups).reduce((sum, lanes) => sum + stepsOfDealing(plan, { places, upTo }, lanes), 0);
  return (upTo.at(-1) as number) * places.length * STEPS_OF_STATE + packs * dealing;
};

/** The approximate number of steps for counting the cards of all tiers. */
export const stepsOfCounting = (plan: PackOddsInput): number =>
  stepsOfPacks(plan, (groups) => [1, ...new Array<number>(groups.length + 1).fill(plan.cards + 1)]);

/** The approximate number of steps for computing the chances of packs. */
export const stepsOfChances = (plan: PackOddsInput): number =>
  stepsOfPacks(plan, (groups) => {
    const tiers = groups.reduce((sum, { length }) => sum + length, 0);
    const counted = groups.length * (plan.cards + 1);
    return [1, 1, ...(counted <= 2 * tiers ? groups.map(() => plan.cards + 1) : [2 * tiers])];
  });
