import { sql } from 'kysely';
import { lookup } from '../../database/declarations.ts';
import { onPage, type Page, type Paged, paged } from '../../database/paging.ts';
import type { Tables } from '../../database/tables.ts';
import type { Reader, Transaction } from '../../database/work.ts';
import { isoTime } from '../../shared/time.ts';
import type { Template } from './templates.contract.ts';

export type TemplateRow = Tables['templates'];

export const toTemplate = (row: TemplateRow): Template => ({
  id: row.id,
  teamId: row.team_id,
  name: row.name,
  type: row.type as Template['type'],
  config: JSON.parse(row.config),
  verifiable: row.verifiable === 1,
  disclosure: row.disclosure,
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
});

/** The same as JSON; the configuration is stored as JSON. */
export const toTemplateText = ({ id, team_id: teamId, name, type, config, ...row }: TemplateRow): string => {
  const before = JSON.stringify({ id, teamId, name, type }).slice(0, -1);
  const after = JSON.stringify({
    verifiable: row.verifiable === 1,
    disclosure: row.disclosure,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  }).slice(1);
  return `${before},"config":${config},${after}`;
};

export const templateById = lookup({ id: 'text' }, (queries, teamId, { id }) =>
  queries.selectFrom('templates').selectAll().where('team_id', '=', teamId).where('id', '=', id),
);

/** A template that anyone may know of, without its configuration, which may be large. */
export const publicTemplate = lookup({ id: 'text' }, (queries, teamId, { id }) =>
  queries
    .selectFrom('templates')
    .select('name')
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .where('disclosure', '=', 'public'),
);

/** Those whose rolls are verifiable. */
export const verifiableTemplates = lookup({}, (queries, teamId) =>
  queries.selectFrom('templates').select('id').where('team_id', '=', teamId).where('verifiable', '=', 1),
);

/** The positions of the templates of a page, without their configurations, which may be large. */
export const selectPositions = async (
  reader: Reader,
  teamId: string,
  type: string | undefined,
  page: Page,
): Promise<Paged<Pick<TemplateRow, 'id' | 'created_at'>>> => {
  const query = reader.queries
    .selectFrom('templates')
    .select(['id', 'created_at'])
    .where('team_id', '=', teamId)
    .$if(type !== undefined, (some) => some.where('type', '=', type as string));
  return paged(await onPage(query, 'templates', page).execute(), page);
};

export const insertTemplate = (tx: Transaction, row: TemplateRow) =>
  tx.queries.insertInto('templates').values(row).execute();

export const updateTemplate = (tx: Transaction, { team_id, id, ...values }: TemplateRow) =>
  tx.queries.updateTable('templates').set(values).where('team_id', '=', team_id).where('id', '=', id).execute();

export const deleteTemplate = (tx: Transaction, teamId: string, id: string) =>
  tx.queries.deleteFrom('templates').where('team_id', '=', teamId).where('id', '=', id).execute();

/** Templates whose configuration contains a text; letters may differ in case on SQLite. */
export const selectContaining = (tx: Transaction, text: string): Promise<TemplateRow[]> =>
  tx.queries
    .selectFrom('templates')
    .selectAll()
    .where('team_id', '=', tx.teamId)
    .where(sql<boolean>`config like ${`%${text.replaceAll(/[%_!]/g, '!$&')}%`} escape '!'`)
    .execute();

/** Templates that anyone may know of whose configuration contains a text, as above. */
export const selectPublicContaining = (reader: Reader, text: string, limit: number) =>
  reader.queries
    .selectFrom('templates')
    .select(['id', 'name', 'config'])
    .where('team_id', '=', reader.teamId)
    .where('disclosure', '=', 'public')
    .where(sql<boolean>`config like ${`%${text.replaceAll(/[%_!]/g, '!$&')}%`} escape '!'`)
    .orderBy('id')
    .limit(limit)
    .execute();

export const countVerifiable = async (tx: Transaction): Promise<number> => {
  const { count } = await tx.queries
    .selectFrom('templates')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('team_id', '=', tx.teamId)
    .where('verifiable', '=', 1)
    .executeTakeFirstOrThrow();
  return Number(count);
};

