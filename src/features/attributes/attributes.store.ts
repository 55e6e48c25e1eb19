import type { Attribute } from '../../catalog/shown.ts';
import { mapPage, onPage, type Page, type Paged, paged } from '../../database/paging.ts';
import type { Reader } from '../../database/work.ts';

const columns = ['id', 'name', 'min', 'max', 'step', 'team_id as teamId'] as const;

export const selectAttribute = ({ queries, teamId }: Reader, id: string): Promise<Attribute | undefined> =>
  queries
    .selectFrom('attributes')
    .select(columns)
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .executeTakeFirst();

export const selectAttributesById = ({ queries, teamId }: Reader, ids: readonly string[]): Promise<Attribute[]> =>
  queries.selectFrom('attributes').select(columns).where('team_id', '=', teamId).where('id', 'in', ids).execute();

export const selectAttributes = async (
  { queries, teamId }: Reader,
  id: string | undefined,
  page: Page,
): Promise<Paged<Attribute>> => {
  const query = queries
    .selectFrom('attributes')
    .select([...columns, 'created_at'])
    .where('team_id', '=', teamId)
    .$if(id !== undefined, (some) => some.where('id', '=', id as string));
  return mapPage(
    paged(await onPage(query, 'attributes', page).execute(), page),
    ({ created_at, ...attribute }) => attribute,
  );
};
