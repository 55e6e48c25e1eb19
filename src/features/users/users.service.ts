import type { Context } from '../../context.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import type { Page, Paged } from '../../database/paging.ts';
import { conflict, invalid, notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { recordUserDeletion } from '../history/history.service.ts';
import type { NewUser, User } from './users.contract.ts';
import * as store from './users.store.ts';

export const createUser = async (
  tx: Transaction,
  { teamId, nowMs }: Context,
  { id = newId(), externalId = null }: NewUser,
): Promise<User> => {
  if ((await store.selectUser(tx, teamId, id)) !== undefined)
    throw invalid({ path: '/body/id', message: 'is taken already' });
  if (externalId !== null) {
    const { rows } = await store.selectUsers(tx, teamId, externalId, { limit: 1 });
    if (rows.length > 0) throw conflict({ path: '/body/externalId', message: 'belongs to another user already' });
  }
  if (!(await store.insertUser(tx, { teamId, id, externalId, nowMs })))
    throw invalid({ path: '/body/id', message: 'is taken already' });
  return getUser(tx, { teamId }, id);
};

export const listUsers = (
  reader: Reader,
  { teamId }: Context,
  filter: { externalId?: string },
  page: Page,
): Promise<Paged<User>> => store.selectUsers(reader, teamId, filter.externalId, page);

export const getUser = async (reader: Reader, { teamId }: Pick<Context, 'teamId'>, id: string): Promise<User> => {
  const user = await store.selectUser(reader, teamId, id);
  if (user === undefined) throw notFound();
  return user;
};

/** The user, or undefined where the team has none of that id. */
export const findUser = (reader: Reader, { teamId }: Pick<Context, 'teamId'>, id: string): Promise<User | undefined> =>
  store.selectUser(reader, teamId, id);

/** A player whom a call names by an id not seen before is created by that call. */
export const ensureUser = async (tx: Transaction, { teamId, nowMs }: Context, id: string): Promise<void> => {
  await store.insertUser(tx, { teamId, id, externalId: null, nowMs });
};

/**
 * All that belongs to the user is held before the user is, in the order in which every command holds such things, so
 * that a deletion and a trade never wait for each other in a circle. Once the user is held too, nobody can give them
 * anything more, and the history is told of all that goes.
 */
export const deleteUser = async (tx: Transaction, context: Context, id: string): Promise<void> => {
  const { teamId } = context;
  if ((await store.selectUser(tx, teamId, id)) === undefined) throw notFound();
  await store.holdBelongings(tx, teamId, id);
  if (!(await store.holdUser(tx, teamId, id))) throw notFound();
  await recordUserDeletion(tx, context, id);
  await store.deleteUser(tx, teamId, id);
  await store.forgetRoller(tx, teamId, id);
};
