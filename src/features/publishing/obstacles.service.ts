import type { Findings } from '../../catalog/findings.ts';
import type { Touched } from '../../catalog/plan.ts';
import { inChunks } from '../../database/chunks.ts';
import type { Reader } from '../../database/work.ts';
import { LIMITS } from '../../shared/limits.ts';
import { countInstancesOf, findInstanceOf } from '../item-instances/item-instances.service.ts';
import { cutOffIssues, userSpaceIssues } from '../spaces/spaces.service.ts';
import { countUsersWithState } from '../user-states/user-states.service.ts';

/** Deleted items of which there are instances. */
const heldItems = async (reader: Reader, { deletedItems }: Touched, faults: Findings): Promise<string[]> => {
  const held: string[] = [];
  await inChunks(deletedItems, async (some) => {
    const found = await Promise.all(some.map(({ id }) => findInstanceOf(reader, id)));
    for (const [index, instance] of found.entries()) {
      const item = some[index];
      if (instance === undefined || item === undefined) continue;
      held.push(item.id);
      faults.add('item', item.id, '', `${item.name} has instances, such as ${instance}`);
    }
  });
  return held;
};

/** Finds what users have that stands in the way of a change; returns the items that they hold. */
export const findObstacles = async (reader: Reader, touched: Touched, faults: Findings): Promise<string[]> => {
  const held = await heldItems(reader, touched, faults);
  for (const { id, name } of touched.deletedSpaces)
    for (const { message } of await userSpaceIssues(reader, id, '')) faults.add('space', id, '', `${name} ${message}`);
  for (const space of touched.shrunkSpaces)
    for (const { path, message } of await cutOffIssues(reader, space.id, space, ''))
      faults.add('space', space.id, path, `${space.name}: ${message}`);
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
