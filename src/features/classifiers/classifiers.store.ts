import { onPage, type Page, type Paged, paged } from '../../database/paging.ts';
import type { Reader } from '../../database/work.ts';
import { isoTime } from '../../shared/time.ts';
import type { Classifier } from './classifiers.contract.ts';

const optionColumns = [
  'id',
  'name',
  'drop_rate_multiplier as dropRateMultiplier',
  'classifier_id as classifierId',
] as const;

interface ClassifierRow {
  team_id: string;
  id: string;
  name: string;
  created_at: number;
  updated_at: number;
}

export const withOptions = async (
  reader: Reader,
  teamId: string,
  rows: readonly ClassifierRow[],
): Promise<Classifier[]> => {
  if (rows.length === 0) return [];
  const options = await reader.queries
    .selectFrom('classifier_options')
    .select(optionColumns)
    .where('team_id', '=', teamId)
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

export const selectClassifier = async (reader: Reader, teamId: string, id: string): Promise<Classifier | undefined> => {
  const rows = await reader.queries
    .selectFrom('classifiers')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .execute();
  return (await withOptions(reader, teamId, rows))[0];
};

/** A page of classifiers without their options. */
export const selectClassifierRows = async (
  reader: Reader,
  teamId: string,
  page: Page,
): Promise<Paged<ClassifierRow>> => {
  const query = reader.queries.selectFrom('classifiers').selectAll().where('team_id', '=', teamId);
  return paged(await onPage(query, 'classifiers', page).execute(), page);
};
