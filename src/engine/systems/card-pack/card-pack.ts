import { filterItems } from '../../pool/pool.ts';
import { pickLinear } from '../../pool/weighted.ts';
import { compileRemainder, type Remainder } from '../../pool/without-replacement.ts';
import type { Draws } from '../../random.ts';
import type { Steps } from '../../steps.ts';
import type { CardPackConfig, SlotConfig } from '../config.ts';
import type { FaultList } from '../faults.ts';
import type { RollResult } from '../state.ts';
import {
  type CompileContext,
  checkIds,
  checkRates,
  compileTiers,
  faultOfItems,
  packThreshold,
  type Tiers,
  tierNamed,
  type WeightedItems,
  weighted,
} from '../tiers.ts';
import { couldRunDry, countStates } from './pack-supply.ts';

export interface Slot {
  readonly count: number;
  /** By the place of the tier. */
  readonly rates: readonly number[];
  /** What the slot can give of each tier: all of it, unless the slot has a filter. */
  readonly items: readonly WeightedItems[];
}

/** How a pack, or an offer, is drawn card by card. */
export interface PackPlan {
  readonly tiers: Tiers;
  readonly slots: readonly Slot[];
  readonly cards: number;
  /** For packs without repeats: choices among what is left of each tier. */
  readonly remainders: readonly Remainder[] | null;
  /** The number of the first pack that is due; Infinity if there is no pity. */
  readonly threshold: number;
  /** Index of the card that a due pack forces into the top tier. */
  readonly forcedCard: number;
}

/** More cards would make exact odds of packs without repeats slow. */
const MAX_CARDS = 20;
const DEFAULT_SLOTS: readonly SlotConfig[] = [{ count: 5 }];
/** Limit on the counts of cards of exhaustible tiers, so that exact odds stay fast. */
const MAX_SUPPLY_STATES = 100_000;

const compileRates = (
  slot: SlotConfig,
  path: readonly (string | number)[],
  tiers: Tiers,
  context: CompileContext,
): number[] => {
  if (slot.rates === undefined || tiers.all[0]?.optionId === null) {
    for (const key of Object.keys(slot.rates ?? {})) tierNamed(key, [...path, 'rates', key], tiers, context);
    return tiers.all.map(({ rate }) => rate);
  }
  const rates = tiers.all.map(() => 0);
  for (const [key, rate] of Object.entries(slot.rates)) {
    const place = tierNamed(key, [...path, 'rates', key], tiers, context);
    if (place !== -1) rates[place] = rate;
  }
  checkRates(Object.values(slot.rates), [...path, 'rates'], context.faults);
  return rates;
};

function* compileSlot(
  slot: SlotConfig,
  index: number,
  unique: boolean,
  tiers: Tiers,
  context: CompileContext,
): Steps<Slot> {
  const path = ['slots', index];
  const rates = compileRates(slot, path, tiers, context);
  if (slot.classifierOptionIds === undefined) return { count: slot.count, rates, items: tiers.all };

  const { catalog, faults } = context;
  const filterPath = [...path, 'classifierOptionIds'];
  checkIds(slot.classifierOptionIds, catalog.options, filterPath, 'a classifier option of this team', faults);
  const passing = new Uint8Array(catalog.items.length);
  for (const { place } of filterItems(catalog, { classifierOptionIds: slot.classifierOptionIds })) passing[place] = 1;
  yield;
  const items: WeightedItems[] = [];
  for (const [place, tier] of tiers.all.entries()) {
    const weights = tier.weights.filter((_, index) => passing[tier.items[index]?.place ?? -1] === 1);
    const left = tier.items.filter((item) => passing[item.place] === 1);
    yield;
    const kept = weighted(left, weights, tiers.featured);
    items.push(kept);
    yield;
    if (rates[place] === 0 || tier.rollable === 0) continue;
    const name = tier.key === null ? 'the pool' : `the tier ${JSON.stringify(tier.key)}`;
    const fault = faultOfItems(kept);
    if (fault !== undefined) faults.add(filterPath, `what is left of ${name} ${fault}`);
    else if (unique && kept.rollable < tier.rollable)
      faults.add(filterPath, `splits ${name}, which a unique pack cannot have`);
  }
  return { count: slot.count, rates, items };
}

