import type { Context } from '../../context.ts';
import type { Page, Paged } from '../../database/paging.ts';
import { Collision, type Finder, type Reader, type Work } from '../../database/work.ts';
import { compareBytes } from '../../engine/byte-order.ts';
import { footprintOf } from '../../engine/grid/grid.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Catalogs, TeamCatalog } from '../catalog/catalog.service.ts';
import { sizeOf } from '../item-instances/holdings.service.ts';
import { itemOf } from '../item-instances/item-instances.service.ts';
import {
  askListedIn,
  type ListedInstance,
  type ListedRow,
  textOf,
  toListed,
} from '../item-instances/listing.service.ts';
import { askGridRows, Inventory } from '../placements/inventory.service.ts';
import { findSpace } from '../spaces/spaces.service.ts';
import type { UserSpace } from '../user-spaces/user-spaces.contract.ts';
import { askUserSpace, getUserSpace, listUserSpaces, toUserSpace } from '../user-spaces/user-spaces.service.ts';
import type { UserSpaceWithSpace } from './bags.contract.ts';

/** Whose user space, and which. */
export interface BagOf {
  readonly userId: string;
  readonly id: string;
}

const withSpace = async (finder: Finder, userSpace: UserSpace): Promise<UserSpaceWithSpace> => {
  const space = await findSpace(finder, userSpace.spaceId);
  // A user space keeps its space from being deleted, so it went meanwhile.
  if (space === undefined) throw new Collision();
  return { ...userSpace, space };
};

/** A user's user spaces with their spaces. */
export const listBags = async (reader: Reader, userId: string, page: Page): Promise<Paged<UserSpaceWithSpace>> => {
  const { rows, next } = await listUserSpaces(reader, userId, page);
  return { rows: await Promise.all(rows.map((userSpace) => withSpace(reader, userSpace))), next };
};

const bagText = (userSpace: UserSpaceWithSpace, team: TeamCatalog, instances: readonly ListedInstance[]): string => {
  const texts = instances.map((instance) => textOf(team, instance));
  return `${JSON.stringify(userSpace).slice(0, -1)},"itemInstances":[${texts.join(',')}]}`;
};

/** The text of a user space with all that lies in it. */
export const getBag = async (reader: Reader, { userId, id }: BagOf, catalogs: Catalogs): Promise<string> => {
  const listed = askListedIn(id);
  const [team, userSpace, rows] = await Promise.all([
    catalogs.current(reader),
    getUserSpace(reader, userId, id),
    reader.find(listed.lookup, listed.key),
  ]);
  return bagText(await withSpace(reader, userSpace), team, rows.map(toListed));
};

/** What lies in a bag, as an inventory learns it. */
const learn = (inventory: Inventory, team: TeamCatalog, row: ListedRow): void => {
  const { placement } = toListed(row);
  if (placement === null) return;
  inventory.learn(row.id, [
    {
      ...placement,
      ...footprintOf(itemOf(team, row.item_id), placement.rotated),
      item_instance_id: row.id,
      user_space_id: placement.userSpaceId,
      rotated: Number(placement.rotated),
      created_at: placement.createdAtMs,
      updated_at: placement.updatedAtMs,
    },
  ]);
};

/** Repacks a user space, largest first, and answers its text. */
export const sortBag = async (
  work: Work,
  context: Context,
  { userId, id }: BagOf,
  catalogs: Catalogs,
): Promise<string> => {
  const team = await catalogs.currentForPlacing(work);
  const [[held], gridRows, rows] = await work.hold(askUserSpace(id), askGridRows(id), askListedIn(id));
  if (held?.user_id !== userId) throw notFound();
  const inventory = new Inventory(context);
  inventory.open(id, sizeOf(team, held), gridRows);
  for (const row of rows) learn(inventory, team, row);
  const things = rows
    .toSorted((a, b) => compareBytes(a.item_id, b.item_id) || compareBytes(a.id, b.id))
    .map((row) => ({ itemInstanceId: row.id, item: itemOf(team, row.item_id) }));
  if (!inventory.repack(id, things))
    throw conflict({ path: '/path/id', message: 'no order that was tried finds a place for everything in it' });
  inventory.save(work);
  const sorted = rows.map((row) => ({ ...toListed(row), placement: inventory.placementOf(row.id) }));
  return bagText(await withSpace(work, toUserSpace(held)), team, sorted);
};
