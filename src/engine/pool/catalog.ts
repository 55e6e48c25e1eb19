import { compareBytes, sortedBy } from '../byte-order.ts';
import type { Spending } from '../economy/balance.ts';
import type { Draws } from '../random.ts';
import { compileRange } from './attributes.ts';
import { buildNumberColumn } from './number-column.ts';
import { buildTextColumn, type TextColumn } from './text-column.ts';

export interface CatalogOption {
  readonly id: string;
  readonly classifierId: string;
  readonly name: string;
  readonly dropRateMultiplier: number | null;
}

export interface CatalogItemAttribute {
  readonly id: string;
  readonly attributeId: string;
  readonly min: number;
  readonly max: number;
  readonly step: number | null;
}

export interface CatalogItem {
  readonly id: string;
  readonly name: string;
  readonly rollNumerator: number;
  readonly width: number;
  readonly height: number;
  readonly optionIds: readonly string[];
  readonly attributes: readonly CatalogItemAttribute[];
  /** Which units of a currency are spent first; null or missing for items that are none. */
  readonly spending?: Spending | null;
}

/** A compiled range. Item attributes with the same range share one. */
export interface CompiledRange {
  readonly min: number;
  readonly max: number;
  readonly step: number | null;
  /** The value that a draw chooses. */
  readonly valueAt: (u: number) => number;
}

export interface CompiledAttribute {
  readonly itemAttributeId: string;
  readonly attributeId: string;
  readonly range: CompiledRange;
}

export interface RolledValue {
  readonly itemAttributeId: string;
  readonly attributeId: string;
  readonly value: number;
}

export interface CompiledItem {
  readonly id: string;
  /** Its index among the items of its catalog. */
  readonly place: number;
  readonly name: string;
  readonly weight: number;
  readonly width: number;
  readonly height: number;
  /** In byte order. */
  readonly optionIds: readonly string[];
  readonly attributeCount: number;
  /** In byte order of their ids, which is the order of their draws. Built on each access. */
  readonly attributes: readonly CompiledAttribute[];
  /** A value per attribute, with one draw each, without building the list above. */
  rollValues(draws: Draws): readonly RolledValue[];
}

/** Everything a team can roll, compiled once per version of its catalog. */
export interface Catalog {
  readonly options: ReadonlyMap<string, CatalogOption>;
  readonly itemsById: ReadonlyMap<string, CompiledItem>;
  /** In byte order of their ids. */
  readonly items: readonly CompiledItem[];
  /** The items that are currencies, by id: few. */
  readonly currencies: ReadonlyMap<string, Spending>;
}

/** What item attributes of different items have in common. */
interface AttributeKind {
  readonly attributeId: string;
  readonly range: CompiledRange;
}

/**
 * Data of items that is not needed to choose one: a column per member instead of an object per item, which takes a
 * fraction of the memory for a hundred thousand items.
 */
interface Columns {
  names: TextColumn;
  widths: Uint32Array;
  heights: Uint32Array;
  /** Index of each item's first attribute in the columns below, followed by the total number of attributes. */
  firstAttributes: Uint32Array;
  attributeIds: TextColumn;
  attributeKinds: Uint32Array;
  readonly kinds: readonly AttributeKind[];
}

/** An item that reads its rarely used members from columns. */
class ColumnItem implements CompiledItem {
  readonly id: string;
  readonly place: number;
  readonly weight: number;
  readonly optionIds: readonly string[];
  private readonly columns: Readonly<Columns>;

  constructor(columns: Columns, place: number, id: string, weight: number, optionIds: readonly string[]) {
    this.id = id;
    this.place = place;
    this.weight = weight;
    this.optionIds = optionIds;
    this.columns = columns;
  }

  get name(): string {
    return this.columns.names.at(this.place);
  }

  get width(): number {
    return this.columns.widths[this.place] as number;
  }

  get height(): number {
    return this.columns.heights[this.place] as number;
  }

  get attributeCount(): number {
    const { firstAttributes } = this.columns;
    return (firstAttributes[this.place + 1] as number) - (firstAttributes[this.place] as number);
  }

  get attributes(): CompiledAttribute[] {
    const { firstAttributes, attributeIds, attributeKinds, kinds } = this.columns;
    const end = firstAttributes[this.place + 1] as number;
    const attributes: CompiledAttribute[] = [];
    for (let index = firstAttributes[this.place] as number; index < end; index += 1) {
      const { attributeId, range } = kinds[attributeKinds[index] as number] as AttributeKind;
      attributes.push({ itemAttributeId: attributeIds.at(index), attributeId, range });
    }
    return attributes;
  }

  rollValues(draws: Draws): RolledValue[] {
    const { firstAttributes, attributeIds, attributeKinds, kinds } = this.columns;
    const end = firstAttributes[this.place + 1] as number;
    const values: RolledValue[] = [];
    for (let index = firstAttributes[this.place] as number; index < end; index += 1) {
      const { attributeId, range } = kinds[attributeKinds[index] as number] as AttributeKind;
      values.push({ itemAttributeId: attributeIds.at(index), attributeId, value: range.valueAt(draws()) });
    }
    return values;
  }
}

