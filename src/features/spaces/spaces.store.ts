import { lookup } from '../../database/declarations.ts';
import { onPage, type Page, type Paged, paged } from '../../database/paging.ts';
import type { Tables } from '../../database/tables.ts';
import type { Reader } from '../../database/work.ts';

export type SpaceRow = Tables['spaces'];

export const spaceById = lookup({ id: 'text' }, (queries, teamId, { id }) =>
  queries.selectFrom('spaces').selectAll().where('team_id', '=', teamId).where('id', '=', id),
);

export const selectSpaces = async ({ queries, teamId }: Reader, page: Page): Promise<Paged<SpaceRow>> => {
  const query = queries.selectFrom('spaces').selectAll().where('team_id', '=', teamId);
  return paged(await onPage(query, 'spaces', page).execute(), page);
};
