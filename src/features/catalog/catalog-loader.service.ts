import type { Reader } from '../../database/work.ts';
import { buildCatalog, type Catalog } from '../../engine/pool/catalog.ts';
import { ServiceError } from '../../errors.ts';
import { takeTurns } from '../../turns.ts';
import * as store from './catalog.store.ts';
import { collectShownItems, type ShownCatalog } from './shown-catalog.presenter.ts';

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
export async function* readItems(reader: Reader, teamId: string): AsyncGenerator<ItemPage> {
  let lastId: string | undefined;
  let count = FIRST_ITEMS;
  for (;;) {
    const items = await store.selectItemsAfter(reader, teamId, lastId, count);
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

const readCatalog = async (reader: Reader, teamId: string): Promise<Omit<LoadedCatalog, 'version' | 'versionId'>> => {
  const attributes = new Map((await store.selectAttributes(reader, teamId)).map((row) => [row.id, row]));
  const classifiers = new Map((await store.selectClassifiers(reader, teamId)).map((row) => [row.id, row]));
  const options = await store.selectOptions(reader, teamId);
  const catalog = buildCatalog(options);
  const shownItems = collectShownItems(options.map(({ id }) => id));
  for await (const { items, optionsOf, attributesOf } of readItems(reader, teamId)) {
    for (const item of items) {
      const itemOptions = byPosition(optionsOf.get(item.id));
      const itemAttributes = byPosition(attributesOf.get(item.id));
      const { id, name, thumbnail, rollNumerator, width, height, createdAtMs, updatedAtMs } = item;
      catalog.add({
        id,
        name,
        rollNumerator,
        width,
        height,
        optionIds: itemOptions.map(({ optionId }) => optionId),
        attributes: itemAttributes.map((attribute) => ({
          id: attribute.id,
          attributeId: attribute.attributeId,
          min: attribute.min,
          max: attribute.max,
          step: attributes.get(attribute.attributeId)?.step ?? null,
        })),
      });
      const attributeIds = itemAttributes.map((attribute) => attribute.id);
      shownItems.add({ thumbnail, rollNumerator, createdAtMs, updatedAtMs, links: itemOptions, attributeIds });
    }
  }
  const spaces = await readSpaces(reader);
  return { catalog: catalog.finish(), spaces, shown: { teamId, attributes, classifiers, items: shownItems.finish() } };
};

/** Reads a catalog and its version. The reader must see a single state of the data throughout. */
export const loadCatalog = async (reader: Reader): Promise<LoadedCatalog> => {
  const [found] = await reader.find(store.currentVersion, {});
  if (found === undefined) throw new ServiceError('UNAUTHORIZED');
  return { ...found, ...(await readCatalog(reader, reader.teamId)) };
};
