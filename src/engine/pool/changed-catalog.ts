import { sortedBy } from '../byte-order.ts';
import { ELEMENTS_PER_STEP, each, type Steps } from '../steps.ts';
import type { Catalog, CatalogOption, CompiledItem } from './catalog.ts';

/** The part of an item that decides what can be rolled. */
export interface ChangedItem {
  readonly id: string;
  readonly name: string;
  readonly rollNumerator: number;
  readonly optionIds: readonly string[];
}

export interface CatalogChange {
  /** All options after the change; if left out, they are as before. */
  readonly options?: ReadonlyMap<string, CatalogOption>;
  /** An item that was created or changed. */
  readonly item?: ChangedItem;
  readonly deletedId?: string;
}

/** The weight of an item; options are multiplied in byte order of their ids. */
export const weightOf = (rollNumerator: number, optionIds: readonly string[], options: Catalog['options']): number =>
  sortedBy(optionIds, (id) => id).reduce(
    (weight, id) => weight * (options.get(id)?.dropRateMultiplier ?? 1),
    rollNumerator,
  );

const itemAt = (place: number, { id, name, rollNumerator, optionIds }: ChangedItem, options: Catalog['options']) => {
  return {
    id,
    place,
    name,
    weight: weightOf(rollNumerator, optionIds, options),
    width: 1,
    height: 1,
    optionIds: sortedBy(optionIds, (id) => id),
    attributeCount: 0,
    attributes: [],
    rollValues: () => [],
  };
};

/**
 * A catalog as it would be after a change: only good for finding out whether templates can still be rolled. A new item
 * comes last, whatever its id, a deleted one stays in the list with a weight of 0, and changed ones have no attributes.
 */
export function* changedCatalog(
  base: Catalog,
  { options = base.options, item, deletedId }: CatalogChange,
  rollNumeratorOf: (item: CompiledItem) => number,
): Steps<Catalog> {
  if (options === base.options && item === undefined && deletedId === undefined) return base;
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
        replace(
          itemAt(
            known.place,
            { id: known.id, name: known.name, rollNumerator: rollNumeratorOf(known), optionIds },
            options,
          ),
        );
      }
      if (known.place % ELEMENTS_PER_STEP === ELEMENTS_PER_STEP - 1) yield;
    }
  if (item !== undefined) replace(itemAt(base.itemsById.get(item.id)?.place ?? items.length, item, options));
  const deleted = deletedId === undefined ? undefined : itemsById.get(deletedId);
  if (deleted !== undefined) {
    const { id, name, place } = deleted;
    items[place] = itemAt(place, { id, name, rollNumerator: 0, optionIds: [] }, options);
    itemsById.delete(id);
  }
  return { options, items, itemsById, currencies: base.currencies };
}
