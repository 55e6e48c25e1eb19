import { type Footprint, largestFootprint } from '../grid/grid.ts';
import type { Draws } from '../random.ts';
import type { Catalog, CompiledItem, RolledValue } from './catalog.ts';
import { compilePicker, isUsableTotal, type Picker } from './weighted.ts';

export interface PoolFilter {
  /** For each classifier named, an item must have one of the options listed. */
  readonly classifierOptionIds?: readonly string[];
  readonly itemIds?: readonly string[];
}

export interface Pool {
  /** In byte order of their ids, with those of weight 0. */
  readonly items: readonly CompiledItem[];
  readonly picker: Picker;
  readonly hasAttributes: boolean;
  /** The largest footprint among those that can come up. */
  readonly largest: Footprint;
}

export interface RolledItem {
  readonly item: CompiledItem;
  /** In byte order of the item attributes' ids. */
  readonly values: readonly RolledValue[];
}

export interface ItemOdds {
  readonly item: CompiledItem;
  readonly weight: number;
  readonly odds: number;
}

/** The listed options, gathered by classifier. An option that does not exist stands alone: no item can have it. */
const gatherByClassifier = (catalog: Catalog, optionIds: readonly string[]): ReadonlySet<string>[] => {
  const gathered = new Map<string | undefined, Set<string>>();
  for (const optionId of optionIds) {
    const classifierId = catalog.options.get(optionId)?.classifierId;
    gathered.set(classifierId, (gathered.get(classifierId) ?? new Set()).add(optionId));
  }
  return [...gathered.values()];
};

/** The items of the catalog that a filter lets through, in byte order of their ids. */
export const filterItems = (catalog: Catalog, filter: PoolFilter = {}): readonly CompiledItem[] => {
  const wanted = gatherByClassifier(catalog, filter.classifierOptionIds ?? []);
  const itemIds = filter.itemIds && new Set(filter.itemIds);
  if (wanted.length === 0 && itemIds === undefined) return catalog.items;
  return catalog.items.filter(
    (item) =>
      (itemIds === undefined || itemIds.has(item.id)) &&
      wanted.every((optionIds) => item.optionIds.some((optionId) => optionIds.has(optionId))),
  );
};

export const haveAttributes = (items: readonly CompiledItem[]): boolean =>
  items.some(({ attributeCount }) => attributeCount > 0);

const poolOf = (items: readonly CompiledItem[]): Pool => ({
  items,
  picker: compilePicker(items.map(({ weight }) => weight)),
  hasAttributes: haveAttributes(items),
  largest: largestFootprint(items.filter(({ weight }) => weight > 0)),
});

export const compilePool = (catalog: Catalog, filter?: PoolFilter): Pool => poolOf(filterItems(catalog, filter));

/** Whether anything can come up: some weight is above 0, and their sum is within bounds. */
export const isRollable = ({ picker }: Pool): boolean => isUsableTotal(picker.total);

/** The values of items without attributes: one list for all of them. */
const NO_VALUES: readonly RolledValue[] = Object.freeze([]);

/** The values of an item that came up. Where none of its pool has attributes, nobody need look at the item to know. */
export const valuesFrom = (
  { hasAttributes }: { readonly hasAttributes: boolean },
  item: CompiledItem,
  draws: Draws,
): readonly RolledValue[] => (hasAttributes ? item.rollValues(draws) : NO_VALUES);

/** A value for each of some attributes, with one draw each. */
export const rollAttributes = ({ attributes }: Pick<CompiledItem, 'attributes'>, draws: Draws): RolledValue[] => {
  const values: RolledValue[] = [];
  for (const { itemAttributeId, attributeId, range } of attributes) {
    values.push({ itemAttributeId, attributeId, value: range.valueAt(draws()) });
  }
  return values;
};

/**
 * The plain roll. Like every rolled item it takes the draws of tier, featured and item, though only the last is used;
 * then those of the attributes. Undefined when nothing can be rolled: no weight above 0, or a total out of bounds.
 */
export const rollItem = (pool: Pool, draws: Draws): RolledItem | undefined => {
  const { items, picker } = pool;
  if (!isUsableTotal(picker.total)) return undefined;
  draws();
  draws();
  const item = items[picker.pick(draws())];
  // Asking whether the item is truthy would fetch it from memory; asking whether it is undefined does not.
  return item === undefined ? undefined : { item, values: valuesFrom(pool, item, draws) };
};

/** The odds of every item in the plain roll; all 0 when nothing can be rolled. */
export const poolOdds = ({ items, picker }: Pool): ItemOdds[] => {
  const usable = isUsableTotal(picker.total);
  return items.map((item) => ({ item, weight: item.weight, odds: usable ? item.weight / picker.total : 0 }));
};
