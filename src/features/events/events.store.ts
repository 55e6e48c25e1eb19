import { lookup, rowsOf, updateIn } from '../../database/declarations.ts';
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

const lastOf = lookup({}, (queries, teamId) => rowsOf('event_feeds', { queries, teamId }).select('position'));

/** Locks the feed of a team; finds nothing if another transaction has it, which need not be waited for. */
export const holdFeed: typeof lastOf = {
  ...lastOf,
  locks: 'event_feeds',
  build: (queries, teamId) => rowsOf('event_feeds', { queries, teamId }).select('position').forUpdate().skipLocked(),
};

/** A team that never had an event has no feed. */
export const createFeed = async ({ queries, teamId }: Transaction): Promise<void> => {
  await queries
    .insertInto('event_feeds')
    .values({ team_id: teamId, types: null, position: 0, last_id: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
};

/** Rows that are committed and have no place, in no order. */
export const waitingRows = lookup({}, (queries, teamId) =>
  rowsOf('events', { queries, teamId }).select(['id', 'batch', 'number']).where('position', 'is', null),
);

export const savePlace = updateIn('events', { id: 'text', position: 'bigint' }, { key: ['id'] });

export const saveLast = updateIn('event_feeds', { position: 'bigint', last_id: 'text' });

export const saveTypes = async ({ queries, teamId }: Transaction, types: string | null): Promise<void> => {
  await queries
    .insertInto('event_feeds')
    .values({ team_id: teamId, types, position: 0, last_id: null })
    .onConflict((conflict) => conflict.column('team_id').doUpdateSet({ types }))
    .execute();
};
