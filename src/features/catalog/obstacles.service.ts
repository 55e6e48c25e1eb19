import type { SpaceEntity } from '../../catalog/entities.ts';
import type { Findings } from '../../catalog/findings.ts';
import type { Touched } from '../../catalog/plan.ts';
import { inChunks } from '../../database/chunks.ts';
import type { Page, Paged } from '../../database/paging.ts';
import type { Reader } from '../../database/work.ts';
import { compareBytes } from '../../engine/byte-order.ts';
import { LIMITS } from '../../shared/limits.ts';
import { countHoldersOf, findHolderOf } from '../balances/balances.service.ts';
import { countInstancesOf, findInstanceOf } from '../item-instances/item-instances.service.ts';
import { findBeyond } from '../placements/placements.service.ts';
import type { UserSpace } from '../user-spaces/user-spaces.contract.ts';
import { listUserSpacesOfSpace } from '../user-spaces/user-spaces.service.ts';
import { countUsersWithState } from '../user-states/user-states.service.ts';

/** Deleted items of which there are instances. */
const heldItems = async (reader: Reader, { deletedItems }: Touched, faults: Findings): Promise<string[]> => {
  const held: string[] = [];
  await inChunks(deletedItems, async (some) => {
    const found = await Promise.all(some.map(({ id }) => findInstanceOf(reader, id)));
    const holders = await Promise.all(some.map(({ id }) => findHolderOf(reader, id)));
    for (const [index, holder] of holders.entries()) {
      const item = some[index];
      if (holder === undefined || item === undefined) continue;
      faults.add('item', item.id, '', `is a currency that users have, such as ${holder}`, { name: item.name });
    }
    for (const [index, instance] of found.entries()) {
      const item = some[index];
      if (instance === undefined || item === undefined) continue;
      held.push(item.id);
      faults.add('item', item.id, '', `has instances, such as ${instance}`, { name: item.name });
    }
  });
  return held;
};

/** Items that cannot become a currency, or stop being one, because of what users have of them. */
const findUnits = async (
  reader: Reader,
  { id, name }: { readonly id: string; readonly name: string },
  faults: Findings,
): Promise<void> => {
  const most = LIMITS.countedInPlan;
  const reject = (count: number, what: string): void => {
    if (count > 0)
      faults.add('item', id, '/currency', `cannot change: ${count === most ? 'at least ' : ''}${count} ${what}`, {
        ...{ name, conflict: 'players' },
      });
  };
  reject(await countInstancesOf(reader, [id], most), 'instances of it exist');
  reject(await countHoldersOf(reader, id, most), 'users have units of it');
};

/** Placed item instances that a smaller space would cut off. */
const findCutOff = async (reader: Reader, space: SpaceEntity, faults: Findings): Promise<void> => {
  const { id, name, cols, rows: height } = space;
  const beyond: Awaited<ReturnType<typeof findBeyond>> = [];
  let page: Page | undefined = { limit: LIMITS.pageRows };
  // There may be as many user spaces as users, so they are read in pages.
  while (page !== undefined && beyond.length < LIMITS.issues) {
    const { rows, next }: Paged<UserSpace> = await listUserSpacesOfSpace(reader, id, page);
    const ids = rows.map((userSpace) => userSpace.id).sort(compareBytes);
    beyond.push(...(await findBeyond(reader, ids, { cols, rows: height }, LIMITS.issues - beyond.length)));
    page = next && { limit: LIMITS.pageRows, after: next };
  }
  for (const placed of beyond) {
    const { itemInstanceId, userSpaceId, x, y } = placed;
    const message = `would cut off item instance ${itemInstanceId} at ${x}, ${y} in user space ${userSpaceId}`;
    if (x + placed.width > cols) faults.add('space', id, '/cols', message, { name, conflict: 'players' });
    if (y + placed.height > height) faults.add('space', id, '/rows', message, { name, conflict: 'players' });
  }
};

/** User spaces that keep a space from being deleted. */
const findUsed = async (
  reader: Reader,
  { id, name }: Pick<SpaceEntity, 'id' | 'name'>,
  faults: Findings,
): Promise<void> => {
  const { rows } = await listUserSpacesOfSpace(reader, id, { limit: LIMITS.issues });
  for (const userSpace of rows)
    faults.add('space', id, '', `is used by user space ${userSpace.id} of user ${userSpace.userId}`, {
      ...{ name, conflict: 'players' },
    });
};

/** Finds what users have that stands in the way of a change; returns the items that they hold. */
export const findObstacles = async (reader: Reader, touched: Touched, faults: Findings): Promise<string[]> => {
  const held = await heldItems(reader, touched, faults);
  for (const item of touched.recastItems) await findUnits(reader, item, faults);
  for (const space of touched.deletedSpaces) await findUsed(reader, space, faults);
  for (const space of touched.shrunkSpaces) await findCutOff(reader, space, faults);
  return held;
};

/** How much of what users have a change concerns, up to a number. */
export const countConcerned = async (
  reader: Reader,
  { templates }: Touched,
  heldItems: readonly string[],
  warnings: Findings,
): Promise<{ readonly withState: number; readonly orphaned: number }> => {
  let withState = 0;
  for (const { id, name, isDeleted } of templates) {
    const users = await countUsersWithState(reader, id, LIMITS.countedInPlan - withState);
    withState += users;
    if (isDeleted && users > 0) warnings.add('template', id, '', `${users} users lose their counters of ${name}`);
    if (withState >= LIMITS.countedInPlan) break;
  }
  const some = heldItems.slice(0, LIMITS.issues);
  return { withState, orphaned: await countInstancesOf(reader, some, LIMITS.countedInPlan) };
};
