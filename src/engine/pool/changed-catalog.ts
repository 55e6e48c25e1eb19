import { compareBytes } from '../byte-order.ts';
import { ELEMENTS_PER_STEP, each, type Steps } from '../steps.ts';
import type { Catalog, CatalogOption, CompiledItem } from './catalog.ts';

/** The part of an item that decides what can be rolled. */
export interface ChangedItem {
  readonly id: string;
  readonly rollNumerator: number;
  readonly optionIds: readonly string[];
}

export interface CatalogChange {
  /** All options after the change; if left out, they are as before. */
  readonly options?: ReadonlyMap<string, CatalogOption>;
  /** An item that was created or changed. One that is deleted has a numerator of 0 and no options. */
  readonly item?: ChangedItem;
}

const weightOf = (rollNumerator: number, optionIds: readonly string[], options: Catalog['options']): number =>
  optionIds.reduce((weight, id) => weight * (options.get(id)?.dropRateMultiplier ?? 1), rollNumerator);

const itemAt = (place: number, { id, rollNumerator, optionIds }: ChangedItem, options: Catalog['options']) => {
  const sorted = [...optionIds].sort(compareBytes);
  return {
    id,
    place,
    name: '',
    weight: weightOf(rollNumerator, sorted, options),
    width: 1,
    height: 1,
    optionIds: sorted,
    attributeCount: 0,
    attributes: [],
    rollValues: () => [],
  };
};

/**
 * A catalog as it would be after a change: only good for finding out whether templates can still be rolled. A new item
 * comes last, whatever its id, and changed ones have no attributes.
 */
export function* changedCatalog(
  base: Catalog,
  { options = base.options, item }: CatalogChange,
  rollNumeratorOf: (item: CompiledItem) => number,
): Steps<Catalog> {
  const differs = (id: string): boolean =>
    options.get(id)?.dropRateMultiplier !== base.options.get(id)?.dropRateMultiplier || !options.has(id);
  const changedIds = new Set(options === base.options ? [] : [...base.options.keys()].filter(differs));
  const items = [...base.items];
  yield;
  const itemsById = new Map<string, CompiledItem>();
  yield* each(items, (known) => itemsById.set(known.id, known));
  const replace = (changed: CompiledItem): void => {
    items[changed.place] = changed;
    itemsById.set(changed.id, changed);
  };
  if (changedIds.size > 0)
    for (const known of base.items) {
      if (known.optionIds.some((id) => changedIds.has(id))) {
        const optionIds = known.optionIds.filter((id) => options.has(id));
        replace(itemAt(known.place, { id: known.id, rollNumerator: rollNumeratorOf(known), optionIds }, options));
      }
      if (known.place % ELEMENTS_PER_STEP === ELEMENTS_PER_STEP - 1) yield;
    }
  if (item !== undefined) replace(itemAt(base.itemsById.get(item.id)?.place ?? items.length, item, options));
  return { options, items, itemsById };
}
