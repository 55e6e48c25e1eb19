import { encodeCursor, type Page, type Paged, paged, textPage } from '../../database/paging.ts';
import { Collision, type Finder, type Reader, type Work } from '../../database/work.ts';
import { compareBytes } from '../../engine/byte-order.ts';
import { footprintOf } from '../../engine/grid/grid.ts';
import { each, sorted } from '../../engine/steps.ts';
import type { Context } from '../../shared/context.ts';
import { conflict, notFound } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { inTurns } from '../../shared/turns.ts';
import type { Catalogs, TeamCatalog } from '../compiled-catalog/compiled-catalog.service.ts';
import { sizeOf } from '../item-instances/holdings.service.ts';
import { recordMove } from '../item-instances/instance-events.service.ts';
import { itemOf } from '../item-instances/item-instances.service.ts';
import {
  askListedIn,
  compareInListOrder,
  findListedIn,
  type ListedInstance,
  type ListedRow,
  textOf,
  toListed,
} from '../item-instances/listing.service.ts';
import { askCells, askGridRows, freeCells, Inventory } from '../placements/inventory.service.ts';
import { findSpace } from '../spaces/spaces.service.ts';
import type { UserSpace } from '../user-spaces/user-spaces.contract.ts';
import {
  askUserSpace,
  getUserSpace,
  listUserSpaces,
  removeUserSpace,
  toUserSpace,
} from '../user-spaces/user-spaces.service.ts';
import type { UserSpaceWithSpace } from './user-space-contents.contract.ts';

export interface UserSpaceKey {
  readonly userId: string;
  readonly id: string;
}

const withSpace = async (finder: Finder, userSpace: UserSpace): Promise<UserSpaceWithSpace> => {
  const space = await findSpace(finder, userSpace.spaceId);
  // A space cannot be deleted while it has user spaces, so the user space was deleted in the meantime.
  if (space === undefined) throw new Collision();
  return { ...userSpace, space };
};

export const listUserSpacesWithSpaces = async (
  reader: Reader,
  userId: string,
  page: Page,
): Promise<Paged<UserSpaceWithSpace>> => {
  const { rows, next } = await listUserSpaces(reader, userId, page);
  return { rows: await Promise.all(rows.map((userSpace) => withSpace(reader, userSpace))), next };
};

interface ContentsDeps {
  readonly catalogs: Catalogs;
  /** Prefix of the link to the remaining item instances. */
  readonly pathPrefix: string;
}

/** A user space as JSON, with as many of its item instances as fit into one response. */
const contentsText = async (
  userSpace: UserSpaceWithSpace,
  team: TeamCatalog,
  instances: Paged<ListedRow>,
  pathPrefix: string,
  listedOf: (row: ListedRow) => ListedInstance = toListed,
): Promise<string> => {
  const { rows, next } = await textPage(instances, (some) => some.map((row) => textOf(team, listedOf(row))));
  const more =
    next &&
    `${pathPrefix}/item-instances?${new URLSearchParams({ userSpaceId: userSpace.id, cursor: encodeCursor(next) })}`;
  const head = JSON.stringify(userSpace).slice(0, -1);
  return `${head},"itemInstances":[${rows.join(',')}],"moreItemInstances":${JSON.stringify(more ?? null)}}`;
};

const FIRST_PAGE: Page = { limit: LIMITS.pageRows };

/** A user space with its item instances, as JSON. */
export const getContents = async (
  reader: Reader,
  { userId, id }: UserSpaceKey,
  { catalogs, pathPrefix }: ContentsDeps,
): Promise<string> => {
  const [team, userSpace, rows] = await Promise.all([
    catalogs.current(reader),
    getUserSpace(reader, userId, id),
    findListedIn(reader, id, FIRST_PAGE),
  ]);
  return contentsText(await withSpace(reader, userSpace), team, paged([...rows], FIRST_PAGE), pathPrefix);
};

/** Adds a placed item instance to an inventory. */
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

/**
 * Repacks a user space, largest first, around what is locked, and returns it as JSON. It may contain tens of thousands of
 * item instances.
 */
export const sortContents = async (
  work: Work,
  context: Context,
  { userId, id }: UserSpaceKey,
  { catalogs, pathPrefix }: ContentsDeps,
): Promise<string> => {
  const team = await catalogs.currentForPlacing(work);
  const [[held], gridRows, rows] = await work.hold(askUserSpace(id), askGridRows(id), askListedIn(id));
  if (held?.user_id !== userId) throw notFound();
  const inventory = new Inventory(context);
  inventory.open(id, sizeOf(team, held), gridRows);
  await inTurns(each(rows, (row) => learn(inventory, team, row)));
  const inOrder = await inTurns(sorted(rows, (a, b) => compareBytes(a.item_id, b.item_id) || compareBytes(a.id, b.id)));
  const things = inOrder
    .filter(({ locked }) => locked === null)
    .map((row) => ({ itemInstanceId: row.id, item: itemOf(team, row.item_id) }));
  const staying = rows.filter(({ locked }) => locked !== null).map((row) => row.id);
  if (!(await inTurns(inventory.repack(id, things, staying))))
    throw conflict({ path: '/path/id', message: 'the contents do not fit in any order that was tried' });
  await inTurns(inventory.saveInSteps(work));
  await inTurns(each([...inventory.moves()], (moved) => recordMove(work, context, moved, { id: userId })));
  const oldestFirst = await inTurns(sorted(rows, compareInListOrder));
  const shown = paged(oldestFirst.slice(0, LIMITS.pageRows + 1), FIRST_PAGE);
  return contentsText(await withSpace(work, toUserSpace(held)), team, shown, pathPrefix, (row) => ({
    ...toListed(row),
    placement: inventory.placementOf(row.id),
  }));
};

/** Deletes a user space; its item instances are kept, unplaced. */
export const deleteUserSpace = async (work: Work, context: Context, { userId, id }: UserSpaceKey): Promise<void> => {
  const [[held], cells] = await work.hold(askUserSpace(id), askCells(id));
  if (held?.user_id !== userId) throw notFound();
  // The foreign key would cascade, but would delete tens of thousands of cells in one statement while others wait.
  freeCells(work, id, cells);
  removeUserSpace(work, context, held);
};
