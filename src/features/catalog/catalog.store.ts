import type { Expression } from 'kysely';
import { lookup } from '../../database/declarations.ts';
import type { Queries, Reader, Transaction } from '../../database/work.ts';

/** Whatever sees one state of the data: a reader, or a snapshot of the whole database. */
export type Queried = Pick<Reader, 'queries'>;

/** Adjusts the number of items stored with the team, so that nobody has to count them. */
export const changeItemCount = async (tx: Transaction, teamId: string, by: number): Promise<number> => {
  const { item_count } = await tx.queries
    .updateTable('teams')
    .set((eb) => ({ item_count: eb('item_count', '+', by) }))
    .where('id', '=', teamId)
    .returning('item_count')
    .executeTakeFirstOrThrow();
  return item_count;
};

const selectVersion = (queries: Queries, teamId: Expression<string>) =>
  queries
    .selectFrom('teams')
    .select(['version', 'catalog_version as versionId', 'verifiable_rolls as verifiableRolls'])
    .where('id', '=', teamId);

export const currentVersion = lookup({}, selectVersion);

/** The same for commands that create or place item instances: items, spaces and their sizes then cannot change. */
export const currentVersionForPlacing = lookup({}, selectVersion, { shares: 'grids' });

export const selectSpaces = (reader: Queried, teamId: string) =>
  reader.queries.selectFrom('spaces').select(['id', 'name', 'cols', 'rows']).where('team_id', '=', teamId).execute();

export const selectAttributes = (reader: Queried, teamId: string) =>
  reader.queries
    .selectFrom('attributes')
    .select(['id', 'name', 'min', 'max', 'step'])
    .where('team_id', '=', teamId)
    .execute();

export const selectClassifiers = (reader: Queried, teamId: string) =>
  reader.queries.selectFrom('classifiers').select(['id', 'name']).where('team_id', '=', teamId).execute();

export const selectOptions = (reader: Queried, teamId: string) =>
  reader.queries
    .selectFrom('classifier_options')
    .select(['id', 'classifier_id as classifierId', 'position', 'name', 'drop_rate_multiplier as dropRateMultiplier'])
    .where('team_id', '=', teamId)
    .execute();

const itemColumns = [
  'id',
  'name',
  'thumbnail',
  'roll_numerator as rollNumerator',
  'width',
  'height',
  'created_at as createdAtMs',
  'updated_at as updatedAtMs',
] as const;

/** The next items in byte order of their ids; from the start if no id is given. */
export const selectItemsAfter = (reader: Queried, teamId: string, afterId: string | undefined, limit: number) => {
  const query = reader.queries
    .selectFrom('items')
    .select(itemColumns)
    .where('team_id', '=', teamId)
    .orderBy('id')
    .limit(limit);
  return (afterId === undefined ? query : query.where('id', '>', afterId)).execute();
};

/** The same with only the numerators. */
export const selectNumeratorsAfter = (reader: Reader, teamId: string, afterId: string | undefined, limit: number) => {
  const query = reader.queries
    .selectFrom('items')
    .select(['id', 'roll_numerator as rollNumerator'])
    .where('team_id', '=', teamId)
    .orderBy('id')
    .limit(limit);
  return (afterId === undefined ? query : query.where('id', '>', afterId)).execute();
};

/** Items from one id to another, both inclusive. */
export interface ItemRange {
  readonly firstId: string;
  readonly lastId: string;
}

// Both are ordered like the index that starts with the item: without statistics about the team, the planner would
// otherwise choose another index.

export const selectItemOptions = (reader: Queried, teamId: string, { firstId, lastId }: ItemRange) =>
  reader.queries
    .selectFrom('item_classifiers')
    .select(['id', 'item_id as itemId', 'classifier_option_id as optionId', 'position'])
    .where('team_id', '=', teamId)
    .where('item_id', '>=', firstId)
    .where('item_id', '<=', lastId)
    .orderBy('item_id')
    .orderBy('classifier_option_id')
    .execute();

export const selectItemAttributes = (reader: Queried, teamId: string, { firstId, lastId }: ItemRange) =>
  reader.queries
    .selectFrom('item_attributes')
    .select(['id', 'item_id as itemId', 'attribute_id as attributeId', 'min', 'max', 'position'])
    .where('team_id', '=', teamId)
    .where('item_id', '>=', firstId)
    .where('item_id', '<=', lastId)
    .orderBy('item_id')
    .orderBy('attribute_id')
    .execute();

/** The next templates in byte order of their ids. */
export const selectTemplatesAfter = (reader: Queried, teamId: string, afterId: string, limit: number) =>
  reader.queries
    .selectFrom('templates')
    .select(['id', 'name', 'type', 'config', 'bindings', 'verifiable', 'disclosure'])
    .where('team_id', '=', teamId)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute();

export const selectItemsById = (reader: Reader, teamId: string, ids: readonly string[]) =>
  reader.queries.selectFrom('items').select(itemColumns).where('team_id', '=', teamId).where('id', 'in', ids).execute();

export const selectOptionsOfItems = (reader: Reader, teamId: string, itemIds: readonly string[]) =>
  reader.queries
    .selectFrom('item_classifiers')
    .select(['id', 'item_id as itemId', 'classifier_option_id as optionId', 'position'])
    .where('team_id', '=', teamId)
    .where('item_id', 'in', itemIds)
    .execute();

export const selectAttributesOfItems = (reader: Reader, teamId: string, itemIds: readonly string[]) =>
  reader.queries
    .selectFrom('item_attributes')
    .select(['id', 'item_id as itemId', 'attribute_id as attributeId', 'min', 'max', 'position'])
    .where('team_id', '=', teamId)
    .where('item_id', 'in', itemIds)
    .execute();
