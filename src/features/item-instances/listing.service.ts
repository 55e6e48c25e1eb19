import { type Ask, ask } from '../../database/declarations.ts';
import { type Page, type Paged, paged, textPage } from '../../database/paging.ts';
import { Collision, type Reader } from '../../database/work.ts';
import { notFound } from '../../errors.ts';
import type { Catalogs, TeamCatalog } from '../catalog/catalog.service.ts';
import type { InstanceFilter } from './item-instances.contract.ts';
import * as store from './item-instances.store.ts';

/** An instance as the catalog makes a text of it. */
export type ListedInstance = Parameters<TeamCatalog['instanceText']>[0];

export type { ListedRow } from './item-instances.store.ts';

export const toListed = (row: store.ListedRow): ListedInstance => ({
  id: row.id,
  itemId: row.item_id,
  userId: row.user_id,
  values: row.attribute_values,
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

/** The text of an instance. An item that the catalog lacks was made after the catalog was read. */
export const textOf = (team: TeamCatalog, instance: ListedInstance): string => {
  if (!team.catalog.itemsById.has(instance.itemId)) throw new Collision();
  return team.instanceText(instance);
};

const isByUserAlone = ({ userId, ...others }: InstanceFilter): boolean =>
  userId !== undefined && Object.values(others).every((value) => value === undefined);

const find = (reader: Reader, filter: InstanceFilter, page: Page): Promise<readonly store.ListedRow[]> =>
  isByUserAlone(filter)
    ? store.findListedOf(reader, filter.userId as string, page)
    : store.selectListed(reader, filter, page);

/** A page of texts, each of one instance. */
export const listItemInstances = async (
  reader: Reader,
  { userId, userSpaceId, itemId, classifierOptionIds, instanceIds }: InstanceFilter,
  page: Page,
  catalogs: Catalogs,
): Promise<Paged<string>> => {
  const filter = { userId, userSpaceId, itemId, classifierOptionIds, instanceIds };
  const [team, rows] = await Promise.all([catalogs.current(reader), find(reader, filter, page)]);
  return textPage(paged([...rows], page), (some) => some.map((row) => textOf(team, toListed(row))));
};

/** The text of one instance. */
export const getItemInstance = async (reader: Reader, id: string, catalogs: Catalogs): Promise<string> => {
  const [team, [row]] = await Promise.all([catalogs.current(reader), reader.find(store.listedById, { id })]);
  if (row === undefined) throw notFound();
  return textOf(team, toListed(row));
};

/** All that lies in a user space, oldest first. */
export const askListedIn = (userSpaceId: string): Ask<store.ListedRow> => ask(store.listedIn, { userSpaceId });

/** A page of it, with one row more than the page has. */
export const findListedIn = (reader: Reader, userSpaceId: string, page: Page): Promise<readonly store.ListedRow[]> =>
  store.findListedIn(reader, userSpaceId, page);
