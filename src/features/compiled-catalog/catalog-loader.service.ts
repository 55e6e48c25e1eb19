import { inChunks } from '../../database/chunks.ts';
import type { Finder, Reader } from '../../database/work.ts';
import { compareBytes, sortedBy } from '../../engine/byte-order.ts';
import {
  buildCatalog,
  type Catalog,
  type CatalogItem,
  type CatalogItemAttribute,
  type CompiledAttribute,
  type CompiledItem,
} from '../../engine/pool/catalog.ts';
import { ServiceError } from '../../shared/errors.ts';
import { takeTurns } from '../../shared/turns.ts';
import * as store from './compiled-catalog.store.ts';
import { collectShownItems, type ShownCatalog, type ShownItem } from './shown-catalog.presenter.ts';

/** The part of a space that placing needs. */
export interface CatalogSpace {
  readonly id: string;
  readonly name: string;
  readonly cols: number;
  readonly rows: number;
}

/** A team's catalog at one version: compiled for rolling, plus what responses show of it. */
export interface LoadedCatalog {
  readonly version: number;
  readonly versionId: string;
  readonly catalog: Catalog;
  readonly spaces: ReadonlyMap<string, CatalogSpace>;
  readonly shown: ShownCatalog;
}

/**
 * Items are read in pages so that a large catalog is never held in memory as rows. The first page is small, because
 * each item may have two hundred options and attributes; later pages are sized to hold about the same number of rows.
 */
const FIRST_ITEMS = 25;
const MAX_ITEMS = 400;
const ROWS_PER_PAGE = 2000;

interface ItemPage {
  readonly items: Awaited<ReturnType<typeof store.selectItemsAfter>>;
  readonly optionsOf: Map<string, Awaited<ReturnType<typeof store.selectItemOptions>>>;
  readonly attributesOf: Map<string, Awaited<ReturnType<typeof store.selectItemAttributes>>>;
}

/** All items in byte order of their ids, each with its options and attributes. */
export async function* readItems(
  reader: store.Queried,
  teamId: string,
  { isWhole }: { readonly isWhole: boolean },
): AsyncGenerator<ItemPage> {
  let lastId: string | undefined;
  let count = FIRST_ITEMS;
  for (;;) {
    const items = await store.selectItemsAfter(reader, teamId, isWhole, { afterId: lastId, limit: count });
    const firstId = items[0]?.id;
    lastId = items.at(-1)?.id;
    if (firstId === undefined || lastId === undefined) return;
    const range = { firstId, lastId };
    const options = await store.selectItemOptions(reader, teamId, range);
    const attributes = await store.selectItemAttributes(reader, teamId, range);
    yield {
      items,
      optionsOf: Map.groupBy(options, ({ itemId }) => itemId),
      attributesOf: Map.groupBy(attributes, ({ itemId }) => itemId),
    };
    if (items.length < count) return;
    const rowsPerItem = (items.length + options.length + attributes.length) / items.length;
    count = Math.min(MAX_ITEMS, 2 * count, Math.ceil(ROWS_PER_PAGE / rowsPerItem));
    await takeTurns();
  }
}

/** All spaces of a team, by id. */
export const readSpaces = async (reader: Reader): Promise<ReadonlyMap<string, CatalogSpace>> =>
  new Map((await store.selectSpaces(reader, reader.teamId)).map((space) => [space.id, space]));

/** Rows in the order in which the item or classifier lists them. */
export const byPosition = <T extends { readonly position: number }>(rows: readonly T[] = []): T[] =>
  rows.toSorted((a, b) => a.position - b.position);

/** What items refer to. There is little of it, so it is always read as a whole. */
const readVocabulary = async (reader: Reader, teamId: string) => ({
  attributes: new Map((await store.selectAttributes(reader, teamId)).map((row) => [row.id, row])),
  classifiers: new Map((await store.selectClassifiers(reader, teamId)).map((row) => [row.id, row])),
  options: await store.selectOptions(reader, teamId),
  spaces: await readSpaces(reader),
});

type Vocabulary = Awaited<ReturnType<typeof readVocabulary>>;

/** An item with everything that is compiled or shown of it, in the order in which it lists options and attributes. */
interface ListedItem extends Omit<CatalogItem, 'optionIds' | 'attributes'>, ShownItem {
  readonly attributes: readonly Omit<CatalogItemAttribute, 'step'>[];
}

