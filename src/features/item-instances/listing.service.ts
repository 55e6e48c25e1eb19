import { type Ask, ask } from '../../database/declarations.ts';
import { type Page, type Paged, paged, textPage } from '../../database/paging.ts';
import { Collision, type Reader } from '../../database/work.ts';
import { compareBytes } from '../../engine/byte-order.ts';
import { each, sorted } from '../../engine/steps.ts';
import { notFound } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { inTurns } from '../../shared/turns.ts';
import type { Catalogs, TeamCatalog } from '../compiled-catalog/compiled-catalog.service.ts';
import type { InstanceFilter } from './item-instances.contract.ts';
import * as store from './item-instances.store.ts';
import { etagOfRow } from './updating.service.ts';

export type ListedInstance = Parameters<TeamCatalog['instanceText']>[0];

export type { ListedRow } from './item-instances.store.ts';

export const toListed = (row: store.ListedRow): ListedInstance => ({
  id: row.id,
  itemId: row.item_id,
  userId: row.user_id,
  values: row.attribute_values,
  data: row.data,
  isLocked: row.locked !== null,
  placement:
    row.placement_id === null
      ? null
      : {
          id: row.placement_id,
          userSpaceId: row.user_space_id as string,
          x: row.x as number,
          y: row.y as number,
          rotated: row.rotated === 1,
          createdAtMs: row.placement_created_at as number,
          updatedAtMs: row.placement_updated_at as number,
        },
});

/** An instance as JSON. An item that the catalog lacks was created after the catalog was read. */
export const textOf = (team: TeamCatalog, instance: ListedInstance): string => {
  if (!team.catalog.itemsById.has(instance.itemId)) throw new Collision();
  return team.instanceText(instance);
};

/** The order of a list that is not sorted by the database. */
export const compareInListOrder = (a: store.ListedRow, b: store.ListedRow): number =>
  a.created_at - b.created_at || compareBytes(a.id, b.id);

const isByUserAlone = ({ userId, ...others }: store.Filter): boolean =>
  userId !== undefined && Object.values(others).every((value) => value === undefined);

const find = (reader: Reader, filter: store.Filter, page: Page): Promise<readonly store.ListedRow[]> =>
  isByUserAlone(filter)
    ? store.findListedOf(reader, filter.userId as string, page)
    : store.selectListed(reader, filter, page);

/** The first instances of a few items, looked up by item. */
const firstOfEach = async (reader: Reader, items: ReadonlySet<string>, page: Page): Promise<store.ListedRow[]> => {
  const found: store.ListedRow[] = [];
  for (const itemId of items) found.push(...(await store.selectListed(reader, { itemId }, page)));
  const inOrder = await inTurns(sorted(found, compareInListOrder));
  return inOrder.slice(0, page.limit + 1);
};

/**
 * The first instances of a filter that belong to one of many items: scans all of the filter's instances, in batches.
 */
const firstOfAny = async (
  reader: Reader,
  filter: store.Filter,
  items: ReadonlySet<string>,
  { limit, after }: Page,
): Promise<store.ListedRow[]> => {
  const found: store.ListedRow[] = [];
  let from: Page | undefined = { limit: LIMITS.pageRows, after };
  while (from !== undefined && found.length <= limit) {
    const { rows, next }: Paged<store.ListedRow> = paged([...(await find(reader, filter, from))], from);
    found.push(...rows.filter(({ item_id }) => items.has(item_id)));
    from = next && { limit: LIMITS.pageRows, after: next };
  }
  return found.slice(0, limit + 1);
};

/**
 * Instances that match the filter and whose item has one of these options. The catalog knows these items; finding their
 * instances in list order with SQL could sort all instances of the team while others wait.
 */
const findWithOptions = async (
  reader: Reader,
  { catalog }: TeamCatalog,
  optionIds: readonly string[],
  filter: store.Filter,
  page: Page,
): Promise<readonly store.ListedRow[]> => {
  const wanted = new Set(optionIds);
  const items = new Set<string>();
  await inTurns(each(catalog.items, ({ id, optionIds: has }) => has.some((one) => wanted.has(one)) && items.add(id)));
  const { itemId, ...others } = filter;
  if (itemId !== undefined) return items.has(itemId) ? find(reader, filter, page) : [];
  const isOfAll = Object.values(others).every((value) => value === undefined);
  return items.size === 0 || (isOfAll && items.size <= LIMITS.itemsLookedUp)
    ? firstOfEach(reader, items, page)
    : firstOfAny(reader, filter, items, page);
};

/** A page of instances, each as JSON. */
export const listItemInstances = async (
  reader: Reader,
  { userId, userSpaceId, itemId, classifierOptionIds, instanceIds }: InstanceFilter,
  page: Page,
  catalogs: Catalogs,
): Promise<Paged<string>> => {
  const filter = { userId, userSpaceId, itemId, instanceIds };
  const asked = catalogs.current(reader);
  const [team, rows] = await Promise.all([
    asked,
    classifierOptionIds === undefined
      ? find(reader, filter, page)
      : asked.then((one) => findWithOptions(reader, one, classifierOptionIds, filter, page)),
  ]);
  return textPage(paged([...rows], page), (some) => some.map((row) => textOf(team, toListed(row))));
};

/** One instance as JSON, with its `ETag`. */
export const getItemInstance = async (reader: Reader, id: string, catalogs: Catalogs) => {
  const [team, [row]] = await Promise.all([catalogs.current(reader), reader.find(store.listedById, { id })]);
  if (row === undefined) throw notFound();
  return { text: textOf(team, toListed(row)), etag: etagOfRow(row) };
};

/** All instances placed in a user space, unordered. */
export const askListedIn = (userSpaceId: string): Ask<store.ListedRow> => ask(store.listedIn, { userSpaceId });

/** A page of them, one row more than the page has. */
export const findListedIn = (reader: Reader, userSpaceId: string, page: Page): Promise<readonly store.ListedRow[]> =>
  store.findListedIn(reader, userSpaceId, page);
