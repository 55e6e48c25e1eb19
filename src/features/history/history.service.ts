import type { Context } from '../../context.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import type { Page, Paged } from '../../database/paging.ts';
import { inPassing } from '../../database/passing.ts';
import { notFound } from '../../errors.ts';
import type { HistoryEvent } from './history.contract.ts';
import * as store from './history.store.ts';

/** Why something happened to an instance; a roll on a template and a spark name the template. */
export type Cause = 'request' | 'batch' | 'roll' | `template:${string}` | `spark:${string}`;

/** An instance that was just made; one with an id of the caller's own may have had a life before. */
interface Created {
  readonly id: string;
  readonly itemId: string;
  readonly ownId: boolean;
}

export const recordCreations = async (
  tx: Transaction,
  { teamId, nowMs, requestId }: Context,
  { userId, cause }: { userId: string; cause: Cause },
  instances: readonly Created[],
): Promise<void> => {
  const rows: store.HistoryRow[] = [];
  for (const { id, itemId, ownId } of instances) {
    rows.push({
      team_id: teamId,
      item_instance_id: id,
      sequence: ownId ? await store.nextSequence(tx, teamId, id) : 1,
      item_id: itemId,
      event: 'created',
      from_user_id: null,
      to_user_id: userId,
      cause,
      created_at: nowMs,
      request_id: requestId,
    });
  }
  inPassing(tx, store.insertEvents(tx, rows));
};

/** Records what happened to an instance that the caller holds, so that the events of one come one after another. */
const record = async (
  tx: Transaction,
  { teamId, nowMs, requestId }: Context,
  instance: { readonly id: string; readonly itemId: string },
  event: Pick<store.HistoryRow, 'event' | 'from_user_id' | 'to_user_id'> & { cause: Cause },
): Promise<void> =>
  store.insertEvents(tx, [
    {
      team_id: teamId,
      item_instance_id: instance.id,
      sequence: await store.nextSequence(tx, teamId, instance.id),
      item_id: instance.itemId,
      created_at: nowMs,
      request_id: requestId,
      ...event,
    },
  ]);

interface Owned {
  readonly id: string;
  readonly itemId: string;
  readonly userId: string;
}

export const recordTransfer = (
  tx: Transaction,
  context: Context,
  instance: Owned,
  toUserId: string,
  cause: Cause,
): Promise<void> =>
  record(tx, context, instance, {
    event: 'transferred',
    from_user_id: instance.userId,
    to_user_id: toUserId,
    cause,
  });

export const recordDeletion = (tx: Transaction, context: Context, instance: Owned, cause: Cause): Promise<void> =>
  record(tx, context, instance, { event: 'deleted', from_user_id: instance.userId, to_user_id: null, cause });

/**
 * Records that all instances of a user go with the user, and takes the user out of every event. The caller holds the
 * user, so that nobody gives them another one meanwhile.
 */
export const recordUserDeletion = async (tx: Transaction, context: Context, userId: string): Promise<void> => {
  await store.insertDeletionsOf(tx, context, userId);
  await store.forgetUser(tx, context.teamId, userId);
};

export const listHistory = async (
  reader: Reader,
  { teamId }: Pick<Context, 'teamId'>,
  id: string,
  page: Page,
): Promise<Paged<HistoryEvent>> => {
  // Every instance has a first event, so one that has none was never there.
  if ((await store.nextSequence(reader, teamId, id)) === 1) throw notFound();
  return store.selectEvents(reader, teamId, id, page);
};