/** Which of these options templates refer to, and which templates these are. */
export const selectNamingOptions = (reader: Reader, teamId: string, optionIds: readonly string[], limit: number) =>
  reader.queries
    .selectFrom('template_options')
    .innerJoin('templates', (join) =>
      join
        .onRef('templates.team_id', '=', 'template_options.team_id')
        .onRef('templates.id', '=', 'template_options.template_id'),
    )
    .select(['template_options.classifier_option_id as optionId', 'templates.id', 'templates.name'])
    .where('template_options.team_id', '=', teamId)
    .where('template_options.classifier_option_id', 'in', optionIds)
    .orderBy('templates.created_at')
    .orderBy('templates.id')
    .limit(limit)
    .execute();

export const selectNamingItem = (reader: Reader, teamId: string, itemId: string, limit: number) =>
  reader.queries
    .selectFrom('template_items')
    .innerJoin('templates', (join) =>
      join
        .onRef('templates.team_id', '=', 'template_items.team_id')
        .onRef('templates.id', '=', 'template_items.template_id'),
    )
    .select(['templates.id', 'templates.name'])
    .where('template_items.team_id', '=', teamId)
    .where('template_items.item_id', '=', itemId)
    .orderBy('templates.created_at')
    .orderBy('templates.id')
    .limit(limit)
    .execute();

/** Templates that refer to at least two of these options. */
export const selectIdsNamingTwo = async (tx: Transaction, optionIds: readonly string[]): Promise<string[]> => {
  const rows = await tx.queries
    .selectFrom('template_options')
    .select('template_id')
    .where('team_id', '=', tx.teamId)
    .where('classifier_option_id', 'in', optionIds)
    .groupBy('template_id')
    .having((eb) => eb.fn.countAll(), '>', 1)
    .execute();
  return rows.map((row) => row.template_id);
};

/** Templates that refer to one of these options. */
const selectIdsNaming = (tx: Transaction, optionIds: readonly string[]) =>
  optionIds.length === 0
    ? []
    : tx.queries
        .selectFrom('template_options')
        .select('template_id')
        .distinct()
        .where('team_id', '=', tx.teamId)
        .where('classifier_option_id', 'in', optionIds)
        .execute();

/**
 * Templates that may roll an item with these options: those that refer to one of them or to the item, and those that
 * refer to nothing, whose pool is everything.
 */
export const selectIdsRolling = async (
  tx: Transaction,
  itemId: string,
  optionIds: readonly string[],
): Promise<string[]> => {
  const naming = await selectIdsNaming(tx, optionIds);
  const named = await tx.queries
    .selectFrom('template_items')
    .select('template_id')
    .where('team_id', '=', tx.teamId)
    .where('item_id', '=', itemId)
    .execute();
  const everything = await tx.queries
    .selectFrom('templates')
    .select('id as template_id')
    .where('team_id', '=', tx.teamId)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('template_options')
            .select('template_id')
            .where('template_options.team_id', '=', tx.teamId)
            .whereRef('template_options.template_id', '=', 'templates.id'),
        ),
      ),
    )
    .execute();
  return [...naming, ...named, ...everything].map((row) => row.template_id);
};

/** Templates by id, in order of creation. */
export const selectTemplatesById = (tx: Transaction, ids: readonly string[]): Promise<TemplateRow[]> =>
  tx.queries
    .selectFrom('templates')
    .selectAll()
    .where('team_id', '=', tx.teamId)
    .where('id', 'in', ids)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

export const selectAllTemplates = (tx: Transaction): Promise<TemplateRow[]> =>
  tx.queries
    .selectFrom('templates')
    .selectAll()
    .where('team_id', '=', tx.teamId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

/** Stores what a configuration refers to, so that foreign keys keep it from being deleted. */
export const replaceReferences = async (
  tx: Transaction,
  teamId: string,
  templateId: string,
  { optionIds, itemIds }: { optionIds: readonly string[]; itemIds: readonly string[] },
): Promise<void> => {
  const key = { team_id: teamId, template_id: templateId };
  for (const table of ['template_options', 'template_items'] as const) {
    await tx.queries.deleteFrom(table).where('team_id', '=', teamId).where('template_id', '=', templateId).execute();
  }
  if (optionIds.length > 0)
    await tx.queries
      .insertInto('template_options')
      .values(optionIds.map((optionId) => ({ ...key, classifier_option_id: optionId })))
      .execute();
  if (itemIds.length > 0)
    await tx.queries
      .insertInto('template_items')
      .values(itemIds.map((itemId) => ({ ...key, item_id: itemId })))
      .execute();
};
