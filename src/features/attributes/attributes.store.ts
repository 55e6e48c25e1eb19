import { mapPage, onPage, type Page, type Paged, paged } from '../../database/paging.ts';
import type { Reader, Transaction } from '../../database/work.ts';
import type { Attribute } from '../catalog/catalog.contract.ts';

const columns = ['id', 'name', 'min', 'max', 'step', 'team_id as teamId'] as const;

export const insertAttribute = (
  tx: Transaction,
  { teamId, ...attribute }: Attribute,
  nowMs: number,
): Promise<Attribute> =>
  tx.queries
    .insertInto('attributes')
    .values({ team_id: teamId, ...attribute, created_at: nowMs, updated_at: nowMs })
    .returning(columns)
    .executeTakeFirstOrThrow();

export const selectAttribute = (reader: Reader, teamId: string, id: string): Promise<Attribute | undefined> =>
  reader.queries
    .selectFrom('attributes')
    .select(columns)
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .executeTakeFirst();

export const selectAttributesById = (reader: Reader, teamId: string, ids: readonly string[]): Promise<Attribute[]> =>
  reader.queries
    .selectFrom('attributes')
    .select(columns)
    .where('team_id', '=', teamId)
    .where('id', 'in', ids)
    .execute();

export const selectAttributes = async (
  reader: Reader,
  teamId: string,
  id: string | undefined,
  page: Page,
): Promise<Paged<Attribute>> => {
  const query = reader.queries
    .selectFrom('attributes')
    .select([...columns, 'created_at'])
    .where('team_id', '=', teamId)
    .$if(id !== undefined, (some) => some.where('id', '=', id as string));
  return mapPage(
    paged(await onPage(query, 'attributes', page).execute(), page),
    ({ created_at, ...attribute }) => attribute,
  );
};

export const updateAttribute = (
  tx: Transaction,
  { teamId, id, ...values }: Attribute,
  nowMs: number,
): Promise<Attribute> =>
  tx.queries
    .updateTable('attributes')
    .set({ ...values, updated_at: nowMs })
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow();

export const deleteAttribute = (tx: Transaction, teamId: string, id: string) =>
  tx.queries.deleteFrom('attributes').where('team_id', '=', teamId).where('id', '=', id).execute();

/** The next items that carry the attribute, ordered by id, with their ranges. */
export const selectCarriers = (
  reader: Reader,
  teamId: string,
  attributeId: string,
  afterId: string | undefined,
  limit: number,
) =>
  reader.queries
    .selectFrom('item_attributes')
    .innerJoin('items', (join) =>
      join.onRef('items.team_id', '=', 'item_attributes.team_id').onRef('items.id', '=', 'item_attributes.item_id'),
    )
    .select(['items.id', 'items.name', 'item_attributes.min', 'item_attributes.max'])
    .where('item_attributes.team_id', '=', teamId)
    .where('item_attributes.attribute_id', '=', attributeId)
    .$if(afterId !== undefined, (query) => query.where('item_attributes.item_id', '>', afterId as string))
    .orderBy('item_attributes.item_id')
    .limit(limit)
    .execute();
