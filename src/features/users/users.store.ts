import { insertInto, locking, lookup } from '../../database/declarations.ts';
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

export const userById = lookup({ id: 'text' }, (queries, teamId, { id }) =>
  queries.selectFrom('users').selectAll().where('team_id', '=', teamId).where('id', '=', id),
);

/** Locked, so that the user is not deleted until the end of the transaction. */
export const holdUserById = locking('users', userById);

export const userByExternalId = lookup({ externalId: 'text' }, (queries, teamId, { externalId }) =>
  queries.selectFrom('users').selectAll().where('team_id', '=', teamId).where('external_id', '=', externalId),
);

export const selectUsers = async (
  { queries, teamId }: Reader,
  externalId: string | undefined,
  page: Page,
): Promise<Paged<User>> => {
  const query = queries
    .selectFrom('users')
    .selectAll()
    .where('team_id', '=', teamId)
    .$if(externalId !== undefined, (some) => some.where('external_id', '=', externalId as string));
  return mapPage(paged(await onPage(query, 'users', page).execute(), page), toUser);
};

/** False if the user was already deleted. */
export const holdUser = async ({ queries, teamId }: Transaction, id: string): Promise<boolean> => {
  const rows = await queries
    .selectFrom('users')
    .select('id')
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .forUpdate()
    .execute();
  return rows.length > 0;
};

/** States, user spaces, placements and instances are deleted by cascade. */
export const deleteUser = ({ queries, teamId }: Transaction, id: string) =>
  queries.deleteFrom('users').where('team_id', '=', teamId).where('id', '=', id).execute();
