import { sql } from 'kysely';
import { lookup, rowsOf } from '../../database/declarations.ts';
import type { Tables } from '../../database/tables.ts';
import type { Reader, Transaction } from '../../database/work.ts';

export type FeedRow = Omit<Tables['event_feeds'], 'team_id'>;

/** A row of the feed that has its place. */
export interface EventRow {
  readonly id: string;
  readonly position: number;
  readonly events: string;
}

export const feedOf = lookup({}, (queries, teamId) =>
  rowsOf('event_feeds', { queries, teamId }).select(['types', 'position', 'last_id']),
);

/** The rows from a position on. */
export const rowsFrom = lookup({ position: 'bigint', limit: 'integer' }, (queries, teamId, { position, limit }) =>
  rowsOf('events', { queries, teamId })
    .select(['id', 'position', 'events'])
    .$narrowType<{ position: number }>()
    .where('position', '>=', position)
    .orderBy('position')
    .limit(limit),
);

/** Teams that have events without a place. */
export const selectWaiting = async ({ queries }: Reader): Promise<string[]> => {
  const rows = await queries.selectFrom('events').select('team_id').distinct().where('position', 'is', null).execute();
  return rows.map(({ team_id }) => team_id);
};

/**
 * Locks the feed of a team. Undefined if another transaction gives places at the moment, which need not be waited for.
 */
export const holdFeed = async ({ queries, teamId }: Transaction): Promise<{ position: number } | undefined> => {
  const held = () =>
    rowsOf('event_feeds', { queries, teamId }).select('position').forUpdate().skipLocked().executeTakeFirst();
  const found = await held();
  if (found !== undefined) return found;
  await queries
    .insertInto('event_feeds')
    .values({ team_id: teamId, types: null, position: 0, last_id: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return held();
};

/**
 * Gives places to all rows that are committed and have none; returns the last one. What a row lock put in order has
 * numbers in that order, and so has what was requested after something else was answered. The rows of one transaction,
 * which become visible together, stay together.
 */
export const placeRows = async (
  { queries, teamId }: Transaction,
  after: number,
): Promise<{ position: number; id: string } | undefined> => {
  const { rows } = await sql<{ position: number; id: string }>`
    with waiting as (
      select id, row_number() over (order by first, id) as place from (
        select id, min(number) over (partition by batch) as first from events
        where team_id = ${teamId} and position is null) as found)
    update events set position = ${after} + waiting.place from waiting
    where events.team_id = ${teamId} and events.id = waiting.id
    returning events.position as position, events.id as id`.execute(queries);
  return rows.reduce<{ position: number; id: string } | undefined>(
    (last, row) => (last === undefined || row.position > last.position ? row : last),
    undefined,
  );
};

export const saveLast = async (
  { queries, teamId }: Transaction,
  { position, id }: { readonly position: number; readonly id: string },
): Promise<void> => {
  await queries.updateTable('event_feeds').set({ position, last_id: id }).where('team_id', '=', teamId).execute();
};

export const saveTypes = async ({ queries, teamId }: Transaction, types: string | null): Promise<void> => {
  await queries
    .insertInto('event_feeds')
    .values({ team_id: teamId, types, position: 0, last_id: null })
    .onConflict((conflict) => conflict.column('team_id').doUpdateSet({ types }))
    .execute();
};
