import type { Transaction } from '../../database/work.ts';
import type { Context } from '../../shared/context.ts';
import { notFound } from '../../shared/errors.ts';
import { deleteBalancesOf, holdBalancesOf } from '../balances/balances.service.ts';
import { deleteInstancesOf, holdInstancesOf } from '../item-instances/item-instances.service.ts';
import { deleteReceiptsOf, holdSeedsOf } from '../receipts/receipts.service.ts';
import { holdUserSpacesOf, recordUserSpacesOf } from '../user-spaces/user-spaces.service.ts';
import { deleteCounterChangesOf, holdStatesOf } from '../user-states/user-states.service.ts';
import { findKnownUser, holdUser, removeUser } from '../users/users.service.ts';

/**
 * Locks everything that belongs to the user before the user, in the global lock order, so that a deletion and a trade
 * cannot deadlock. Once the user is locked too, nobody can give them anything, and all deletions are recorded in the
 * history.
 */
export const deleteUser = async (tx: Transaction, context: Context, id: string): Promise<void> => {
  const user = await findKnownUser(tx, id);
  if (user === undefined) throw notFound();
  await holdBalancesOf(tx, id);
  await holdSeedsOf(tx, id);
  await holdStatesOf(tx, id);
  await holdInstancesOf(tx, id);
  await holdUserSpacesOf(tx, id);
  if (!(await holdUser(tx, id))) throw notFound();
  await recordUserSpacesOf(tx, context, user);
  await deleteInstancesOf(tx, context, user);
  await deleteBalancesOf(tx, context, { userId: id, rollerId: user.roller_id });
  await deleteReceiptsOf(tx, id);
  await deleteCounterChangesOf(tx, id);
  await removeUser(tx, context, user);
};
