import { insertInto, lookup } from '../../database/declarations.ts';
import { onPage, type Page, type Paged, paged } from '../../database/paging.ts';
import type { Tables } from '../../database/tables.ts';
import type { Reader, Transaction } from '../../database/work.ts';

export type SpaceRow = Tables['spaces'];

export const spaceById = lookup({ id: 'text' }, (queries, teamId, { id }) =>
  queries.selectFrom('spaces').selectAll().where('team_id', '=', teamId).where('id', '=', id),
);

export const insertSpace = insertInto('spaces', {
  id: 'text',
  name: 'text',
  cols: 'integer',
  rows: 'integer',
  created_at: 'bigint',
  updated_at: 'bigint',
});

export const updateSpace = (
  { queries, teamId }: Transaction,
  id: string,
  change: Partial<Pick<SpaceRow, 'name' | 'cols' | 'rows'>>,
  nowMs: number,
) =>
  queries
    .updateTable('spaces')
    .set({ ...change, updated_at: nowMs })
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .execute();

export const deleteSpace = ({ queries, teamId }: Transaction, id: string) =>
  queries.deleteFrom('spaces').where('team_id', '=', teamId).where('id', '=', id).execute();

export const selectSpaces = async ({ queries, teamId }: Reader, page: Page): Promise<Paged<SpaceRow>> => {
  const query = queries.selectFrom('spaces').selectAll().where('team_id', '=', teamId);
  return paged(await onPage(query, 'spaces', page).execute(), page);
};
