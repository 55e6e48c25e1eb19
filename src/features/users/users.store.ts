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

/** False if the user was already deleted. */
export const holdUser = async (tx: Transaction, id: string): Promise<boolean> =>
  (await rowsOf('users', tx, { id }).select('id').forUpdate().execute()).length > 0;

/** States, user spaces, placements and instances are deleted by cascade. */
export const deleteUser = ({ queries, teamId }: Transaction, id: string) =>
  queries.deleteFrom('users').where('team_id', '=', teamId).where('id', '=', id).execute();
