import { lookup, rowsOf } from '../../database/declarations.ts';
import { onPage, type Page, type Paged, paged } from '../../database/paging.ts';
import type { Tables } from '../../database/tables.ts';
import type { Reader } from '../../database/work.ts';

export type SpaceRow = Tables['spaces'];

export const spaceById = lookup({ id: 'text' }, (queries, teamId, { id }) =>
  rowsOf('spaces', { queries, teamId }, { id }).selectAll(),
);

export const selectSpaces = async (reader: Reader, page: Page): Promise<Paged<SpaceRow>> => {
  const query = rowsOf('spaces', reader).selectAll();
  return paged(await onPage(query, 'spaces', page).execute(), page);
};
