/** What a slot can draw: the number of cards, and the rate of each tier. */
interface Supplied {
  readonly count: number;
  readonly rates: readonly number[];
}

/** The tiers of a slot that have a rate and at least one item. */
const tiersOf = ({ rates }: Supplied, supply: readonly number[]): number[] =>
  rates.flatMap((rate, place) => (rate > 0 && (supply[place] ?? 0) > 0 ? place : []));

/**
 * Whether the cards of the given slots can take every item of the wanted tiers. Each card may take one item of any
 * tier of its slot: a matching of items to cards, grown by augmenting paths. There are at most twenty cards.
 */
const canExhaust = (
  cards: readonly (readonly number[])[],
  wanted: readonly number[],
  supply: readonly number[],
): boolean => {
  const items = wanted.flatMap((place) =>
    new Array<number>(Math.min(supply[place] ?? 0, cards.length + 1)).fill(place),
  );
  if (items.length > cards.length) return false;
  const holder = new Array<number>(cards.length).fill(-1);
  const seat = (item: number, tried: Set<number>): boolean => {
    for (const [card, places] of cards.entries()) {
      if (tried.has(card) || !places.includes(items[item] as number)) continue;
      tried.add(card);
      const sitting = holder[card] as number;
      if (sitting === -1 || seat(sitting, tried)) {
        holder[card] = item;
        return true;
      }
    }
    return false;
  };
  return items.every((_, item) => seat(item, new Set()));
};

/** For each slot, whether earlier cards can leave a card of it nothing to draw if no item is repeated. */
export const couldRunDry = (slots: readonly Supplied[], supply: readonly number[]): boolean[] => {
  const earlier: (readonly number[])[] = [];
  return slots.map((slot) => {
    const places = tiersOf(slot, supply);
    // The last card of the slot has the most cards before it.
    for (let card = 0; card < slot.count; card += 1) earlier.push(places);
    return canExhaust(earlier.slice(0, -1), places, supply);
  });
};

/** The tiers that the cards of a pack can exhaust; the others always keep their rates. */
export const exhaustibleTiers = (slots: readonly Supplied[], supply: readonly number[]): number[] =>
  supply.flatMap((items, place) => {
    const cards = slots.reduce((sum, { count, rates }) => sum + ((rates[place] ?? 0) > 0 ? count : 0), 0);
    return items > 0 && items < cards ? place : [];
  });

/** The number of different counts of exhaustible tiers, by the maximum number of cards. */
export const statesByCards = (slots: readonly Supplied[], supply: readonly number[]): number[] => {
  const cards = slots.reduce((sum, { count }) => sum + count, 0);
  let ways = new Array<number>(cards + 1).fill(0);
  ways[0] = 1;
  for (const place of exhaustibleTiers(slots, supply)) {
    ways = ways.map((_, total) =>
      ways.slice(Math.max(0, total - (supply[place] ?? 0)), total + 1).reduce((sum, count) => sum + count, 0),
    );
  }
  let sum = 0;
  return ways.map((count) => {
    sum += count;
    return sum;
  });
};

/** The same for all cards of a pack. */
export const countStates = (slots: readonly Supplied[], supply: readonly number[]): number =>
  statesByCards(slots, supply).at(-1) ?? 1;
