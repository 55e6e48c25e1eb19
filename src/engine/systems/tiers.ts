import { compareBytes, sortedBy } from '../byte-order.ts';
import type { Catalog, CompiledItem } from '../pool/catalog.ts';
import { filterItems, haveAttributes } from '../pool/pool.ts';
import { compilePicker, isUsableTotal, type Picker, sumOf } from '../pool/weighted.ts';
import type { Steps } from '../steps.ts';
import { type Bindings, boundTo } from './binding.ts';
import type { CommonConfig, Rates } from './config.ts';
import type { FaultList } from './faults.ts';

/** Items with the weights they have here, which may be multiplied for featured items. */
export interface WeightedItems {
  /** In byte order of their ids, including those of weight 0. */
  readonly items: readonly CompiledItem[];
  readonly weights: readonly number[];
  readonly picker: Picker;
  /** The number of items with a weight above 0. */
  readonly rollable: number;
  /** Whether any of them has attributes, or is featured: if none is, the rolled item need not be accessed. */
  readonly hasAttributes: boolean;
  readonly hasFeatured: boolean;
}

export interface Tier extends WeightedItems {
  /** As written in the configuration; null for the only tier of a template without tiers. */
  readonly key: string | null;
  readonly optionId: string | null;
  readonly name: string | null;
  /** The base rate as configured, and its share of the sum. */
  readonly rate: number;
  readonly share: number;
}

/** The tiers of a template and their items. */
export interface Tiers {
  /** In byte order of the option ids, the order in which a draw visits them. */
  readonly all: readonly Tier[];
  /** Places in `all`, rarest first; the first is the top tier. */
  readonly ranked: readonly number[];
  /** The rank of each place in `all`. */
  readonly ranks: readonly number[];
  readonly top: number;
  readonly featured: ReadonlySet<string>;
  /** False if a rate could not be bound: then errors that follow from the missing tier are not reported. */
  readonly complete: boolean;
}

/** What compiling a template needs. */
export interface CompileContext {
  readonly catalog: Catalog;
  readonly bindings: Bindings;
  readonly faults: FaultList;
}

export const weighted = (
  items: readonly CompiledItem[],
  weights: readonly number[],
  featured: ReadonlySet<string>,
): WeightedItems => ({
  items,
  weights,
  picker: compilePicker(weights),
  rollable: weights.filter((weight) => weight > 0).length,
  hasAttributes: haveAttributes(items),
  hasFeatured: featured.size > 0 && items.some(({ id }) => featured.has(id)),
});

export const weigh = (
  items: readonly CompiledItem[],
  featured: ReadonlySet<string>,
  weightOf: (item: CompiledItem) => number,
): WeightedItems => weighted(items, items.map(weightOf), featured);

/** What is wrong with items that must be able to give one; undefined if nothing is. */
export const faultOfItems = ({ picker, rollable }: WeightedItems): string | undefined => {
  if (rollable === 0) return 'has no item that can be rolled';
  return isUsableTotal(picker.total)
    ? undefined
    : 'has items whose weights add up to less than 2^-900 or more than 2^1000';
};

/** Checks whether a choice among rates is possible. */
export const checkRates = (rates: readonly number[], path: readonly (string | number)[], faults: FaultList): void => {
  const total = sumOf(rates);
  if (total === 0) faults.add(path, 'must have a rate above 0');
  else if (!isUsableTotal(total)) faults.add(path, 'has rates that add up to less than 2^-900 or more than 2^1000');
};

/** Reports every unknown id. */
export const checkIds = (
  ids: readonly string[] | undefined,
  known: ReadonlyMap<string, unknown>,
  path: readonly (string | number)[],
  noun: string,
  faults: FaultList,
): void => {
  for (const [index, id] of (ids ?? []).entries()) if (!known.has(id)) faults.add([...path, index], `is not ${noun}`);
};

interface NamedRate {
  readonly key: string;
  readonly optionId: string;
  readonly rate: number;
}

/** The rates whose tiers are bound, in byte order of the options; the others are reported. */
const bindRates = (rates: Rates, { bindings, faults }: CompileContext): NamedRate[] => {
  const bound: NamedRate[] = [];
  for (const [key, rate] of Object.entries(rates)) {
    const optionId = boundTo(bindings, key);
    if (optionId === undefined) faults.add(['baseRates', key], 'does not match any classifier option');
    else if (bound.some((other) => other.optionId === optionId)) {
      faults.add(['baseRates', key], 'is the same classifier option as another key');
    } else bound.push({ key, optionId, rate });
  }
  return sortedBy(bound, ({ optionId }) => optionId);
};

/** The items of each rate. Reports items in two tiers, once per pair of tiers to keep it short. */
const divide = (items: readonly CompiledItem[], rates: readonly NamedRate[], faults: FaultList): CompiledItem[][] => {
  const places = new Map(rates.map(({ optionId }, place) => [optionId, place]));
  const divided: CompiledItem[][] = rates.map(() => []);
  const reported = new Set<string>();
  for (const item of items) {
    let first: number | undefined;
    for (const optionId of item.optionIds) {
      const place = places.get(optionId);
      if (place === undefined) continue;
      divided[place]?.push(item);
      if (first === undefined) {
        first = place;
      } else if (!reported.has(`${first} ${place}`)) {
        reported.add(`${first} ${place}`);
        const message = `shares the item ${JSON.stringify(item.id)} with the tier ${JSON.stringify(rates[first]?.key)}`;
        faults.add(['baseRates', rates[place]?.key ?? ''], message);
      }
    }
  }
  return divided;
};

