import type { ExpressionBuilder } from 'kysely';
import type { Reader } from '../../database/database.ts';
import type { Tables } from '../../database/tables.ts';
import type { StatisticsFilter } from './statistics.contract.ts';

/** What the counters of rolls without a template have in its place; a filter that names it finds nothing. */
const NO_TEMPLATE = '';

type Counted = 'roll_item_totals' | 'roll_item_days' | 'roll_days';

/** Sums come back as numbers on both engines; PostgreSQL's numeric is parsed in one place. */
const total = (eb: ExpressionBuilder<Tables, Counted>) => eb.fn.sum<number>('count').as('count');

/** Counters of items: by day only where days matter, since there are many more of those. */
const itemCounters = (reader: Reader, teamId: string, { from, to, templateId }: StatisticsFilter) => {
  const daily = from !== undefined || to !== undefined;
  let query = reader
    .selectFrom(daily ? 'roll_item_days' : ('roll_item_totals' as 'roll_item_days'))
    .where('team_id', '=', teamId);
  if (templateId !== undefined)
    query = query.where('template_id', '=', templateId).where('template_id', '<>', NO_TEMPLATE);
  if (from !== undefined) query = query.where('day', '>=', from);
  if (to !== undefined) query = query.where('day', '<=', to);
  return query;
};

export const selectItemCounts = (reader: Reader, teamId: string, filter: StatisticsFilter) =>
  itemCounters(reader, teamId, filter).select(['item_id', total]).groupBy('item_id').execute();

export const selectTemplateCounts = (reader: Reader, teamId: string, filter: StatisticsFilter) =>
  dayCounters(reader, teamId, filter).select(['template_id', total]).groupBy('template_id').execute();

const dayCounters = (reader: Reader, teamId: string, { from, to, templateId }: StatisticsFilter) => {
  let query = reader.selectFrom('roll_days').where('team_id', '=', teamId);
  if (templateId !== undefined)
    query = query.where('template_id', '=', templateId).where('template_id', '<>', NO_TEMPLATE);
  if (from !== undefined) query = query.where('day', '>=', from);
  if (to !== undefined) query = query.where('day', '<=', to);
  return query;
};

export const selectDayCounts = (reader: Reader, teamId: string, filter: StatisticsFilter) =>
  dayCounters(reader, teamId, filter).select(['day', total]).groupBy('day').orderBy('day').execute();

/** Items that were rolled, most first, each with its present or its last name. */
export const selectDropCounts = async (reader: Reader, teamId: string, filter: StatisticsFilter) =>
  reader
    .with('counted', () => itemCounters(reader, teamId, filter).select(['item_id', total]).groupBy('item_id'))
    .selectFrom('counted')
    .leftJoin('items', (join) => join.onRef('items.id', '=', 'counted.item_id').on('items.team_id', '=', teamId))
    .leftJoin('deleted_items', (join) =>
      join.onRef('deleted_items.id', '=', 'counted.item_id').on('deleted_items.team_id', '=', teamId),
    )
    .select((eb) => [
      'counted.item_id as itemId',
      eb.fn.coalesce('items.name', 'deleted_items.name').as('itemName'),
      'counted.count as dropCount',
    ])
    .orderBy('counted.count', 'desc')
    .orderBy('counted.item_id')
    .execute();
