import { sql } from 'kysely';
import { lookup, rowsOf } from '../../database/declarations.ts';
import { onPage, type Page, type Paged, paged } from '../../database/paging.ts';
import type { Tables } from '../../database/tables.ts';
import type { Reader } from '../../database/work.ts';
import { isoTime } from '../../shared/time.ts';
import type { Template } from './templates.contract.ts';

export type TemplateRow = Tables['templates'];

const trustAndTimes = (row: TemplateRow) => ({
  verifiable: row.verifiable === 1,
  disclosure: row.disclosure,
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
});

export const toTemplate = (row: TemplateRow): Template => ({
  id: row.id,
  teamId: row.team_id,
  name: row.name,
  type: row.type as Template['type'],
  config: JSON.parse(row.config),
  ...trustAndTimes(row),
});

/** The same as JSON; the configuration is stored as JSON. */
export const toTemplateText = (row: TemplateRow): string => {
  const { id, team_id: teamId, name, type, config } = row;
  const before = JSON.stringify({ id, teamId, name, type }).slice(0, -1);
  const after = JSON.stringify(trustAndTimes(row)).slice(1);
  return `${before},"config":${config},${after}`;
};

export const templateById = lookup({ id: 'text' }, (queries, teamId, { id }) =>
  rowsOf('templates', { queries, teamId }, { id }).selectAll(),
);

/** A template that anyone may know of, without its configuration, which may be large. */
export const publicTemplate = lookup({ id: 'text' }, (queries, teamId, { id }) =>
  rowsOf('templates', { queries, teamId }, { id, disclosure: 'public' }).select('name'),
);

/** Those whose rolls are verifiable. */
export const verifiableTemplates = lookup({}, (queries, teamId) =>
  rowsOf('templates', { queries, teamId }, { verifiable: 1 }).select('id'),
);

/** The positions of the templates of a page, without their configurations, which may be large. */
export const selectPositions = async (
  reader: Reader,
  type: string | undefined,
  page: Page,
): Promise<Paged<Pick<TemplateRow, 'id' | 'created_at'>>> => {
  const query = rowsOf('templates', reader)
    .select(['id', 'created_at'])
    .$if(type !== undefined, (some) => some.where('type', '=', type as string));
  return paged(await onPage(query, 'templates', page).execute(), page);
};

/** Templates that anyone may know of whose configuration contains a text; letters may differ in case on SQLite. */
export const selectPublicContaining = (reader: Reader, text: string, limit: number) =>
  rowsOf('templates', reader, { disclosure: 'public' })
    .select(['id', 'name', 'config'])
    .where(sql<boolean>`config like ${`%${text.replaceAll(/[%_!]/g, '!$&')}%`} escape '!'`)
    .orderBy('id')
    .limit(limit)
    .execute();
