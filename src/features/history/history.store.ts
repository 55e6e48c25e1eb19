import { sql } from 'kysely';
import type { Reader, Transaction } from '../../database/database.ts';
import type { Page, Paged } from '../../database/paging.ts';
import { rowsStatement, statement } from '../../database/statement.ts';
import type { Tables } from '../../database/tables.ts';
import { isoTime } from '../../time.ts';
import type { HistoryEvent } from './history.contract.ts';

export type HistoryRow = Tables['item_instance_history'];

export const insertEvents = rowsStatement<HistoryRow>((queries, rows) =>
  queries.insertInto('item_instance_history').values(
    rows.map((row) => ({
      team_id: row.team_id,
      item_instance_id: row.item_instance_id,
      sequence: row.sequence,
      item_id: row.item_id,
      event: row.event,
      from_user_id: row.from_user_id,
      to_user_id: row.to_user_id,
      cause: row.cause,
      created_at: row.created_at,
      request_id: row.request_id,
    })),
  ),
);

const selectLast = statement<{ teamId: string; id: string }, { sequence: number }>((queries, { teamId, id }) =>
  queries
    .selectFrom('item_instance_history')
    .select('sequence')
    .where('team_id', '=', teamId)
    .where('item_instance_id', '=', id)
    .orderBy('sequence', 'desc')
    .limit(1),
);

/** The number of the next event of an instance: 1 where there was none. */
export const nextSequence = async (reader: Reader, teamId: string, id: string): Promise<number> => {
  const [last] = await selectLast(reader, { teamId, id });
  return (last?.sequence ?? 0) + 1;
};

/** One event for each instance that the user has. It does not name the user, who is about to be forgotten. */
export const insertDeletionsOf = (
  tx: Transaction,
  { teamId, nowMs, requestId }: { teamId: string; nowMs: number; requestId: string },
  userId: string,
) =>
  tx
    .insertInto('item_instance_history')
    .columns([
      'team_id',
      'item_instance_id',
      'sequence',
      'item_id',
      'event',
      'from_user_id',
      'to_user_id',
      'cause',
      'created_at',
      'request_id',
    ])
    .expression((eb) =>
      eb
        .selectFrom('item_instances as instance')
        .select((select) => [
          'instance.team_id',
          'instance.id',
          select(
            select.fn.coalesce(
              select
                .selectFrom('item_instance_history as earlier')
                .select((inner) => inner.fn.max('earlier.sequence').as('last'))
                .whereRef('earlier.team_id', '=', 'instance.team_id')
                .whereRef('earlier.item_instance_id', '=', 'instance.id'),
              sql<number>`0`,
            ),
            '+',
            sql<number>`1`,
          ).as('sequence'),
          'instance.item_id',
          sql<'deleted'>`'deleted'`.as('event'),
          sql<null>`null`.as('from_user_id'),
          sql<null>`null`.as('to_user_id'),
          sql<string>`'user deleted'`.as('cause'),
          sql<number>`cast(${nowMs} as bigint)`.as('created_at'),
          sql<string>`cast(${requestId} as text)`.as('request_id'),
        ])
        .where('instance.team_id', '=', teamId)
        .where('instance.user_id', '=', userId),
    )
    .execute();

/** Takes a user out of every event. Their instances are still there. */
export const forgetUser = async (tx: Transaction, teamId: string, userId: string): Promise<void> => {
  // What came to them is theirs, or has gone from them since: the events that name them are those of such instances.
  await tx
    .updateTable('item_instance_history')
    .set({ to_user_id: null })
    .where('team_id', '=', teamId)
    .where('to_user_id', '=', userId)
    .where('item_instance_id', 'in', (eb) =>
      eb
        .selectFrom('item_instances')
        .select('id')
        .where('team_id', '=', teamId)
        .where('user_id', '=', userId)
        .union(
          eb
            .selectFrom('item_instance_history as left')
            .select('left.item_instance_id as id')
            .where('left.team_id', '=', teamId)
            .where('left.from_user_id', '=', userId),
        ),
    )
    .execute();
  await tx
    .updateTable('item_instance_history')
    .set({ from_user_id: null })
    .where('team_id', '=', teamId)
    .where('from_user_id', '=', userId)
    .execute();
};

export const selectEvents = async (
  reader: Reader,
  teamId: string,
  id: string,
  { limit, after }: Page,
): Promise<Paged<HistoryEvent>> => {
  // The events of one instance are numbered, so the number is where a page goes on.
  const found = await reader
    .selectFrom('item_instance_history')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('item_instance_id', '=', id)
    .where('sequence', '>', after?.createdAtMs ?? 0)
    .orderBy('sequence')
    .limit(limit + 1)
    .execute();
  const rows = found.slice(0, limit).map((row) => ({
    sequence: row.sequence,
    itemInstanceId: row.item_instance_id,
    itemId: row.item_id,
    event: row.event,
    fromUserId: row.from_user_id,
    toUserId: row.to_user_id,
    cause: row.cause,
    requestId: row.request_id,
    createdAt: isoTime(row.created_at),
  }));
  const last = rows.at(-1);
  return found.length > limit && last ? { rows, next: { createdAtMs: last.sequence, id } } : { rows };
};
