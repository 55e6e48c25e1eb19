import { sql } from 'kysely';
import { insertInto, lookup, rowsOf } from '../../database/declarations.ts';
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
  author: 'text',
  reason: 'text',
  deleted_row: 'text',
  before: 'text',
  after: 'text',
});

/**
 * The number of the last event of an instance, and its owner before the second event. Always one row, even without
 * events.
 */
export const pastOf = lookup({ itemInstanceId: 'text' }, (queries, teamId, { itemInstanceId }) => {
  const events = rowsOf('item_instance_history', { queries, teamId }, { item_instance_id: itemInstanceId });
  return queries.selectNoFrom([
    events.select('sequence').orderBy('sequence', 'desc').limit(1).as('last'),
    events.select('from_user_id').where('sequence', '=', sql.lit(2)).as('first_owner'),
  ]);
});

/** The last event of an instance. */
export const lastEventOf = lookup({ itemInstanceId: 'text' }, (queries, teamId, { itemInstanceId }) =>
  rowsOf('item_instance_history', { queries, teamId }, { item_instance_id: itemInstanceId })
    .select(['sequence', 'event', 'item_id', 'from_user_id', 'created_at', 'deleted_row'])
    .orderBy('sequence', 'desc')
    .limit(1),
);

export const selectEvents = (
  reader: Reader,
  itemInstanceId: string,
  after: number,
  limit: number,
): Promise<EventRow[]> =>
  rowsOf('item_instance_history', reader, { item_instance_id: itemInstanceId })
    .selectAll()
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(limit)
    .execute();

/** The events by which instances left a user, in key order. */
export const selectPartings = (
  reader: Reader,
  userId: string,
  after: { readonly createdAtMs: number; readonly id: string } | undefined,
  limit: number,
): Promise<EventRow[]> =>
  rowsOf('item_instance_history', reader, { from_user_id: userId })
    .selectAll()
    .$if(after !== undefined, (rest) =>
      rest.where(sql<boolean>`(item_instance_id, sequence) > (${after?.id}, ${after?.createdAtMs})`),
    )
    .orderBy('item_instance_id')
    .orderBy('sequence')
    .limit(limit)
    .execute();

/** The deletions of what a user owned since a moment, of which enough is kept to restore it, in key order. */
export const selectDeletions = (
  reader: Reader,
  userId: string,
  sinceMs: number,
  after: { readonly createdAtMs: number; readonly id: string } | undefined,
  limit: number,
): Promise<EventRow[]> =>
  rowsOf('item_instance_history', reader, { from_user_id: userId, event: 'deleted' })
    .selectAll()
    .where('created_at', '>=', sinceMs)
    .where('deleted_row', 'is not', null)
    .$if(after !== undefined, (rest) =>
      rest.where(sql<boolean>`(item_instance_id, sequence) > (${after?.id}, ${after?.createdAtMs})`),
    )
    .orderBy('item_instance_id')
    .orderBy('sequence')
    .limit(limit)
    .execute();

/** Position of an event in key order. */
export type EventKey = readonly [teamId: string, itemInstanceId: string, sequence: number];

/** The next events of the same team in key order. */
const eventsAfter = ({ queries }: Transaction, [teamId, ...after]: EventKey, most: number) =>
  rowsOf('item_instance_history', { queries, teamId })
    .where(sql<boolean>`(item_instance_id, sequence) > (${sql.join(after)})`)
    .orderBy('item_instance_id')
    .orderBy('sequence')
    .limit(most);

/** The last of `most` events of the same team after the given one; undefined if there are fewer. */
export const selectKeyAfter = async (tx: Transaction, after: EventKey, most: number): Promise<EventKey | undefined> => {
  const row = await eventsAfter(tx, after, 1)
    .select(['item_instance_id', 'sequence'])
    .offset(most - 1)
    .executeTakeFirst();
  return row && [after[0], row.item_instance_id, row.sequence];
};

/** Before the first event of the next team; undefined if there is none. */
export const selectNextTeam = async ({ queries }: Transaction, [teamId]: EventKey): Promise<EventKey | undefined> => {
  const row = await queries
    .selectFrom('item_instance_history')
    .select('team_id')
    .where('team_id', '>', teamId)
    .orderBy('team_id')
    .limit(1)
    .executeTakeFirst();
  return row && [row.team_id, '', 0];
};

/** Whether an event is followed by another of the same instance that satisfies the condition. */
const isFollowed = (teamId: string, by: string, of: string, such = sql`true`) =>
  sql<boolean>`exists (select 1 from ${sql.table('item_instance_history')} as ${sql.ref(by)}
    where ${sql.ref(`${by}.team_id`)} = ${teamId}
      and ${sql.ref(`${by}.item_instance_id`)} = ${sql.ref(`${of}.item_instance_id`)}
      and ${sql.ref(`${by}.sequence`)} > ${sql.ref(`${of}.sequence`)} and ${such})`;

/**
 * Removes old ones among the `most` events of the same team after the given one. The last event of an existing instance
 * stays: it has the latest number and shows that the instance changed hands. All events of a deleted instance are
 * removed once its deletion is old enough; the order is ascending, so the deletion is removed last.
 */
export const deleteOldEvents = async (tx: Transaction, after: EventKey, most: number, beforeMs: number) => {
  const [teamId] = after;
  const isLast = sql<boolean>`not ${isFollowed(teamId, 'next', 'last')}`;
  const isOldDeletion = (name: string) =>
    sql<boolean>`${sql.ref(`${name}.event`)} = 'deleted' and ${sql.ref(`${name}.created_at`)} < ${beforeMs}`;
  await tx.queries
    .deleteFrom('item_instance_history')
    .where('team_id', '=', teamId)
    .where((eb) =>
      eb(
        eb.refTuple('item_instance_id', 'sequence'),
        'in',
        eb
          .selectFrom(eventsAfter(tx, after, most).selectAll().as('seen'))
          .select(['seen.item_instance_id', 'seen.sequence'])
          .where(sql<boolean>`(seen.created_at < ${beforeMs} and ${isFollowed(teamId, 'later', 'seen')})
            or (${isOldDeletion('seen')} and not ${isFollowed(teamId, 'next', 'seen')})
            or ${isFollowed(teamId, 'last', 'seen', sql`${isOldDeletion('last')} and ${isLast}`)}`)
          .$asTuple('item_instance_id', 'sequence'),
      ),
    )
    .execute();
};

/** Removes a user from the events in which these instances were given to them. */
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

/** Removes a user from the events in which instances left them. */
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
