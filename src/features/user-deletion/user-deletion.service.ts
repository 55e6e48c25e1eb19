import type { Context } from '../../context.ts';
import type { Transaction } from '../../database/work.ts';
import { notFound } from '../../errors.ts';
import { deleteInstancesOf, holdInstancesOf } from '../item-instances/item-instances.service.ts';
import { holdUserSpacesOf } from '../user-spaces/user-spaces.service.ts';
import { holdStatesOf } from '../user-states/user-states.service.ts';
import { findUser, holdUser, removeUser } from '../users/users.service.ts';

/**
 * All that belongs to the user is held before the user is, in the order in which every command holds such things, so
 * that a deletion and a trade never wait for each other in a circle. Once the user is held too, nobody can give them
 * anything more, and the history is told of all that goes.
 */
export const deleteUser = async (tx: Transaction, context: Context, id: string): Promise<void> => {
  if ((await findUser(tx, id)) === undefined) throw notFound();
  await holdStatesOf(tx, id);
  await holdInstancesOf(tx, id);
  await holdUserSpacesOf(tx, id);
  if (!(await holdUser(tx, id))) throw notFound();
  await deleteInstancesOf(tx, context, id);
  await removeUser(tx, id);
};
