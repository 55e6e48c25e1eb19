import type { Attribute } from '../../catalog/shown.ts';
import { rowsOf } from '../../database/declarations.ts';
import { mapPage, onPage, type Page, type Paged, paged } from '../../database/paging.ts';
import type { Reader } from '../../database/work.ts';

const columns = ['id', 'name', 'min', 'max', 'step', 'team_id as teamId'] as const;

export const selectAttribute = (reader: Reader, id: string): Promise<Attribute | undefined> =>
  rowsOf('attributes', reader, { id }).select(columns).executeTakeFirst();

export const selectAttributesById = (reader: Reader, ids: readonly string[]): Promise<Attribute[]> =>
  rowsOf('attributes', reader).select(columns).where('id', 'in', ids).execute();

export const selectAttributes = async (
  reader: Reader,
  id: string | undefined,
  page: Page,
): Promise<Paged<Attribute>> => {
  const query = rowsOf('attributes', reader)
    .select([...columns, 'created_at'])
    .$if(id !== undefined, (some) => some.where('id', '=', id as string));
  return mapPage(
    paged(await onPage(query, 'attributes', page).execute(), page),
    ({ created_at, ...attribute }) => attribute,
  );
};
