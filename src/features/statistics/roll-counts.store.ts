import { insertInto, lockingLookup, lookup, updateIn } from '../../database/declarations.ts';
import type { Tables } from '../../database/tables.ts';
import type { Reader, Transaction } from '../../database/work.ts';
import type { StatisticsFilter } from './statistics.contract.ts';

/** What the counters of rolls without a template have in its place; a filter that names it finds nothing. */
export const NO_TEMPLATE = '';
/** What the counters of all days together have in place of the day. */
export const EVER = '';

/** Rows that wait to be added to the counters, made of what the commands of a group have counted. */
export const insertPending = <Left>(gather: (left: readonly Left[]) => Omit<Tables['roll_pending'], 'team_id'>[]) =>
  insertInto(
    'roll_pending',
    { id: 'text', template_id: 'text', day: 'text', rolls: 'bigint', counts: 'text' },
    { gather },
  );

/** Teams that have so many rows waiting to be added to the counters. */
export const selectTeamsWithPending = async ({ queries }: Reader, least: number): Promise<string[]> => {
  const rows = await queries
    .selectFrom('roll_pending')
    .select('team_id')
    .groupBy('team_id')
    .having((eb) => eb.fn.countAll<number>(), '>=', least)
    .execute();
  return rows.map(({ team_id }) => team_id);
};

/** Takes some of the rows that wait, none that another transaction is taking. */
export const takePending = ({ queries, teamId }: Transaction, most: number): Promise<Tables['roll_pending'][]> =>
  queries
    .deleteFrom('roll_pending')
    .where('team_id', '=', teamId)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('roll_pending as waiting')
        .select('waiting.id')
        .where('waiting.team_id', '=', teamId)
        .orderBy('waiting.id')
        .limit(most)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .execute();

/** One part of the counters, held until the end of the transaction. */
export const holdCounts = lockingLookup(
  'roll_counts',
  { day: 'text', templateId: 'text', part: 'integer' },
  (queries, teamId, { day, templateId, part }) =>
    queries
      .selectFrom('roll_counts')
      .select(['rolls', 'counts'])
      .where('team_id', '=', teamId)
      .where('day', '=', day)
      .where('template_id', '=', templateId)
      .where('part', '=', part)
      .forUpdate(),
);

const COLUMNS = { day: 'text', template_id: 'text', part: 'integer', rolls: 'bigint', counts: 'text' } as const;

/** A collision where another made the same row meanwhile, so that the transaction runs again and finds it. */
export const insertCounts = insertInto('roll_counts', COLUMNS);

export const updateCounts = updateIn('roll_counts', COLUMNS, { key: ['day', 'template_id', 'part'] });

const matching = (reader: Reader, table: 'roll_counts' | 'roll_pending', teamId: string, filter: StatisticsFilter) => {
  const { from, to, templateId } = filter;
  let query = reader.queries.selectFrom(table as 'roll_counts').where('team_id', '=', teamId);
  if (templateId !== undefined)
    query = query.where('template_id', '=', templateId).where('template_id', '<>', NO_TEMPLATE);
  if (from !== undefined) query = query.where('day', '>=', from);
  if (to !== undefined) query = query.where('day', '<=', to);
  return query;
};

/** How many rolls each day saw, by template. */
export const selectDays = (reader: Reader, teamId: string, filter: StatisticsFilter) =>
  matching(reader, 'roll_counts', teamId, filter)
    .select((eb) => ['day', 'template_id', eb.fn.sum<number>('rolls').as('rolls')])
    .where('day', '<>', EVER)
    .groupBy(['day', 'template_id'])
    .execute();

/** How many rolls there ever were, by template. */
export const selectEver = (reader: Reader, teamId: string, { templateId }: StatisticsFilter) =>
  matching(reader, 'roll_counts', teamId, { templateId })
    .select((eb) => ['day', 'template_id', eb.fn.sum<number>('rolls').as('rolls')])
    .where('day', '=', EVER)
    .groupBy(['day', 'template_id'])
    .execute();

/** What was rolled on one day, on one template, in parts. */
export const countsOf = lookup({ day: 'text', templateId: 'text' }, (queries, teamId, { day, templateId }) =>
  queries
    .selectFrom('roll_counts')
    .select('counts')
    .where('team_id', '=', teamId)
    .where('day', '=', day)
    .where('template_id', '=', templateId),
);

export const selectPending = (reader: Reader, teamId: string, filter: StatisticsFilter) =>
  matching(reader, 'roll_pending', teamId, filter).select(['day', 'template_id', 'rolls', 'counts']).execute();
