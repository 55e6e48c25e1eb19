import { inChunks } from '../../database/chunks.ts';
import { type Ask, ask, type Hold, holding } from '../../database/declarations.ts';
import type { Page, Paged } from '../../database/paging.ts';
import type { Finder, Reader, Transaction, Work } from '../../database/work.ts';
import type { Context } from '../../shared/context.ts';
import { conflict, invalid, notFound } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import type { NewUser, User } from './users.contract.ts';
import * as store from './users.store.ts';

/** What other features need to know about a user. */
export type KnownUser = Pick<store.UserRow, 'id' | 'roller_id'>;

const insert = (work: Work, { nowMs, requestId }: Context, id: string, externalId: string | null): KnownUser => {
  const user = { id, external_id: externalId, roller_id: newId(), created_at: nowMs, updated_at: nowMs };
  // Concurrent commands that would create the same user are retried and then find it.
  work.claim(`users\0${id}`);
  work.write(store.insertUser, user);
  // Whoever reads the event is told what is known of the user by then.
  work.record({ type: 'user.created', nowMs, requestId, user, data: () => '{}' });
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

/** Which part of a list by prefix a cursor is in: that of ids, or that of external ids. */
const BY_ID = 0;
const BY_EXTERNAL_ID = 1;

/** Users whose id begins with a text, then others whose external id does. */
const listByPrefix = async (reader: Reader, prefix: string, { limit, after }: Page): Promise<Paged<User>> => {
  const found: store.UserRow[] = [];
  const isInIds = (after?.createdAtMs ?? BY_ID) === BY_ID;
  if (isInIds) {
    found.push(...(await store.selectByPrefix(reader, 'id', prefix, after?.id, limit + 1)));
    if (found.length > limit) {
      const rows = found.slice(0, limit);
      return { rows: rows.map(store.toUser), next: { createdAtMs: BY_ID, id: rows[limit - 1]?.id ?? '' } };
    }
  }
  const left = limit - found.length;
  const others = await store.selectByPrefix(reader, 'external_id', prefix, isInIds ? undefined : after?.id, left + 1);
  const shown = others.slice(0, left);
  // Those whose id begins with it, too, are in the first part.
  const rows = [...found, ...shown.filter(({ id }) => !id.startsWith(prefix))].map(store.toUser);
  if (others.length <= left) return { rows };
  return { rows, next: { createdAtMs: BY_EXTERNAL_ID, id: shown.at(-1)?.external_id ?? '' } };
};

export const listUsers = (
  reader: Reader,
  { externalId, prefix }: { externalId?: string; prefix?: string },
  page: Page,
): Promise<Paged<User>> => {
  if (prefix === undefined) return store.selectUsers(reader, externalId, page);
  if (externalId !== undefined) throw invalid({ path: '/query/prefix', message: 'cannot be combined with externalId' });
  return listByPrefix(reader, prefix, page);
};

const findRow = async (finder: Finder, id: string): Promise<store.UserRow | undefined> =>
  (await finder.find(store.userById, { id }))[0];

/** What others need to know about the user; undefined if the team has none with that id. */
export const findKnownUser: (finder: Finder, id: string) => Promise<KnownUser | undefined> = findRow;

/** The user, or undefined if the team has none with that id. */
export const findUser = async (finder: Finder, id: string): Promise<User | undefined> => {
  const row = await findRow(finder, id);
  return row && store.toUser(row);
};

/** The users whom rolls and events belong to, by the ids that stand for them there. Deleted users are missing. */
export const findUsersOf = async (finder: Finder, rollerIds: Iterable<string>): Promise<Map<string, User>> => {
  const found = new Map<string, User>();
  await inChunks([...new Set(rollerIds)], async (some) => {
    const users = await Promise.all(some.map((rollerId) => finder.find(store.userByRoller, { rollerId })));
    for (const [index, [user]] of users.entries())
      if (user !== undefined) found.set(some[index] as string, store.toUser(user));
  });
  return found;
};

/** The same, by their ids alone. */
export const findRollers = async (finder: Finder, rollerIds: Iterable<string>): Promise<Map<string, string>> => {
  const users = await findUsersOf(finder, rollerIds);
  return new Map(users.entries().map(([rollerId, { id }]) => [rollerId, id]));
};

export const getUser = async (finder: Finder, id: string): Promise<User> => {
  const user = await findUser(finder, id);
  if (user === undefined) throw notFound();
  return user;
};

/** To be read together with the locks of a command; the result is for `ensureUser`. */
export const askUser = (id: string): Ask<KnownUser> => ask(store.userById, { id });

/** The same, and the user is not deleted until the end of the transaction. */
export const askLockedUser = (id: string): Ask<KnownUser> => ask(store.holdUserById, { id });

/** Creates a user that a call refers to by an unknown id. */
export const ensureUser = (work: Work, context: Context, id: string, found: readonly KnownUser[]): KnownUser =>
  found[0] ?? insert(work, context, id, null);

/** The user that a call refers to, who is created if the id is unknown. */
export const holdKnownUser = (work: Work, context: Context, id: string): Hold<KnownUser> =>
  holding([askUser(id)], (found) => ensureUser(work, context, id, found));

/** Keeps others from giving the user anything until the end of the transaction; false if the user does not exist. */
export const holdUser = (tx: Transaction, id: string): Promise<boolean> => store.holdUser(tx, id);

/** Deletes the user and everything that belongs to them. */
export const removeUser = async (tx: Transaction, { nowMs, requestId }: Context, user: KnownUser): Promise<void> => {
  await store.deleteUser(tx, user.id);
  tx.record({ type: 'user.deleted', nowMs, requestId, user, data: () => '{}' });
};
