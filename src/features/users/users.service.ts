import type { Context } from '../../context.ts';
import { type Ask, ask } from '../../database/declarations.ts';
import type { Page, Paged } from '../../database/paging.ts';
import type { Finder, Reader, Transaction, Work } from '../../database/work.ts';
import { conflict, invalid, notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import type { NewUser, User } from './users.contract.ts';
import * as store from './users.store.ts';

/** What others need to know of a player. */
export type KnownUser = Pick<store.UserRow, 'id' | 'roller_id'>;

const insert = (work: Work, { nowMs }: Context, id: string, externalId: string | null): KnownUser => {
  const user = { id, external_id: externalId, roller_id: newId(), created_at: nowMs, updated_at: nowMs };
  // Others who would create the same player at this moment find it there when they run again.
  work.claim(`users\0${id}`);
  work.write(store.insertUser, user);
  return user;
};

export const createUser = async (work: Work, context: Context, request: NewUser | null): Promise<User> => {
  const { id = newId(), externalId = null } = request ?? {};
  if (externalId !== null) work.claim(`users by external id\0${externalId}`);
  const [sameId, sameExternalId] = await Promise.all([
    work.find(store.userById, { id }),
    externalId === null ? [] : work.find(store.userByExternalId, { externalId }),
  ]);
  if (sameId.length > 0) throw invalid({ path: '/body/id', message: 'is already in use' });
  if (sameExternalId.length > 0)
    throw conflict({ path: '/body/externalId', message: 'already belongs to another user' });
  const { roller_id } = insert(work, context, id, externalId);
  const { teamId, nowMs } = context;
  return store.toUser({
    team_id: teamId,
    id,
    external_id: externalId,
    roller_id,
    created_at: nowMs,
    updated_at: nowMs,
  });
};

export const listUsers = (reader: Reader, filter: { externalId?: string }, page: Page): Promise<Paged<User>> =>
  store.selectUsers(reader, filter.externalId, page);

/** The user, or undefined where the team has none of that id. */
export const findUser = async (finder: Finder, id: string): Promise<User | undefined> => {
  const [row] = await finder.find(store.userById, { id });
  return row && store.toUser(row);
};

export const getUser = async (finder: Finder, id: string): Promise<User> => {
  const user = await findUser(finder, id);
  if (user === undefined) throw notFound();
  return user;
};

/** To be asked together with what else a command holds; what it finds is for `ensureUser`. */
export const askUser = (id: string): Ask<KnownUser> => ask(store.userById, { id });

/** A player whom a call names by an id not seen before is created by that call. */
export const ensureUser = (work: Work, context: Context, id: string, found: readonly KnownUser[]): KnownUser =>
  found[0] ?? insert(work, context, id, null);

/** Keeps others from giving the user anything more, until the end of the transaction; false where the user is gone. */
export const holdUser = (tx: Transaction, id: string): Promise<boolean> => store.holdUser(tx, id);

/** The user with all that belongs to the user. */
export const removeUser = async (tx: Transaction, id: string): Promise<void> => {
  await store.deleteUser(tx, id);
};
