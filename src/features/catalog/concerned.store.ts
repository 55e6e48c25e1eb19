import { sql } from 'kysely';
import type { Tables } from '../../database/tables.ts';
import type { Reader } from '../../database/work.ts';

/** The row of an entity. */
export const selectRow = async <T extends 'attributes' | 'classifiers' | 'spaces' | 'items' | 'templates'>(
  { queries, teamId }: Reader,
  table: T,
  id: string,
): Promise<Tables[T] | undefined> => {
  const query = queries
    .selectFrom(table as 'spaces')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('id', '=', id);
  return (await query.executeTakeFirst()) as Tables[T] | undefined;
};

const optionColumns = [
  'id',
  'classifier_id as classifierId',
  'name',
  'drop_rate_multiplier as dropRateMultiplier',
] as const;

/** The options of a classifier, in order. */
export const selectOptionsOf = ({ queries, teamId }: Reader, classifierId: string) =>
  queries
    .selectFrom('classifier_options')
    .select(optionColumns)
    .where('team_id', '=', teamId)
    .where('classifier_id', '=', classifierId)
    .orderBy('position')
    .execute();

export const selectOptionsById = ({ queries, teamId }: Reader, ids: readonly string[]) =>
  queries
    .selectFrom('classifier_options')
    .select(optionColumns)
    .where('team_id', '=', teamId)
    .where('id', 'in', ids)
    .execute();

export const selectAttributesById = ({ queries, teamId }: Reader, ids: readonly string[]) =>
  queries.selectFrom('attributes').selectAll().where('team_id', '=', teamId).where('id', 'in', ids).execute();

/** The first items that have one of some options. */
export const selectItemIdsWith = async (
  { queries, teamId }: Reader,
  optionIds: readonly string[],
  limit: number,
): Promise<string[]> => {
  const links = await queries
    .selectFrom('item_classifiers')
    .select('item_id')
    .distinct()
    .where('team_id', '=', teamId)
    .where('classifier_option_id', 'in', optionIds)
    .orderBy('item_id')
    .limit(limit)
    .execute();
  return links.map(({ item_id }) => item_id);
};

/** The first items that carry an attribute; with bounds, only those whose range is not within them. */
export const selectCarrierIds = async (
  { queries, teamId }: Reader,
  attributeId: string,
  bounds: { readonly min: number; readonly max: number } | null,
  limit: number,
): Promise<string[]> => {
  let query = queries
    .selectFrom('item_attributes')
    .select('item_id')
    .where('team_id', '=', teamId)
    .where('attribute_id', '=', attributeId)
    .orderBy('item_id')
    .limit(limit);
  if (bounds !== null) query = query.where((eb) => eb.or([eb('min', '<', bounds.min), eb('max', '>', bounds.max)]));
  return (await query.execute()).map(({ item_id }) => item_id);
};

/** Templates that refer to one of some options. */
export const selectIdsNaming = async ({ queries, teamId }: Reader, optionIds: readonly string[]): Promise<string[]> => {
  if (optionIds.length === 0) return [];
  const rows = await queries
    .selectFrom('template_options')
    .select('template_id')
    .distinct()
    .where('team_id', '=', teamId)
    .where('classifier_option_id', 'in', optionIds)
    .execute();
  return rows.map((row) => row.template_id);
};

/** Templates that refer to at least two of some options. */
export const selectIdsNamingTwo = async (
  { queries, teamId }: Reader,
  optionIds: readonly string[],
): Promise<string[]> => {
  const rows = await queries
    .selectFrom('template_options')
    .select('template_id')
    .where('team_id', '=', teamId)
    .where('classifier_option_id', 'in', optionIds)
    .groupBy('template_id')
    .having((eb) => eb.fn.countAll(), '>', 1)
    .execute();
  return rows.map((row) => row.template_id);
};

/**
 * Templates that may roll an item with these options: those that refer to one of them or to the item, and those that
 * refer to no option, whose pool may be everything.
 */
export const selectIdsRolling = async (
  reader: Reader,
  itemId: string,
  optionIds: readonly string[],
): Promise<string[]> => {
  const { queries, teamId } = reader;
  const named = await queries
    .selectFrom('template_items')
    .select('template_id')
    .where('team_id', '=', teamId)
    .where('item_id', '=', itemId)
    .execute();
  const everything = await queries
    .selectFrom('templates')
    .select('id as template_id')
    .where('team_id', '=', teamId)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('template_options')
            .select('template_id')
            .where('template_options.team_id', '=', teamId)
            .whereRef('template_options.template_id', '=', 'templates.id'),
        ),
      ),
    )
    .execute();
  const naming = await selectIdsNaming(reader, optionIds);
  return [...naming, ...[...named, ...everything].map((row) => row.template_id)];
};

/** Templates in order of creation: those with these ids, or all. */
export const selectTemplates = ({ queries, teamId }: Reader, ids?: readonly string[]): Promise<Tables['templates'][]> =>
  queries
    .selectFrom('templates')
    .selectAll()
    .where('team_id', '=', teamId)
    .$if(ids !== undefined, (some) => some.where('id', 'in', ids as readonly string[]))
    .orderBy('created_at')
    .orderBy('id')
    .execute();

/** Templates whose configuration contains a text; letters may differ in case on SQLite. */
export const selectTemplatesContaining = ({ queries, teamId }: Reader, text: string): Promise<Tables['templates'][]> =>
  queries
    .selectFrom('templates')
    .selectAll()
    .where('team_id', '=', teamId)
    .where(sql<boolean>`config like ${`%${text.replaceAll(/[%_!]/g, '!$&')}%`} escape '!'`)
    .execute();

export const countVerifiable = async ({ queries, teamId }: Reader, exceptId: string): Promise<number> => {
  const { count } = await queries
    .selectFrom('templates')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('team_id', '=', teamId)
    .where('verifiable', '=', 1)
    .where('id', '<>', exceptId)
    .executeTakeFirstOrThrow();
  return Number(count);
};

/** Whether an item has a weight of its own, before multipliers, that is far from usual ones. There is an index of these. */
export const hasFarItem = async ({ queries, teamId }: Reader): Promise<boolean> => {
  const row = await queries
    .selectFrom('items')
    .select('id')
    .where('team_id', '=', teamId)
    .where(sql<boolean>`(roll_numerator > 1e90 or (roll_numerator > 0 and roll_numerator < 1e-90))`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
};

/** The multipliers of all options that have one. */
export const selectMultipliers = async ({ queries, teamId }: Reader): Promise<number[]> => {
  const rows = await queries
    .selectFrom('classifier_options')
    .select('drop_rate_multiplier')
    .where('team_id', '=', teamId)
    .where('drop_rate_multiplier', 'is not', null)
    .$narrowType<{ drop_rate_multiplier: number }>()
    .execute();
  return rows.map((row) => row.drop_rate_multiplier);
};