/** Rarest first: by share, then by id; the pity tier before all others. */
const rank = (tiers: readonly Pick<Tier, 'optionId' | 'share'>[], pityTier: string | undefined): number[] => {
  const comesFirst = (optionId: string | null): number => Number(pityTier !== undefined && optionId === pityTier);
  return tiers
    .map(({ optionId, share }, place) => ({ optionId, share, place }))
    .sort(
      (left, right) =>
        comesFirst(right.optionId) - comesFirst(left.optionId) ||
        left.share - right.share ||
        compareBytes(left.optionId ?? '', right.optionId ?? ''),
    )
    .map(({ place }) => place);
};

function* checkFeatured(
  config: CommonConfig,
  tiers: readonly Tier[],
  { catalog, faults }: CompileContext,
): Steps<void> {
  const { featuredItemIds = [] } = config;
  if (featuredItemIds.length === 0) return;
  const missing = new Set(featuredItemIds);
  for (const { items } of tiers) {
    for (const { id } of items) missing.delete(id);
    yield;
  }
  for (const [index, id] of featuredItemIds.entries()) {
    if (!catalog.itemsById.has(id)) faults.add(['featuredItemIds', index], 'is not an item of this team');
    else if (missing.has(id)) faults.add(['featuredItemIds', index], 'is not in the pool');
  }
}

export interface TierOptions {
  /** The option that ranks first whatever its share. */
  readonly pityTier?: string;
  /** Whether featured items of the top tier keep their own weights, because a featured share replaces the rate-up. */
  readonly plainTop?: boolean;
}

/**
 * Divides the pool into tiers. Whether a tier with rate 0 must be able to give an item depends on what refers to it, so
 * that is checked there.
 */
export function* compileTiers(config: CommonConfig, options: TierOptions, context: CompileContext): Steps<Tiers> {
  const { catalog, faults } = context;
  checkIds(
    config.pool?.classifierOptionIds,
    catalog.options,
    ['pool', 'classifierOptionIds'],
    'a classifier option of this team',
    faults,
  );
  checkIds(config.pool?.itemIds, catalog.itemsById, ['pool', 'itemIds'], 'an item of this team', faults);
  const pool = filterItems(catalog, config.pool);
  yield;
  const featured = new Set(config.featuredItemIds);
  const rateUp = config.rateUpMultiplier ?? 1;

  const baseRates = config.baseRates ?? {};
  const keys = Object.keys(baseRates);
  const rates = bindRates(baseRates, context);
  const total = sumOf(rates.map(({ rate }) => rate));
  if (keys.length > 0) checkRates(Object.values(baseRates), ['baseRates'], faults);
  const complete = rates.length === keys.length;
  const divided = keys.length > 0 ? divide(pool, rates, faults) : [pool];
  yield;
  const named = rates.map(({ key, optionId, rate }) => ({
    key,
    optionId,
    name: catalog.options.get(optionId)?.name ?? null,
    rate,
    share: total > 0 ? rate / total : 0,
  }));
  const tiers = keys.length > 0 ? named : [{ key: null, optionId: null, name: null, rate: 1, share: 1 }];
  const ranked = rank(tiers, options.pityTier);
  const all: Tier[] = [];
  for (const [place, tier] of tiers.entries()) {
    const isPlain = options.plainTop === true && place === ranked[0];
    const weightOf = ({ id, weight }: CompiledItem): number =>
      featured.has(id) && !isPlain ? weight * rateUp : weight;
    const items = divided[place] ?? [];
    const weights = items.map(weightOf);
    yield;
    all.push({ ...tier, ...weighted(items, weights, featured) });
    yield;
  }

  for (const tier of all) {
    const fault = tier.rate > 0 ? faultOfItems(tier) : undefined;
    if (fault === undefined) continue;
    if (tier.key !== null) faults.add(['baseRates', tier.key], fault);
    else
      faults.add(config.pool === undefined ? [] : ['pool'], `${config.pool === undefined ? 'the pool ' : ''}${fault}`);
  }
  if (complete) yield* checkFeatured(config, all, context);
  return { all, ranked, ranks: all.map((_, place) => ranked.indexOf(place)), top: ranked[0] ?? 0, featured, complete };
}

/**
 * The place of a tier that a member refers to; -1 after reporting an unknown tier, or a tier that cannot give an item.
 */
export const tierNamed = (
  name: string,
  path: readonly (string | number)[],
  { all }: Tiers,
  { bindings, faults }: CompileContext,
): number => {
  const optionId = boundTo(bindings, name);
  const place = optionId === undefined ? -1 : all.findIndex((tier) => tier.optionId === optionId);
  const tier = all[place];
  if (optionId === undefined) faults.add(path, 'does not match any classifier option');
  else if (tier === undefined) faults.add(path, 'is not a tier of baseRates');
  // A tier with a rate was already reported under its own name.
  else if (tier.rate === 0) {
    const fault = faultOfItems(tier);
    if (fault !== undefined) faults.add(path, fault);
  }
  return place;
};

/** The number of the first pack or offer that is due: Infinity if none is, also if the only tier always comes up. */
export const packThreshold = ({ pityThreshold = 0 }: CommonConfig, { all, top }: Tiers): number =>
  pityThreshold > 0 && all[top]?.share !== 1 ? pityThreshold : Number.POSITIVE_INFINITY;
