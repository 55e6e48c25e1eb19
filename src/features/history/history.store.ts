import { sql } from 'kysely';
import { insertInto, lookup } from '../../database/declarations.ts';
import type { Tables } from '../../database/tables.ts';
import type { Reader, Transaction } from '../../database/work.ts';

export type EventRow = Omit<Tables['item_instance_history'], 'team_id'>;

export const insertEvent = insertInto('item_instance_history', {
  item_instance_id: 'text',
  sequence: 'bigint',
  item_id: 'text',
  event: 'text',
  from_user_id: 'text',
  to_user_id: 'text',
  cause: 'text',
  created_at: 'bigint',
  request_id: 'text',
});

/** The number of the last event of an instance, and who had it before the second; one row, whether there are any or not. */
export const pastOf = lookup({ itemInstanceId: 'text' }, (queries, teamId, { itemInstanceId }) => {
  const events = queries
    .selectFrom('item_instance_history')
    .where('team_id', '=', teamId)
    .where('item_instance_id', '=', itemInstanceId);
  return queries.selectNoFrom([
    events.select('sequence').orderBy('sequence', 'desc').limit(1).as('last'),
    events.select('from_user_id').where('sequence', '=', sql.lit(2)).as('first_owner'),
  ]);
});

export const selectEvents = (
  { queries, teamId }: Reader,
  itemInstanceId: string,
  after: number,
  limit: number,
): Promise<EventRow[]> =>
  queries
    .selectFrom('item_instance_history')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('item_instance_id', '=', itemInstanceId)
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(limit)
    .execute();

/** Takes a user out of the events in which these instances came to them. */
export const forgetReceiver = async (
  { queries, teamId }: Transaction,
  userId: string,
  itemInstanceIds: readonly string[],
): Promise<void> => {
  await queries
    .updateTable('item_instance_history')
    .set({ to_user_id: null })
    .where('team_id', '=', teamId)
    .where('item_instance_id', 'in', itemInstanceIds)
    .where('to_user_id', '=', userId)
    .execute();
};

/** Takes a user out of the events of all that has gone from them. */
export const forgetGiver = async ({ queries, teamId }: Transaction, userId: string): Promise<void> => {
  await queries
    .updateTable('item_instance_history')
    .set({ to_user_id: null })
    .where('team_id', '=', teamId)
    .where('to_user_id', '=', userId)
    .where('item_instance_id', 'in', (eb) =>
      eb
        .selectFrom('item_instance_history as left')
        .select('left.item_instance_id')
        .where('left.team_id', '=', teamId)
        .where('left.from_user_id', '=', userId),
    )
    .execute();
  await queries
    .updateTable('item_instance_history')
    .set({ from_user_id: null })
    .where('team_id', '=', teamId)
    .where('from_user_id', '=', userId)
    .execute();
};
