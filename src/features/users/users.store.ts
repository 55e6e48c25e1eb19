import type { Reader, Transaction } from '../../database/database.ts';
import { mapPage, onPage, type Page, type Paged, paged } from '../../database/paging.ts';
import { statement } from '../../database/statement.ts';
import type { Tables } from '../../database/tables.ts';
import { isoTime } from '../../time.ts';
import type { User } from './users.contract.ts';

const toUser = (row: Tables['users']): User => ({
  id: row.id,
  externalId: row.external_id,
  teamId: row.team_id,
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
});

interface NewUserRow {
  readonly teamId: string;
  readonly id: string;
  readonly externalId: string | null;
  readonly nowMs: number;
}

const insertUnlessThere = statement<NewUserRow, { id: string }>((queries, { teamId, id, externalId, nowMs }) =>
  queries
    .insertInto('users')
    .values({ team_id: teamId, id, external_id: externalId, created_at: nowMs, updated_at: nowMs })
    .onConflict((conflict) => conflict.columns(['team_id', 'id']).doNothing())
    .returning('id'),
);

/** True where the user was not there before. */
export const insertUser = async (tx: Transaction, row: NewUserRow): Promise<boolean> =>
  (await insertUnlessThere(tx, row)).length > 0;

export const selectUser = async (reader: Reader, teamId: string, id: string): Promise<User | undefined> => {
  const row = await reader
    .selectFrom('users')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && toUser(row);
};

export const selectUsers = async (
  reader: Reader,
  teamId: string,
  externalId: string | undefined,
  page: Page,
): Promise<Paged<User>> => {
  const query = reader
    .selectFrom('users')
    .selectAll()
    .where('team_id', '=', teamId)
    .$if(externalId !== undefined, (some) => some.where('external_id', '=', externalId as string));
  return mapPage(paged(await onPage(query, 'users', page).execute(), page), toUser);
};

/** Holds what a user has on templates, owns and has as spaces, until the end of the transaction. */
export const holdBelongings = async (tx: Transaction, teamId: string, userId: string): Promise<void> => {
  await tx
    .selectFrom('user_states')
    .select('scope')
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .orderBy('scope')
    .forUpdate()
    .execute();
  for (const table of ['item_instances', 'user_spaces'] as const) {
    await tx
      .selectFrom(table)
      .select('id')
      .where('team_id', '=', teamId)
      .where('user_id', '=', userId)
      .orderBy('id')
      .forUpdate()
      .execute();
  }
};

/** False where the user is gone already. */
export const holdUser = async (tx: Transaction, teamId: string, id: string): Promise<boolean> => {
  const rows = await tx
    .selectFrom('users')
    .select('id')
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .forUpdate()
    .execute();
  return rows.length > 0;
};

/** The database takes user spaces, placements and instances along. */
export const deleteUser = (tx: Transaction, teamId: string, id: string) =>
  tx.deleteFrom('users').where('team_id', '=', teamId).where('id', '=', id).execute();

export const forgetRoller = (tx: Transaction, teamId: string, userId: string) =>
  tx
    .updateTable('roll_events')
    .set({ user_id: null })
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .execute();