/** Compiles items, which must be added in byte order of their ids. */
const compileItems = (teamId: string, { attributes, classifiers, options, spaces }: Vocabulary) => {
  const catalog = buildCatalog(options);
  const shownItems = collectShownItems(options.map(({ id }) => id));
  return {
    add: (item: ListedItem): void => {
      const { id, name, rollNumerator, width, height, thumbnail, createdAtMs, updatedAtMs, links } = item;
      catalog.add({
        ...{ id, name, rollNumerator, width, height },
        optionIds: links.map(({ optionId }) => optionId),
        attributes: item.attributes.map((attribute) => ({
          ...attribute,
          step: attributes.get(attribute.attributeId)?.step ?? null,
        })),
      });
      const attributeIds = item.attributes.map((attribute) => attribute.id);
      shownItems.add({ thumbnail, rollNumerator, createdAtMs, updatedAtMs, links, attributeIds });
    },
    finish: () => ({
      catalog: catalog.finish(),
      spaces,
      shown: { teamId, attributes, classifiers, items: shownItems.finish() },
    }),
  };
};

type ItemRow = ItemPage['items'][number];
type OptionRow = Awaited<ReturnType<typeof store.selectItemOptions>>[number];
type AttributeRow = Awaited<ReturnType<typeof store.selectItemAttributes>>[number];

const listedItem = (
  item: ItemRow,
  options: readonly OptionRow[] | undefined,
  attributes: readonly AttributeRow[] | undefined,
): ListedItem => ({
  ...item,
  links: byPosition(options),
  attributes: byPosition(attributes).map(({ id, attributeId, min, max }) => ({ id, attributeId, min, max })),
});

/** The version of a catalog that a unit of work sees. */
export const readVersion = async (finder: Finder): Promise<Pick<LoadedCatalog, 'version' | 'versionId'>> => {
  const [found] = await finder.find(store.currentVersion, {});
  if (found === undefined) throw new ServiceError('UNAUTHORIZED');
  return found;
};

/** Reads a catalog and its version. The reader must see a single state of the data throughout. */
export const loadCatalog = async (reader: Reader): Promise<LoadedCatalog> => {
  const { teamId } = reader;
  const found = await readVersion(reader);
  const items = compileItems(teamId, await readVocabulary(reader, teamId));
  for await (const page of readItems(reader, teamId, { isWhole: false }))
    for (const item of page.items) {
      items.add(listedItem(item, page.optionsOf.get(item.id), page.attributesOf.get(item.id)));
      // An item may have a hundred options and a hundred attributes.
      await takeTurns();
    }
  return { ...found, ...items.finish() };
};

/** An item of a compiled catalog, as it was read. */
const recallItem = ({ shown }: Pick<LoadedCatalog, 'shown'>, item: CompiledItem): ListedItem => {
  const { id, place, name, width, height, attributes } = item;
  return {
    ...{ id, name, width, height },
    ...shown.items.at(place),
    attributes: shown.items.attributeOrderAt(place).map((index) => {
      const { itemAttributeId, attributeId, range } = attributes[index] as CompiledAttribute;
      return { id: itemAttributeId, attributeId, min: range.min, max: range.max };
    }),
  };
};

/** The items with these ids that exist, in byte order of their ids. */
const readItemsById = async (reader: Reader, ids: readonly string[]): Promise<ListedItem[]> => {
  const { teamId } = reader;
  const found: ListedItem[] = [];
  await inChunks(ids, async (some) => {
    const items = await store.selectItemsById(reader, teamId, false, some);
    const options = await store.selectOptionsOfItems(reader, teamId, some);
    const attributes = await store.selectAttributesOfItems(reader, teamId, some);
    const optionsOf = Map.groupBy(options, ({ itemId }) => itemId);
    const attributesOf = Map.groupBy(attributes, ({ itemId }) => itemId);
    for (const item of items) {
      found.push(listedItem(item, optionsOf.get(item.id), attributesOf.get(item.id)));
      await takeTurns();
    }
  });
  return sortedBy(found, ({ id }) => id);
};

/**
 * Reads a catalog of which an earlier version is known: only the items that have changed since, which saves most of the
 * time if these are few.
 */
export const reloadCatalog = async (
  reader: Reader,
  known: Pick<LoadedCatalog, 'catalog' | 'shown'>,
  changedIds: ReadonlySet<string>,
): Promise<LoadedCatalog> => {
  const { teamId } = reader;
  const found = await readVersion(reader);
  const items = compileItems(teamId, await readVocabulary(reader, teamId));
  const changed = await readItemsById(reader, [...changedIds]);
  let next = 0;
  const addChangedBefore = (id: string | undefined): void => {
    for (; next < changed.length; next += 1) {
      const item = changed[next] as ListedItem;
      if (id !== undefined && compareBytes(item.id, id) > 0) return;
      items.add(item);
    }
  };
  for (const item of known.catalog.items) {
    addChangedBefore(item.id);
    if (!changedIds.has(item.id)) items.add(recallItem(known, item));
    await takeTurns();
  }
  addChangedBefore(undefined);
  return { ...found, ...items.finish() };
};
