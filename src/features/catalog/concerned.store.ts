import { sql } from 'kysely';
import { rowsOf } from '../../database/declarations.ts';
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
export const selectOptionsOf = (reader: Reader, classifierId: string) =>
  rowsOf('classifier_options', reader, { classifier_id: classifierId })
    .select([...optionColumns, 'color'])
    .orderBy('position')
    .execute();

export const selectOptionsById = (reader: Reader, ids: readonly string[]) =>
  rowsOf('classifier_options', reader).select(optionColumns).where('id', 'in', ids).execute();

export const selectAttributesById = (reader: Reader, ids: readonly string[]) =>
  rowsOf('attributes', reader).selectAll().where('id', 'in', ids).execute();

/** The first items that have one of some options. */
export const selectItemIdsWith = async (
  reader: Reader,
  optionIds: readonly string[],
  limit: number,
): Promise<string[]> => {
  const links = await rowsOf('item_classifiers', reader)
    .select('item_id')
    .distinct()
    .where('classifier_option_id', 'in', optionIds)
    .orderBy('item_id')
    .limit(limit)
    .execute();
  return links.map(({ item_id }) => item_id);
};

/** The first items that carry an attribute; with bounds, only those whose range is not within them. */
export const selectCarrierIds = async (
  reader: Reader,
  attributeId: string,
  bounds: { readonly min: number; readonly max: number } | null,
  limit: number,
): Promise<string[]> => {
  let query = rowsOf('item_attributes', reader, { attribute_id: attributeId })
    .select('item_id')
    .orderBy('item_id')
    .limit(limit);
  if (bounds !== null) query = query.where((eb) => eb.or([eb('min', '<', bounds.min), eb('max', '>', bounds.max)]));
  return (await query.execute()).map(({ item_id }) => item_id);
};

/** Templates that refer to one of some options. */
export const selectIdsNaming = async (reader: Reader, optionIds: readonly string[]): Promise<string[]> => {
  if (optionIds.length === 0) return [];
  const rows = await rowsOf('template_options', reader)
    .select('template_id')
    .distinct()
    .where('classifier_option_id', 'in', optionIds)
    .execute();
  return rows.map((row) => row.template_id);
};

/** Templates that refer to at least two of some options. */
export const selectIdsNamingTwo = async (reader: Reader, optionIds: readonly string[]): Promise<string[]> => {
  const rows = await rowsOf('template_options', reader)
    .select('template_id')
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
  const named = await rowsOf('template_items', reader, { item_id: itemId }).select('template_id').execute();
  const everything = await rowsOf('templates', reader)
    .select('id as template_id')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('template_options')
            .select('template_id')
            .where('template_options.team_id', '=', reader.teamId)
            .whereRef('template_options.template_id', '=', 'templates.id'),
        ),
      ),
    )
    .execute();
  const naming = await selectIdsNaming(reader, optionIds);
  return [...naming, ...[...named, ...everything].map((row) => row.template_id)];
};

/** Templates in order of creation: those with these ids, or all. */
export const selectTemplates = (reader: Reader, ids?: readonly string[]): Promise<Tables['templates'][]> =>
  rowsOf('templates', reader)
    .selectAll()
    .$if(ids !== undefined, (some) => some.where('id', 'in', ids as readonly string[]))
    .orderBy('created_at')
    .orderBy('id')
    .execute();

/** Templates whose configuration contains a text; letters may differ in case on SQLite. */
export const selectTemplatesContaining = (reader: Reader, text: string): Promise<Tables['templates'][]> =>
  rowsOf('templates', reader)
    .selectAll()
    .where(sql<boolean>`config like ${`%${text.replaceAll(/[%_!]/g, '!$&')}%`} escape '!'`)
    .execute();

export const countVerifiable = async (reader: Reader, exceptId: string): Promise<number> => {
  const { count } = await rowsOf('templates', reader, { verifiable: 1 })
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('id', '<>', exceptId)
    .executeTakeFirstOrThrow();
  return Number(count);
};

export const countCurrencies = async (reader: Reader, exceptId: string): Promise<number> => {
  const { count } = await rowsOf('items', reader)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('currency', 'is not', null)
    .where('id', '<>', exceptId)
    .executeTakeFirstOrThrow();
  return Number(count);
};

/** Whether an item has a weight of its own, before multipliers, that is far from usual ones. There is an index of these. */
export const hasFarItem = async (reader: Reader): Promise<boolean> => {
  const row = await rowsOf('items', reader)
    .select('id')
    .where(sql<boolean>`(roll_numerator > 1e90 or (roll_numerator > 0 and roll_numerator < 1e-90))`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
};

/** The multipliers of all options that have one. */
export const selectMultipliers = async (reader: Reader): Promise<number[]> => {
  const rows = await rowsOf('classifier_options', reader)
    .select('drop_rate_multiplier')
    .where('drop_rate_multiplier', 'is not', null)
    .$narrowType<{ drop_rate_multiplier: number }>()
    .execute();
  return rows.map((row) => row.drop_rate_multiplier);
};
