import { sql } from 'kysely';
import { insertInto, locking, lookup, rowByKey, rowsOf } from '../../database/declarations.ts';
import { mapPage, onPage, type Page, type Paged, paged } from '../../database/paging.ts';
import type { Tables } from '../../database/tables.ts';
import type { Reader, Transaction } from '../../database/work.ts';
import { isoTime } from '../../shared/time.ts';
import type { User } from './users.contract.ts';

export type UserRow = Tables['users'];

export const toUser = (row: UserRow): User => ({
  id: row.id,
  externalId: row.external_id,
  teamId: row.team_id,
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
});

export const insertUser = insertInto('users', {
  id: 'text',
  external_id: 'text',
  roller_id: 'text',
  created_at: 'bigint',
  updated_at: 'bigint',
});

export const userById = rowByKey('users', { id: 'text' });

/** Locked, so that the user is not deleted until the end of the transaction. */
export const holdUserById = locking('users', userById);

/** Whoever rolled, by the id that stands for them in rolls and events. */
export const userByRoller = lookup({ rollerId: 'text' }, (queries, teamId, { rollerId }) =>
  rowsOf('users', { queries, teamId }, { roller_id: rollerId }).selectAll(),
);

export const userByExternalId = lookup({ externalId: 'text' }, (queries, teamId, { externalId }) =>
  rowsOf('users', { queries, teamId }, { external_id: externalId }).selectAll(),
);

export const selectUsers = async (reader: Reader, externalId: string | undefined, page: Page): Promise<Paged<User>> => {
  const query = rowsOf('users', reader)
    .selectAll()
    .$if(externalId !== undefined, (some) => some.where('external_id', '=', externalId as string));
  return mapPage(paged(await onPage(query, 'users', page).execute(), page), toUser);
};

/** The first text after all that begin with another, in byte order; undefined if there is none. */
const endOfPrefix = (prefix: string): string | undefined => {
  const points = Array.from(prefix, (character) => character.codePointAt(0) as number);
  while (points.at(-1) === 0x10ffff) points.pop();
  const last = points.pop();
  // There are no characters from D800 to DFFF.
  return last === undefined ? undefined : String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
};

/** Users with an id or external id that begins with a text, in the order of that. */
export const selectByPrefix = (
  reader: Reader,
  column: 'id' | 'external_id',
  prefix: string,
  after: string | undefined,
  limit: number,
): Promise<UserRow[]> => {
  const end = endOfPrefix(prefix);
  const text = sql<string>`${sql.ref(column)} collate "C"`;
  let query = rowsOf('users', reader).selectAll().where(text, '>=', prefix).orderBy(text).limit(limit);
  if (end !== undefined) query = query.where(text, '<', end);
  if (after !== undefined) query = query.where(text, '>', after);
  return query.execute();
};

/** False if the user was already deleted. */
export const holdUser = async (tx: Transaction, id: string): Promise<boolean> =>
  (await rowsOf('users', tx, { id }).select('id').forUpdate().execute()).length > 0;

/** States, user spaces, placements and instances are deleted by cascade. */
export const deleteUser = ({ queries, teamId }: Transaction, id: string) =>
  queries.deleteFrom('users').where('team_id', '=', teamId).where('id', '=', id).execute();