export interface CatalogBuilder {
  /** Items must be added in byte order of their ids. Returns the item's attributes in the order of their draws. */
  add(item: CatalogItem): readonly CatalogItemAttribute[];
  finish(): Catalog;
}

/** Options in byte order of their ids, shared by all items with the same options. */
interface OptionList {
  readonly ids: readonly string[];
  readonly multipliers: readonly number[];
}

const createOptionLists = (options: ReadonlyMap<string, CatalogOption>) => {
  const lists = new Map<string, OptionList>();
  return ({ id, optionIds }: CatalogItem): OptionList => {
    const key = optionIds.join('\0');
    const known = lists.get(key);
    if (known !== undefined) return known;
    const sorted = [...optionIds].sort(compareBytes).map((optionId) => {
      const option = options.get(optionId);
      if (option === undefined) throw new Error(`Item ${id} has the option ${optionId}, which is not in the catalog.`);
      return option;
    });
    const list = {
      ids: sorted.map((option) => option.id),
      multipliers: sorted.map(({ dropRateMultiplier }) => dropRateMultiplier ?? 1),
    };
    lists.set(key, list);
    return list;
  };
};

/** The map at a key of a map of maps. */
const within = <K, L, V>(maps: Map<K, Map<L, V>>, key: K): Map<L, V> => {
  let found = maps.get(key);
  if (found === undefined) {
    found = new Map();
    maps.set(key, found);
  }
  return found;
};

/** Numbers the kinds of attributes; item attributes with the same attribute and range have the same number. */
const createKinds = () => {
  const kinds: AttributeKind[] = [];
  /** By attribute, step, minimum and maximum: making a text of all four would take several times as long. */
  const numbers = new Map<string, Map<number | null, Map<number, Map<number, number>>>>();
  const numberOf = ({ attributeId, min, max, step }: CatalogItemAttribute): number => {
    const byMaximum = within(within(within(numbers, attributeId), step), min);
    let number = byMaximum.get(max);
    if (number === undefined) {
      number = kinds.length;
      kinds.push({ attributeId, range: { min, max, step, valueAt: compileRange({ min, max, step }) } });
      byMaximum.set(max, number);
    }
    return number;
  };
  return { kinds, numberOf };
};

/** Compiles a catalog item by item, so that the reader need not hold all of it in memory. */
export const buildCatalog = (options: Iterable<CatalogOption>): CatalogBuilder => {
  const optionsById = new Map(sortedBy(options, ({ id }) => id).map((option) => [option.id, option]));
  const optionsOf = createOptionLists(optionsById);
  const { kinds, numberOf } = createKinds();
  const names = buildTextColumn();
  const attributeIds = buildTextColumn();
  const attributeKinds = buildNumberColumn(Uint32Array);
  const widths = buildNumberColumn(Uint32Array);
  const heights = buildNumberColumn(Uint32Array);
  const firstAttributes = buildNumberColumn(Uint32Array);
  firstAttributes.add(0);
  // Items are created as they are added rather than all at the end, which would block the event loop; so their columns
  // are filled in at the end.
  const noTexts = buildTextColumn().finish();
  const noNumbers = new Uint32Array(0);
  const columns: Columns = {
    names: noTexts,
    widths: noNumbers,
    heights: noNumbers,
    firstAttributes: noNumbers,
    attributeIds: noTexts,
    attributeKinds: noNumbers,
    kinds,
  };
  const items: CompiledItem[] = [];
  const itemsById = new Map<string, CompiledItem>();
  const currencies = new Map<string, Spending>();

  const add: CatalogBuilder['add'] = (item) => {
    const before = items.at(-1)?.id;
    if (before !== undefined && compareBytes(before, item.id) >= 0)
      throw new Error(`Item ${item.id} comes after ${before}, out of order.`);
    names.add(item.name);
    widths.add(item.width);
    heights.add(item.height);

    const { ids: optionIds, multipliers } = optionsOf(item);
    let weight = item.rollNumerator;
    for (const multiplier of multipliers) weight *= multiplier;
    const compiled = new ColumnItem(columns, items.length, item.id, weight, optionIds);
    items.push(compiled);
    itemsById.set(item.id, compiled);
    if (item.spending) currencies.set(item.id, item.spending);

    const attributes = sortedBy(item.attributes, ({ id }) => id);
    for (const attribute of attributes) {
      attributeIds.add(attribute.id);
      attributeKinds.add(numberOf(attribute));
    }
    firstAttributes.add(attributeKinds.length);
    return attributes;
  };

  const finish = (): Catalog => {
    columns.names = names.finish();
    columns.widths = widths.finish();
    columns.heights = heights.finish();
    columns.firstAttributes = firstAttributes.finish();
    columns.attributeIds = attributeIds.finish();
    columns.attributeKinds = attributeKinds.finish();
    return { options: optionsById, items, itemsById, currencies };
  };

  return { add, finish };
};

export const compileCatalog = (options: Iterable<CatalogOption>, items: Iterable<CatalogItem>): Catalog => {
  const catalog = buildCatalog(options);
  for (const item of sortedBy(items, ({ id }) => id)) catalog.add(item);
  return catalog.finish();
};
