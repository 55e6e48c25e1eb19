import { inChunks } from '../../database/chunks.ts';
import type { Lookup } from '../../database/declarations.ts';
import type { Finder, Reader } from '../../database/work.ts';
import { compareBytes, sortedBy } from '../../engine/byte-order.ts';
import type { Spending } from '../../engine/economy/balance.ts';
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

type RowOf<L> = L extends Lookup<infer _, infer Row> ? Row : never;
type ItemRow = RowOf<typeof store.nextItems>;
type OptionRow = RowOf<typeof store.nextItemOptions>;
type AttributeRow = RowOf<typeof store.nextItemAttributes>;

/** An item with its options and attributes, in the order in which it lists them. */
export interface ReadItem {
  readonly item: ItemRow;
  readonly options: readonly OptionRow[];
  readonly attributes: readonly AttributeRow[];
}

/** Rows in the order in which the item or classifier lists them, which most are in already. */
export const byPosition = <T extends { readonly position: number }>(rows: readonly T[] = []): readonly T[] => {
  let last = Number.NEGATIVE_INFINITY;
  for (const { position } of rows) {
    if (position < last) return rows.toSorted((a, b) => a.position - b.position);
    last = position;
  }
  return rows;
};

/** Takes out the rows of one item after another; both must be in the same order. */
const createTaking = <T extends { readonly itemId: string; readonly position: number }>(rows: readonly T[]) => {
  let next = 0;
  return {
    of: (itemId: string): readonly T[] => {
      const first = next;
      while (rows[next]?.itemId === itemId) next += 1;
      return byPosition(rows.slice(first, next));
    },
    end: (): void => {
      if (next < rows.length) throw new Error(`Item ${rows[next]?.itemId} is missing, or out of order.`);
    },
  };
};

/** Items with their options and attributes. All rows must be in byte order of the items' ids. */
function* joined(
  items: readonly ItemRow[],
  optionRows: readonly OptionRow[],
  attributeRows: readonly AttributeRow[],
): Generator<ReadItem> {
  const options = createTaking(optionRows);
  const attributes = createTaking(attributeRows);
  for (const item of items) yield { item, options: options.of(item.id), attributes: attributes.of(item.id) };
  options.end();
  attributes.end();
}

/** Reads rows up to an item, each time from where it stopped before. */
const createReading = <Row>(next: (last: Row | undefined, lastItemId: string) => Promise<readonly Row[]>) => {
  let last: Row | undefined;
  return async (lastItemId: string): Promise<Row[]> => {
    const rows: Row[] = [];
    for (;;) {
      const some = await next(last, lastItemId);
      rows.push(...some);
      last = some.at(-1) ?? last;
      if (some.length < store.ROWS_AT_ONCE) return rows;
    }
  };
};

/** All items in byte order of their ids, in pages. */
export async function* readItems(
  finder: Pick<Finder, 'find'>,
  { isWhole }: { readonly isWhole: boolean },
): AsyncGenerator<Iterable<ReadItem>> {
  const readOptions = createReading<OptionRow>((last, lastItemId) =>
    finder.find(store.nextItemOptions, { itemId: last?.itemId ?? '', optionId: last?.optionId ?? '', lastItemId }),
  );
  const readAttributes = createReading<AttributeRow>((last, lastItemId) =>
    finder.find(store.nextItemAttributes, {
      itemId: last?.itemId ?? '',
      attributeId: last?.attributeId ?? '',
      lastItemId,
    }),
  );
  const nextItems = isWhole ? store.nextWholeItems : store.nextItems;
  let lastId = '';
  let limit = FIRST_ITEMS;
  for (;;) {
    const items = await finder.find(nextItems, { id: lastId, limit });
    const last = items.at(-1);
    if (last === undefined) return;
    lastId = last.id;
    const options = await readOptions(lastId);
    const attributes = await readAttributes(lastId);
    yield joined(items, options, attributes);
    if (items.length < limit) return;
    const rowsPerItem = (items.length + options.length + attributes.length) / items.length;
    limit = Math.min(MAX_ITEMS, 2 * limit, Math.ceil(ROWS_PER_PAGE / rowsPerItem));
  }
}

/** The items with these ids that exist, in byte order of their ids. */
export const readItemsById = async (
  reader: Reader,
  ids: readonly string[],
  { isWhole }: { readonly isWhole: boolean },
): Promise<Iterable<ReadItem>> => {
  const items = await store.selectItemsById(reader, isWhole, ids);
  const options = await store.selectOptionsOfItems(reader, ids);
  return joined(items, options, await store.selectAttributesOfItems(reader, ids));
};

/** All spaces of a team, by id. */
export const readSpaces = async (reader: Reader): Promise<ReadonlyMap<string, CatalogSpace>> =>
  new Map((await store.selectSpaces(reader, reader.teamId)).map((space) => [space.id, space]));

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
  readonly spending: Spending | null;
  readonly attributes: readonly Omit<CatalogItemAttribute, 'step'>[];
}

/** Compiles items, which must be added in byte order of their ids. */
const compileItems = (teamId: string, { attributes, classifiers, options, spaces }: Vocabulary) => {
  const catalog = buildCatalog(options);
  const shownItems = collectShownItems(options.map(({ id }) => id));
  return {
    add: (item: ListedItem): void => {
      const optionIds = item.links.map(({ optionId }) => optionId);
      const listed = item.attributes.map(({ id, attributeId, min, max }) => {
        const step = attributes.get(attributeId)?.step ?? null;
        return { id, attributeId, min, max, step };
      });
      const compiled = catalog.add({ ...item, optionIds, attributes: listed });
      const attributeOrder = listed.map((attribute) => compiled.indexOf(attribute));
      shownItems.add({ ...item, attributeOrder });
    },
    finish: () => ({
      catalog: catalog.finish(),
      spaces,
      shown: { teamId, attributes, classifiers, items: shownItems.finish() },
    }),
  };
};

const listedItem = ({ item, options, attributes }: ReadItem): ListedItem => ({ ...item, links: options, attributes });

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
  for await (const page of readItems(reader, { isWhole: false }))
    for (const item of page) {
      items.add(listedItem(item));
      // An item may have a hundred options and a hundred attributes.
      await takeTurns();
    }
  return { ...found, ...items.finish() };
};

/** An item of a compiled catalog, as it was read. */
const recallItem = ({ catalog, shown }: Pick<LoadedCatalog, 'catalog' | 'shown'>, item: CompiledItem): ListedItem => {
  const { id, place, name, width, height, attributes } = item;
  return {
    ...{ id, name, width, height, spending: catalog.currencies.get(id) ?? null },
    ...shown.items.at(place),
    attributes: shown.items.attributeOrderAt(place).map((index) => {
      const { itemAttributeId, attributeId, range } = attributes[index] as CompiledAttribute;
      return { id: itemAttributeId, attributeId, min: range.min, max: range.max };
    }),
  };
};

/** The items with these ids that exist, in byte order of their ids. */
const readListedItems = async (reader: Reader, ids: readonly string[]): Promise<ListedItem[]> => {
  const found: ListedItem[] = [];
  await inChunks(ids, async (some) => {
    for (const item of await readItemsById(reader, some, { isWhole: false })) {
      found.push(listedItem(item));
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
  const changed = await readListedItems(reader, [...changedIds]);
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
