import { rowsOf } from '../../database/declarations.ts';
import { onPage, type Page, type Paged, paged } from '../../database/paging.ts';
import type { Tables } from '../../database/tables.ts';
import type { Reader } from '../../database/work.ts';
import { isoTime } from '../../shared/time.ts';
import type { Classifier } from './classifiers.contract.ts';

const optionColumns = [
  'id',
  'name',
  'drop_rate_multiplier as dropRateMultiplier',
  'classifier_id as classifierId',
  'color',
] as const;

type ClassifierRow = Tables['classifiers'];

export const withOptions = async (reader: Reader, rows: readonly ClassifierRow[]): Promise<Classifier[]> => {
  if (rows.length === 0) return [];
  const options = await rowsOf('classifier_options', reader)
    .select(optionColumns)
    .where(
      'classifier_id',
      'in',
      rows.map(({ id }) => id),
    )
    .orderBy('position')
    .execute();
  const byClassifier = Map.groupBy(options, ({ classifierId }) => classifierId);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    teamId: row.team_id,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
    classifierOptions: byClassifier.get(row.id) ?? [],
  }));
};

export const selectClassifier = async (reader: Reader, id: string): Promise<Classifier | undefined> => {
  const rows = await rowsOf('classifiers', reader, { id }).selectAll().execute();
  return (await withOptions(reader, rows))[0];
};

/** A page of classifiers without their options. */
export const selectClassifierRows = async (reader: Reader, page: Page): Promise<Paged<ClassifierRow>> => {
  const query = rowsOf('classifiers', reader).selectAll();
  return paged(await onPage(query, 'classifiers', page).execute(), page);
};
