import type { Page, Paged } from '../../database/paging.ts';
import { Collision, type Reader, type Work } from '../../database/work.ts';
import type { Context } from '../../shared/context.ts';
import { conflict } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { isoTime } from '../../shared/time.ts';
import type { HistoryEvent } from '../history/history.contract.ts';
import { findDeleted, listDeletions } from '../history/history.service.ts';
import { getUser } from '../users/users.service.ts';
import { openHoldings } from './holdings.service.ts';
import { recordCreation } from './instance-events.service.ts';
import type { InstanceResult } from './item-instances.contract.ts';
import { findOwner, type InstanceDeps, toInstanceResult } from './item-instances.service.ts';
import * as store from './item-instances.store.ts';

const refused = (message: string) => conflict({ path: '/path/id', message });

const DAY_MS = 86_400_000;

/** What can be restored to a user: of each instance, its last deletion. */
export const listDeleted = async (
  reader: Reader,
  { nowMs }: Context,
  userId: string,
  page: Page,
): Promise<Paged<HistoryEvent>> => {
  await getUser(reader, userId);
  const { rows, next } = await listDeletions(reader, userId, nowMs - LIMITS.restoreDays * DAY_MS, page);
  const last = [...new Map(rows.map((row) => [row.itemInstanceId, row])).values()];
  const owners = await Promise.all(last.map(({ itemInstanceId }) => findOwner(reader, itemInstanceId)));
  return { rows: last.filter((_, index) => owners[index] === undefined), next };
};

/** Gives a deleted instance back to its last owner, unplaced. */
export const restoreItemInstance = async (
  work: Work,
  context: Context,
  id: string,
  { catalogs }: InstanceDeps,
): Promise<InstanceResult> => {
  const [existing] = await work.find(store.instanceById, { id });
  if (existing !== undefined) throw refused('exists');
  const deleted = await findDeleted(work, id);
  // It was restored between these two reads.
  if (deleted === null) throw new Collision();
  const { sequence, deletedAtMs, itemId, userId, row } = deleted;
  if (context.nowMs - deletedAtMs > LIMITS.restoreDays * DAY_MS)
    throw refused(`was deleted at ${isoTime(deletedAtMs)}, more than ${LIMITS.restoreDays} days ago`);
  if (userId === null) throw refused('has no owner to return to, who was deleted');
  if (row === null) throw refused('was deleted before the service kept what restoring takes');

  const holdings = await openHoldings(
    work,
    context,
    {
      ...{ instanceIds: new Set([id]), recordedIds: new Set([id]), userIds: new Set([userId]) },
      ...{ userSpaceIds: new Set(), spacesOfUsers: [] },
    },
    { catalogs, cause: 'restored' },
  );
  if (holdings.instance(id) !== undefined) throw refused('exists');
  if (!holdings.hasUser(userId)) throw refused('has no owner to return to, who was deleted');
  if (!holdings.team.catalog.itemsById.has(itemId)) throw refused('is of an item that was deleted');
  if (holdings.chronicle.lastOf(id) !== sequence) throw new Collision();
  const born = { id, item_id: itemId, user_id: userId, created_at: row.createdAtMs };
  const restored = {
    ...born,
    attribute_values: row.attributeValues,
    data: row.data ?? null,
    locked: null,
    updated_at: context.nowMs,
    ...holdings.chronicle.created(born),
  };
  holdings.create(restored);
  holdings.save();
  recordCreation(work, context, restored, null, holdings.user(userId), 'restored');
  return toInstanceResult(work.teamId, restored, null);
};
