import type { Context } from '../../context.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import { notFound } from '../../errors.ts';
import { repack } from '../placements/placements.service.ts';
import { getUserSpace, holdUserSpace } from '../spaces/spaces.service.ts';
import type { Bag } from './bags.contract.ts';
import { selectInstancesIn } from './item-instances.store.ts';

/** Whose user space, and which. */
export interface BagOf {
  readonly userId: string;
  readonly id: string;
}

/** A user space with all that lies in it. */
export const getBag = async (
  reader: Reader,
  context: Pick<Context, 'teamId'>,
  { userId, id }: BagOf,
): Promise<Bag> => ({
  ...(await getUserSpace(reader, context, userId, id)),
  itemInstances: await selectInstancesIn(reader, context.teamId, id),
});

/** Repacks a user space, largest first. */
export const sortBag = async (tx: Transaction, context: Context, { userId, id }: BagOf): Promise<Bag> => {
  const userSpace = await holdUserSpace(tx, context, id);
  if (userSpace?.userId !== userId) throw notFound();
  await repack(tx, context, userSpace);
  return getBag(tx, context, { userId, id });
};
