import type { Draws } from '../random.ts';
import type { Catalog, CompiledItem } from './catalog.ts';
import { compilePicker, isUsableTotal, type Picker } from './weighted.ts';

export interface PoolFilter {
  /** For each classifier named, an item must have one of the options listed. */
  readonly classifierOptionIds?: readonly string[];
  readonly itemIds?: readonly string[];
}

/**
 * By the place of the item, 1 for those that have something: a roll of a large pool then need not fetch the item to know.
 * Null where none has it.
 */
export type Marks = Uint8Array | null;

export const mark = (items: readonly CompiledItem[], has: (item: CompiledItem) => boolean): Marks =>
  items.some(has) ? Uint8Array.from(items, (item) => Number(has(item))) : null;

export const markAttributes = (items: readonly CompiledItem[]): Marks =>
  mark(items, ({ attributeCount }) => attributeCount > 0);

export interface Pool {
  /** In byte order of their ids, with those of weight 0. */
  readonly items: readonly CompiledItem[];
  readonly picker: Picker;
  readonly hasAttributes: Marks;
}

export interface RolledValue {
  readonly itemAttributeId: string;
  readonly attributeId: string;
  readonly value: number;
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

const poolOf = (items: readonly CompiledItem[]): Pool => ({
  items,
  picker: compilePicker(items.map(({ weight }) => weight)),
  hasAttributes: markAttributes(items),
});

export const compilePool = (catalog: Catalog, filter?: PoolFilter): Pool => poolOf(filterItems(catalog, filter));

/** Whether anything can come up: some weight is above 0, and their sum is within bounds. */
export const isRollable = ({ picker }: Pool): boolean => isUsableTotal(picker.total);

/** The values of items without attributes: one list for all of them, since most rolls of most games give such. */
export const NO_VALUES: readonly RolledValue[] = Object.freeze([]);

/** One draw for each attribute of the item. */
export const rollAttributes = (
  { attributes }: Pick<CompiledItem, 'attributes'>,
  draws: Draws,
): readonly RolledValue[] => {
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
export const rollItem = ({ items, picker, hasAttributes }: Pool, draws: Draws): RolledItem | undefined => {
  if (!isUsableTotal(picker.total)) return undefined;
  draws();
  draws();
  const place = picker.pick(draws());
  const item = items[place];
  // Asking whether the item is truthy would fetch it from memory; asking whether it is undefined does not.
  if (item === undefined) return undefined;
  return {
    item,
    values: hasAttributes !== null && hasAttributes[place] === 1 ? rollAttributes(item, draws) : NO_VALUES,
  };
};

/**
 * So many plain rolls, as if made one by one. Where no item has attributes all draws come first: the items are then
 * looked up together, and a large pool in slow memory is not waited for once a roll.
 */
export const rollItems = (pool: Pool, count: number, draws: Draws): RolledItem[] | undefined => {
  const { items, picker, hasAttributes } = pool;
  if (!isUsableTotal(picker.total)) return undefined;
  const rolled: RolledItem[] = [];
  if (hasAttributes !== null) {
    for (let roll = 0; roll < count; roll += 1) rolled.push(rollItem(pool, draws) as RolledItem);
    return rolled;
  }
  const places = new Float64Array(count);
  for (let roll = 0; roll < count; roll += 1) {
    draws();
    draws();
    places[roll] = draws();
  }
  for (let roll = 0; roll < count; roll += 1) places[roll] = picker.pick(places[roll] as number);
  for (let roll = 0; roll < count; roll += 1)
    rolled.push({ item: items[places[roll] as number] as CompiledItem, values: NO_VALUES });
  return rolled;
};

/** The odds of every item in the plain roll; all 0 when nothing can be rolled. */
export const poolOdds = ({ items, picker }: Pool): ItemOdds[] => {
  const usable = isUsableTotal(picker.total);
  return items.map((item) => ({ item, weight: item.weight, odds: usable ? item.weight / picker.total : 0 }));
};
