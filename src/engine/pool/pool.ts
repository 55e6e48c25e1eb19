import { type Footprint, largerOf } from '../grid/grid.ts';
import type { Draws } from '../random.ts';
import { allAtOnce, ELEMENTS_PER_STEP, type Steps } from '../steps.ts';
import type { Catalog, CompiledItem, RolledValue } from './catalog.ts';
import { buildPicker, isUsableTotal, type Picker } from './weighted.ts';

export interface PoolFilter {
  /** An item must have one of the listed options of each classifier they belong to. */
  readonly classifierOptionIds?: readonly string[];
  readonly itemIds?: readonly string[];
}

export interface Pool {
  /** In byte order of their ids, including those of weight 0. */
  readonly items: readonly CompiledItem[];
  readonly picker: Picker;
  readonly hasAttributes: boolean;
  /** The largest footprint among the items that can be rolled; null if these are all currencies, which have none. */
  readonly largest: Footprint | null;
  /** The currencies among them. */
  readonly currencyIds: readonly string[];
}

export interface RolledItem {
  readonly item: CompiledItem;
  /** In byte order of the item attribute ids. */
  readonly values: readonly RolledValue[];
}

export interface ItemOdds {
  readonly item: CompiledItem;
  readonly weight: number;
  readonly odds: number;
}

/** The listed options, grouped by classifier. An unknown option gets a group of its own: no item can have it. */
const gatherByClassifier = (catalog: Catalog, optionIds: readonly string[]): ReadonlySet<string>[] => {
  const gathered = new Map<string | undefined, Set<string>>();
  for (const optionId of optionIds) {
    const classifierId = catalog.options.get(optionId)?.classifierId;
    gathered.set(classifierId, (gathered.get(classifierId) ?? new Set()).add(optionId));
  }
  return [...gathered.values()];
};

function* filteredItems(catalog: Catalog, filter: PoolFilter): Steps<readonly CompiledItem[]> {
  const wanted = gatherByClassifier(catalog, filter.classifierOptionIds ?? []);
  const itemIds = filter.itemIds && new Set(filter.itemIds);
  if (wanted.length === 0 && itemIds === undefined) return catalog.items;
  const passes = (item: CompiledItem): boolean =>
    (itemIds === undefined || itemIds.has(item.id)) &&
    wanted.every((optionIds) => item.optionIds.some((optionId) => optionIds.has(optionId)));
  const items: CompiledItem[] = [];
  for (const item of catalog.items) {
    if (passes(item)) items.push(item);
    if (item.place % ELEMENTS_PER_STEP === ELEMENTS_PER_STEP - 1) yield;
  }
  return items;
}

/** The items of the catalog that match a filter, in byte order of their ids. */
export const filterItems = (catalog: Catalog, filter: PoolFilter = {}): readonly CompiledItem[] =>
  allAtOnce(filteredItems(catalog, filter));

export const haveAttributes = (items: readonly CompiledItem[]): boolean =>
  items.some(({ attributeCount }) => attributeCount > 0);

/** Compiles a pool in steps, because a large one takes long. */
export function* buildPool(catalog: Catalog, filter: PoolFilter = {}): Steps<Pool> {
  const items = yield* filteredItems(catalog, filter);
  const weights = new Float64Array(items.length);
  const { currencies } = catalog;
  const currencyIds: string[] = [];
  let largest: Footprint = { width: 1, height: 1 };
  let hasOthers = false;
  let hasAttributes = false;
  for (const [index, item] of items.entries()) {
    weights[index] = item.weight;
    hasAttributes ||= item.attributeCount > 0;
    if (item.weight > 0) {
      if (currencies.size > 0 && currencies.has(item.id)) currencyIds.push(item.id);
      else {
        largest = largerOf(largest, item);
        hasOthers = true;
      }
    }
    if (index % ELEMENTS_PER_STEP === ELEMENTS_PER_STEP - 1) yield;
  }
  const picker = yield* buildPicker(weights);
  const { width, height } = largest;
  const isPlaced = hasOthers || currencyIds.length === 0;
  return { items, picker, hasAttributes, largest: isPlaced ? { width, height } : null, currencyIds };
}

export const compilePool = (catalog: Catalog, filter?: PoolFilter): Pool => allAtOnce(buildPool(catalog, filter));

/** Whether anything can be rolled: some weight is above 0, and their sum is within bounds. */
export const isRollable = ({ picker }: Pool): boolean => isUsableTotal(picker.total);

/** The values of items without attributes, shared by all of them. */
const NO_VALUES: readonly RolledValue[] = Object.freeze([]);

/** The values of a rolled item. If no item of the pool has attributes, the item itself is not accessed. */
export const valuesFrom = (
  { hasAttributes }: { readonly hasAttributes: boolean },
  item: CompiledItem,
  draws: Draws,
): readonly RolledValue[] => (hasAttributes ? item.rollValues(draws) : NO_VALUES);

/** A value per attribute, with one draw each. */
export const rollAttributes = ({ attributes }: Pick<CompiledItem, 'attributes'>, draws: Draws): RolledValue[] => {
  const values: RolledValue[] = [];
  for (const { itemAttributeId, attributeId, range } of attributes) {
    values.push({ itemAttributeId, attributeId, value: range.valueAt(draws()) });
  }
  return values;
};

/**
 * The plain roll. Like every roll it makes the draws of tier, featured and item, though only the last is used; then
 * those of the attributes. Undefined if nothing can be rolled: no weight above 0, or a total out of bounds.
 */
export const rollItem = (pool: Pool, draws: Draws): RolledItem | undefined => {
  const { items, picker } = pool;
  if (!isUsableTotal(picker.total)) return undefined;
  draws();
  draws();
  const item = items[picker.pick(draws())];
  // A truthiness test would load the item from memory; the comparison with undefined does not.
  return item === undefined ? undefined : { item, values: valuesFrom(pool, item, draws) };
};

/** The odds of every item in the plain roll; all 0 if nothing can be rolled. */
export function* poolOdds({ items, picker }: Pool): Generator<ItemOdds> {
  const usable = isUsableTotal(picker.total);
  for (const item of items) yield { item, weight: item.weight, odds: usable ? item.weight / picker.total : 0 };
}
