import { insertInto, locking, lookup, mergeInto, rowsOf, updateIn } from '../../database/declarations.ts';
import type { Tables } from '../../database/tables.ts';
import type { Reader, Transaction } from '../../database/work.ts';
import type { Observe } from '../../engine/evidence/observation.ts';
import { addCount, createSeenCounts, type ItemCounts, textOfCounts } from '../../shared/counts.ts';
import { newId } from '../../shared/ids.ts';
import { utcDay } from '../../shared/time.ts';
import type { StatisticsFilter } from './statistics.contract.ts';

/** Stands for no template in the counters; a filter with this value finds nothing. */
export const NO_TEMPLATE = '';
/** Stands for all days in the counters. */
export const EVER = '';

/** The rolls of one call. */
export interface Counted {
  /** The version of the catalog that was rolled on. */
  readonly version: number;
  readonly templateId: string | null;
  readonly nowMs: number;
  readonly rolled: readonly { readonly item: { readonly id: string } }[];
  /** Tells what is observed of them; null if they are no evidence, since they have other odds or none. */
  readonly observe: ((observe: Observe) => void) | null;
}

/**
 * Counts of rolls, added to the counters later, together with many others: if each roll updated a counter, all rolls
 * would wait for each other.
 */
export const insertPending = mergeInto(
  'roll_pending',
  {
    id: 'text',
    template_id: 'text',
    day: 'text',
    rolls: 'bigint',
    counts: 'text',
    version: 'integer',
    evidence: 'text',
  },
  {
    key: ({ templateId, nowMs, version, observe }: Counted) =>
      `${utcDay(nowMs)}\n${templateId ?? NO_TEMPLATE}\n${version}\n${observe !== null}`,
    row: (all) => {
      const [{ templateId, nowMs, version, observe: isObserved }] = all;
      const counts: ItemCounts = new Map();
      const seen = createSeenCounts();
      let rolls = 0;
      for (const { rolled, observe } of all) {
        rolls += rolled.length;
        for (const { item } of rolled) addCount(counts, item.id, 1);
        observe?.(seen.observe);
      }
      return {
        id: newId(),
        template_id: templateId ?? NO_TEMPLATE,
        day: utcDay(nowMs),
        rolls,
        counts: textOfCounts(counts),
        version,
        evidence: isObserved && seen.text(),
      };
    },
  },
);

/** Teams with at least `least` pending rows. */
export const selectTeamsWithPending = async ({ queries }: Reader, least: number): Promise<string[]> => {
  const rows = await queries
    .selectFrom('roll_pending')
    .select('team_id')
    .groupBy('team_id')
    .having((eb) => eb.fn.countAll<number>(), '>=', least)
    .execute();
  return rows.map(({ team_id }) => team_id);
};

/**
 * Takes some pending rows, skipping those that another transaction is taking. They are chosen once, before any is
 * deleted: PostgreSQL may run a subquery for each row, and would then choose others each time, and take them all.
 */
export const takePending = ({ queries, teamId }: Transaction, most: number): Promise<Tables['roll_pending'][]> =>
  queries
    .with(
      (cte) => cte('chosen').materialized(),
      (chosen) =>
        chosen
          .selectFrom('roll_pending')
          .select('id')
          .where('team_id', '=', teamId)
          .orderBy('id')
          .limit(most)
          .forUpdate()
          .skipLocked(),
    )
    .deleteFrom('roll_pending')
    .where('team_id', '=', teamId)
    .where('id', 'in', (eb) => eb.selectFrom('chosen').select('id'))
    .returningAll()
    .execute();

/** One part of the counters, locked until the end of the transaction. */
export const holdCounts = locking(
  'roll_counts',
  lookup({ day: 'text', templateId: 'text', part: 'integer' }, (queries, teamId, { day, templateId, part }) =>
    rowsOf('roll_counts', { queries, teamId }, { day, template_id: templateId, part }).select(['rolls', 'counts']),
  ),
);

const COLUMNS = { day: 'text', template_id: 'text', part: 'integer', rolls: 'bigint', counts: 'text' } as const;

/** Collides if another transaction inserted the same row in the meantime; the retry then finds it. */
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

/** The number of rolls per day and template. */
export const selectDays = (reader: Reader, teamId: string, filter: StatisticsFilter) =>
  matching(reader, 'roll_counts', teamId, filter)
    .select((eb) => ['day', 'template_id', eb.fn.sum<number>('rolls').as('rolls')])
    .where('day', '<>', EVER)
    .groupBy(['day', 'template_id'])
    .execute();

/** The all-time number of rolls per template. */
export const selectEver = (reader: Reader, teamId: string, { templateId }: StatisticsFilter) =>
  matching(reader, 'roll_counts', teamId, { templateId })
    .select((eb) => ['day', 'template_id', eb.fn.sum<number>('rolls').as('rolls')])
    .where('day', '=', EVER)
    .groupBy(['day', 'template_id'])
    .execute();

/** The counts of one day and template, in parts. */
export const countsOf = lookup({ day: 'text', templateId: 'text' }, (queries, teamId, { day, templateId }) =>
  rowsOf('roll_counts', { queries, teamId }, { day, template_id: templateId }).select('counts'),
);

export const selectPending = (reader: Reader, teamId: string, filter: StatisticsFilter) =>
  matching(reader, 'roll_pending', teamId, filter).select(['day', 'template_id', 'rolls', 'counts']).execute();
