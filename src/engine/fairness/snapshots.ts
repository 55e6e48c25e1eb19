import { sortedBy } from '../byte-order.ts';
import {
  type Catalog,
  type CatalogItem,
  type CatalogOption,
  type CompiledItem,
  compileCatalog,
} from '../pool/catalog.ts';
import type { Steps } from '../steps.ts';
import { type Bindings, referencedIds } from '../systems/binding.ts';
import type { TemplateConfig, TemplateType } from '../systems/config.ts';
import { type CompiledTemplate, compileTemplate } from '../systems/templates.ts';
import { canonicalText } from './canonical.ts';

/** Rises with any change of a rule that could change a result. */
export const ENGINE_VERSION = 1;

/** A catalog, and what compiling it does not keep. */
export interface SnapshotCatalog {
  readonly catalog: Catalog;
  rollNumeratorOf(item: CompiledItem): number;
  /** The text of an item if it is known, for pools that share items. */
  readonly textOf?: (item: CompiledItem) => string;
}

/** Everything about a pool that decides what is rolled from it. */
export interface PoolSnapshot {
  readonly v: 1;
  readonly options: readonly CatalogOption[];
  readonly items: readonly Omit<CatalogItem, 'width' | 'height'>[];
}

type SnapshotItem = PoolSnapshot['items'][number];

const itemOf = (item: CompiledItem, rollNumerator: number): SnapshotItem => ({
  id: item.id,
  name: item.name,
  rollNumerator,
  optionIds: item.optionIds,
  attributes: item.attributes.map(({ itemAttributeId, attributeId, range: { min, max, step } }) => ({
    id: itemAttributeId,
    attributeId,
    min,
    max,
    step,
  })),
});

const optionOf = ({ id, classifierId, name, dropRateMultiplier }: CatalogOption): CatalogOption => ({
  id,
  classifierId,
  name,
  dropRateMultiplier,
});

/** The text of an item as a part of a pool. */
export const itemText = (item: CompiledItem, rollNumerator: number): string =>
  canonicalText(itemOf(item, rollNumerator));

/** Characters between two steps: items with many attributes are long. */
const PART_LENGTH = 64 * 1024;

/** The text of a pool, in parts, since it may be long; null if it is longer than allowed. */
export type PoolText = readonly string[] | null;

/** Items must be in byte order of their ids. The options are those that they have, and those listed. */
function* poolText(
  { catalog, rollNumeratorOf, textOf = (item) => itemText(item, rollNumeratorOf(item)) }: SnapshotCatalog,
  items: readonly CompiledItem[],
  optionIds: Iterable<string>,
  mostLength: number,
): Steps<PoolText> {
  const options = new Set(optionIds);
  const parts: string[] = [];
  let part = '{"items":[';
  let length = 0;
  for (const [index, item] of items.entries()) {
    for (const optionId of item.optionIds) options.add(optionId);
    part += `${index === 0 ? '' : ','}${textOf(item)}`;
    if (part.length < PART_LENGTH) continue;
    length += part.length;
    if (length > mostLength) return null;
    parts.push(part);
    part = '';
    yield;
  }
  const found = [...options].flatMap((id) => catalog.options.get(id) ?? []);
  const optionTexts = sortedBy(found, ({ id }) => id).map((option) => canonicalText(optionOf(option)));
  const end = `${part}],"options":[${optionTexts.join(',')}],"v":1}`;
  return length + end.length > mostLength ? null : [...parts, end];
}

/** The pool of plain rolls: all items and all options. */
export const plainPoolText = (
  source: SnapshotCatalog,
  mostLength: number = Number.POSITIVE_INFINITY,
): Steps<PoolText> => poolText(source, source.catalog.items, source.catalog.options.keys(), mostLength);

/** The pool of a template: what is in its tiers, and what its configuration names. */
export function* templatePoolText(
  source: SnapshotCatalog,
  { tiers }: Pick<CompiledTemplate, 'tiers'>,
  { config, bindings }: { readonly config: TemplateConfig; readonly bindings: Bindings },
  mostLength: number = Number.POSITIVE_INFINITY,
): Steps<PoolText> {
  const { catalog } = source;
  const { optionIds, itemIds } = referencedIds(config, bindings);
  const isIncluded = new Uint8Array(catalog.items.length);
  for (const { items } of tiers.all) for (const { place } of items) isIncluded[place] = 1;
  for (const id of itemIds) {
    const item = catalog.itemsById.get(id);
    if (item !== undefined) isIncluded[item.place] = 1;
  }
  yield;
  const items = catalog.items.filter(({ place }) => isIncluded[place] === 1);
  return yield* poolText(source, items, optionIds, mostLength);
}

export interface ConfigSnapshot {
  /** Empty if the template is not saved, and for plain rolls. */
  readonly templateId: string;
  readonly type: TemplateType | 'plain';
  readonly config: TemplateConfig;
  readonly bindings: Bindings;
  /** The hash of the pool's text. */
  readonly pool: string;
}

/** The text of a configuration; its hash stands for everything that decides a roll. */
export const configText = ({ templateId, type, config, bindings, pool }: ConfigSnapshot): string =>
  canonicalText({ v: 1, engine: ENGINE_VERSION, templateId, type, config, bindings, pool });

/** The catalog of a pool. Sizes of items are not part of it: they decide nothing about a roll. */
export const catalogOfPool = ({ options, items }: PoolSnapshot): Catalog =>
  compileCatalog(
    options,
    items.map((item) => ({ ...item, width: 1, height: 1 })),
  );

/** All items in the text of a pool. */
export const itemsFromSnapshot = (pool: string): readonly CompiledItem[] =>
  catalogOfPool(JSON.parse(pool) as PoolSnapshot).items;

/** Compiles a template from nothing but its snapshot: it rolls as the one that the snapshot was made of. */
export const templateFromSnapshot = (
  { templateId, type, config, bindings }: ConfigSnapshot,
  pool: string,
): CompiledTemplate => {
  if (type === 'plain') throw new Error('Plain rolls have no template.');
  const catalog = catalogOfPool(JSON.parse(pool) as PoolSnapshot);
  const { template, faults } = compileTemplate({ id: templateId, type, config, bindings }, catalog);
  if (template === null) throw new Error(`A snapshot does not compile: ${JSON.stringify(faults[0])}`);
  return template;
};
