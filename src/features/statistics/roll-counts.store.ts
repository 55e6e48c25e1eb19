import { insertInto, lookup } from '../../database/declarations.ts';
import type { Tables } from '../../database/tables.ts';
import type { Reader, Transaction } from '../../database/work.ts';
import type { StatisticsFilter } from './statistics.contract.ts';

/** What the counters of rolls without a template have in its place; a filter that names it finds nothing. */
export const NO_TEMPLATE = '';
/** What the counters of all days together have in place of the day. */
export const EVER = '';

type CountsRow = Tables['roll_counts'];

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

type CountsKey = Pick<CountsRow, 'team_id' | 'day' | 'template_id'>;

/** One row of counters, held until the end of the transaction. */
export const holdCounts = (tx: Transaction, { team_id, day, template_id }: CountsKey) =>
  tx.queries
    .selectFrom('roll_counts')
    .select(['rolls', 'counts'])
    .where('team_id', '=', team_id)
    .where('day', '=', day)
    .where('template_id', '=', template_id)
    .forUpdate()
    .executeTakeFirst();

/** Fails where another made the same row meanwhile, so that the transaction runs again and finds it. */
export const insertCounts = (tx: Transaction, row: CountsRow) =>
  tx.queries.insertInto('roll_counts').values(row).execute();

export const updateCounts = (tx: Transaction, { team_id, day, template_id, rolls, counts }: CountsRow) =>
  tx.queries
    .updateTable('roll_counts')
    .set({ rolls, counts })
    .where('team_id', '=', team_id)
    .where('day', '=', day)
    .where('template_id', '=', template_id)
    .execute();

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
    .select(['day', 'template_id', 'rolls'])
    .where('day', '<>', EVER)
    .execute();

/** How many rolls there ever were, by template. */
export const selectEver = (reader: Reader, teamId: string, { templateId }: StatisticsFilter) =>
  matching(reader, 'roll_counts', teamId, { templateId })
    .select(['day', 'template_id', 'rolls'])
    .where('day', '=', EVER)
    .execute();

/** What was rolled on one day, on one template. */
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