const lastCardThatCanBeTop = (slots: readonly Slot[], top: number): number => {
  const slot = slots.findLastIndex(({ rates, items }) => (rates[top] ?? 0) > 0 && (items[top]?.rollable ?? 0) > 0);
  return slots.slice(0, slot + 1).reduce((cards, { count }) => cards + count, 0) - 1;
};

export const checkSupplyStates = (
  slots: readonly Slot[],
  { all }: Tiers,
  path: readonly string[],
  faults: FaultList,
): void => {
  const supply = all.map(({ rollable }) => rollable);
  if (countStates(slots, supply) <= MAX_SUPPLY_STATES) return;
  faults.add(path, 'has too many cards for this many exhaustible tiers to compute exact odds');
};

const checkSupply = (slots: readonly Slot[], tiers: Tiers, faults: FaultList): void => {
  const supply = tiers.all.map(({ rollable }) => rollable);
  for (const [index, dry] of couldRunDry(slots, supply).entries()) {
    if (dry) faults.add(['slots', index], 'could run dry: earlier cards may use up every item it can give');
  }
  checkSupplyStates(slots, tiers, ['slots'], faults);
};

export function* compileCardPack(config: CardPackConfig, context: CompileContext): Steps<PackPlan> {
  const { faults } = context;
  const tiers = yield* compileTiers(config, {}, context);
  const unique = config.unique ?? false;
  const slotConfigs = config.slots ?? DEFAULT_SLOTS;
  const cards = slotConfigs.reduce((sum, { count }) => sum + count, 0);
  const before = faults.found.length;
  const slots: Slot[] = [];
  for (const [index, slot] of slotConfigs.entries())
    slots.push(yield* compileSlot(slot, index, unique, tiers, context));
  if (cards < 1) faults.add(['slots'], 'must contain at least one card');
  if (cards > MAX_CARDS) faults.add(['slots'], `contains ${cards} cards, but at most ${MAX_CARDS} are allowed`);
  // An empty tier was already reported; reporting that its slots can run dry would only distract.
  else if (unique && faults.found.length === before) checkSupply(slots, tiers, faults);

  const pityThreshold = config.pityThreshold ?? 0;
  const forcedCard = lastCardThatCanBeTop(slots, tiers.top);
  if (pityThreshold > 0 && forcedCard < 0) faults.add(['pityThreshold'], 'needs a slot that can give the top tier');
  return {
    tiers,
    slots,
    cards,
    remainders: unique ? tiers.all.map(({ weights }) => compileRemainder(weights)) : null,
    threshold: packThreshold(config, tiers),
    forcedCard,
  };
}

/** Draws one pack. A due pack without a card of the top tier by then gives one as its forced card. */
export const drawPack = (plan: PackPlan, due: boolean, draws: Draws): RollResult[] => {
  const { tiers, slots, remainders, forcedCard } = plan;
  const taken: number[][] = tiers.all.map(() => []);
  const results: RollResult[] = [];
  let topGiven = false;
  for (const slot of slots) {
    for (let card = 0; card < slot.count; card += 1) {
      const tierDraw = draws();
      draws();
      const itemDraw = draws();
      const rates =
        remainders === null
          ? slot.rates
          : slot.rates.map((rate, place) => (taken[place]?.length === tiers.all[place]?.rollable ? 0 : rate));
      const forced = due && !topGiven && results.length === forcedCard;
      const place: number = forced ? tiers.top : pickLinear(rates, tierDraw);
      const tier = tiers.all[place];
      const from = slot.items[place];
      const gone = taken[place];
      if (tier === undefined || from === undefined || gone === undefined) throw new Error('A slot ran dry.');
      const index = remainders?.[place]?.pick(itemDraw, gone) ?? from.picker.pick(itemDraw);
      const item = (remainders === null ? from : tier).items[index];
      if (item === undefined) throw new Error('A tier ran dry.');
      if (remainders !== null) gone.push(index);
      const isTop = place === tiers.top;
      results.push({
        tier: tier.optionId,
        pity: due && isTop && !topGiven,
        featured: tiers.featured.has(item.id),
        item,
        values: item.rollValues(draws),
      });
      topGiven ||= isTop;
    }
  }
  return results;
};
