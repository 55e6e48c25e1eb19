import { chunksOf } from '../../database/chunks.ts';
import { onPage, type Page, type Paged, paged } from '../../database/paging.ts';
import type { Reader, Transaction } from '../../database/work.ts';
import { LIMITS } from '../../shared/limits.ts';
import { isoTime } from '../../shared/time.ts';
import type { ClassifierOption } from '../catalog/catalog.contract.ts';
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

export const insertClassifier = (
  tx: Transaction,
  { teamId, id, name }: { teamId: string; id: string; name: string },
  nowMs: number,
) =>
  tx.queries
    .insertInto('classifiers')
    .values({ team_id: teamId, id, name, created_at: nowMs, updated_at: nowMs })
    .execute();

export const updateClassifier = (tx: Transaction, teamId: string, id: string, name: string, nowMs: number) =>
  tx.queries
    .updateTable('classifiers')
    .set({ name, updated_at: nowMs })
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .execute();

export const deleteClassifier = (tx: Transaction, teamId: string, id: string) =>
  tx.queries.deleteFrom('classifiers').where('team_id', '=', teamId).where('id', '=', id).execute();

/** Inserts new options and updates existing ones. */
export const saveOptions = async (
  tx: Transaction,
  teamId: string,
  options: readonly (ClassifierOption & { position: number })[],
): Promise<void> => {
  if (options.length === 0) return;
  await tx.queries
    .insertInto('classifier_options')
    .values(
      options.map(({ id, name, dropRateMultiplier, classifierId, position }) => ({
        team_id: teamId,
        id,
        classifier_id: classifierId,
        position,
        name,
        drop_rate_multiplier: dropRateMultiplier,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['team_id', 'id']).doUpdateSet((eb) => ({
        position: eb.ref('excluded.position'),
        name: eb.ref('excluded.name'),
        drop_rate_multiplier: eb.ref('excluded.drop_rate_multiplier'),
      })),
    )
    .execute();
};

/** Replaces the options of an item. */
export const replaceItemOptions = async (
  tx: Transaction,
  teamId: string,
  itemId: string,
  links: readonly { id: string; optionId: string }[],
): Promise<void> => {
  await tx.queries.deleteFrom('item_classifiers').where('team_id', '=', teamId).where('item_id', '=', itemId).execute();
  if (links.length === 0) return;
  await tx.queries
    .insertInto('item_classifiers')
    .values(
      links.map(({ id, optionId }, position) => ({
        team_id: teamId,
        id,
        item_id: itemId,
        classifier_option_id: optionId,
        position,
      })),
    )
    .execute();
};

/** The first items that have an option. */
export const selectItemIdsWith = async (tx: Transaction, optionId: string, limit: number): Promise<string[]> => {
  const links = await tx.queries
    .selectFrom('item_classifiers')
    .select('item_id')
    .where('team_id', '=', tx.teamId)
    .where('classifier_option_id', '=', optionId)
    .orderBy('item_id')
    .limit(limit)
    .execute();
  return links.map(({ item_id }) => item_id);
};

/** A few items at a time: SQLite looks for each option of each item. */
export const takeFromItems = async (
  tx: Transaction,
  itemIds: readonly string[],
  optionIds: readonly string[],
): Promise<void> => {
  for (const some of chunksOf(itemIds, LIMITS.rowsPerDetails))
    await tx.queries
      .deleteFrom('item_classifiers')
      .where('team_id', '=', tx.teamId)
      .where('item_id', 'in', some)
      .where('classifier_option_id', 'in', optionIds)
      .execute();
};

export const deleteOptions = async (tx: Transaction, teamId: string, ids: readonly string[]): Promise<void> => {
  if (ids.length > 0)
    await tx.queries.deleteFrom('classifier_options').where('team_id', '=', teamId).where('id', 'in', ids).execute();
};

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

export const selectOptionsById = (
  reader: Reader,
  teamId: string,
  ids: readonly string[],
): Promise<ClassifierOption[]> =>
  reader.queries
    .selectFrom('classifier_options')
    .select(optionColumns)
    .where('team_id', '=', teamId)
    .where('id', 'in', ids)
    .execute();
