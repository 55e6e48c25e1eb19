import type { Reader, Transaction } from '../../database/database.ts';
import { rowsStatement } from '../../database/statement.ts';
import type { Tables } from '../../database/tables.ts';
import type { StatisticsFilter } from './statistics.contract.ts';

/** What the counters of rolls without a template have in its place; a filter that names it finds nothing. */
export const NO_TEMPLATE = '';
/** What the counters of all days together have in place of the day. */
export const EVER = '';

type CountsRow = Tables['roll_counts'];

export const insertPending = rowsStatement<Tables['roll_pending']>((queries, rows) =>
  queries.insertInto('roll_pending').values(
    rows.map((row) => ({
      team_id: row.team_id,
      id: row.id,
      template_id: row.template_id,
      day: row.day,
      rolls: row.rolls,
      counts: row.counts,
    })),
  ),
);

/** Whether so many rows wait to be added to the counters. */
export const arePending = async (reader: Reader, least: number): Promise<boolean> => {
  const row = await reader
    .selectFrom('roll_pending')
    .select('id')
    .orderBy('team_id')
    .orderBy('id')
    .offset(least - 1)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
};

/** Takes some of the rows that wait, none that another transaction is taking. */
export const takePending = (tx: Transaction, most: number): Promise<Tables['roll_pending'][]> =>
  tx
    .deleteFrom('roll_pending')
    .where((eb) =>
      eb(
        eb.refTuple('team_id', 'id'),
        'in',
        eb
          .selectFrom('roll_pending as waiting')
          .select(['waiting.team_id', 'waiting.id'])
          .orderBy('waiting.team_id')
          .orderBy('waiting.id')
          .limit(most)
          .forUpdate()
          .skipLocked()
          .$asTuple('team_id', 'id'),
      ),
    )
    .returningAll()
    .execute();

type CountsKey = Pick<CountsRow, 'team_id' | 'day' | 'template_id'>;

/** One row of counters, held until the end of the transaction. */
export const holdCounts = (tx: Transaction, { team_id, day, template_id }: CountsKey) =>
  tx
    .selectFrom('roll_counts')
    .select(['rolls', 'counts'])
    .where('team_id', '=', team_id)
    .where('day', '=', day)
    .where('template_id', '=', template_id)
    .forUpdate()
    .executeTakeFirst();

/** Fails where another made the same row meanwhile, so that the transaction runs again and finds it. */
export const insertCounts = (tx: Transaction, row: CountsRow) => tx.insertInto('roll_counts').values(row).execute();

export const updateCounts = (tx: Transaction, { team_id, day, template_id, rolls, counts }: CountsRow) =>
  tx
    .updateTable('roll_counts')
    .set({ rolls, counts })
    .where('team_id', '=', team_id)
    .where('day', '=', day)
    .where('template_id', '=', template_id)
    .execute();

const matching = (reader: Reader, table: 'roll_counts' | 'roll_pending', teamId: string, filter: StatisticsFilter) => {
  const { from, to, templateId } = filter;
  let query = reader.selectFrom(table as 'roll_counts').where('team_id', '=', teamId);
  if (templateId !== undefined)
    query = query.where('template_id', '=', templateId).where('template_id', '<>', NO_TEMPLATE);
  if (from !== undefined) query = query.where('day', '>=', from);
  if (to !== undefined) query = query.where('day', '<=', to);
  return query;
};

/** The counters that a filter asks for: those of all days together where it names no day. */
export const selectCounts = (
  reader: Reader,
  teamId: string,
  filter: StatisticsFilter,
): Promise<{ counts: string }[]> => {
  const daily = filter.from !== undefined || filter.to !== undefined;
  return matching(reader, 'roll_counts', teamId, filter)
    .select('counts')
    .where('day', daily ? '<>' : '=', EVER)
    .execute();
};

/** How many rolls each day saw, by template. */
export const selectDays = (reader: Reader, teamId: string, filter: StatisticsFilter) =>
  matching(reader, 'roll_counts', teamId, filter)
    .select(['day', 'template_id', 'rolls'])
    .where('day', '<>', EVER)
    .execute();

export const selectPending = (reader: Reader, teamId: string, filter: StatisticsFilter) =>
  matching(reader, 'roll_pending', teamId, filter).select(['day', 'template_id', 'rolls', 'counts']).execute();
