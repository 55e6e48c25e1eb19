import { rowsOf } from '../../database/declarations.ts';
import { onPage, type Page, type Paged, paged } from '../../database/paging.ts';
import type { Tables } from '../../database/tables.ts';
import type { Reader } from '../../database/work.ts';
import { isoTime } from '../../shared/time.ts';
import type { Item } from './items.contract.ts';

export type ItemRow = Tables['items'];

/** The options of items, in two steps: without statistics of the team the planner would scan all options for a join. */
const selectOptionsOf = async (reader: Reader, itemIds: readonly string[]) => {
  const links = await rowsOf('item_classifiers', reader)
    .select(['item_id', 'classifier_option_id'])
    .where('item_id', 'in', itemIds)
    .orderBy('position')
    .execute();
  if (links.length === 0) return [];
  const found = await rowsOf('classifier_options', reader)
    .select(['id', 'name', 'drop_rate_multiplier', 'classifier_id'])
    .where('id', 'in', [...new Set(links.map((link) => link.classifier_option_id))])
    .execute();
  const byId = new Map(found.map((option) => [option.id, option]));
  return links.flatMap(({ item_id, classifier_option_id }) => {
    const option = byId.get(classifier_option_id);
    return option === undefined ? [] : [{ item_id, ...option }];
  });
};

export const withDetails = async (reader: Reader, rows: readonly ItemRow[]): Promise<Item[]> => {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const options = await selectOptionsOf(reader, ids);
  const attributes = await rowsOf('item_attributes', reader)
    .select(['id', 'item_id', 'attribute_id', 'min', 'max'])
    .where('item_id', 'in', ids)
    .orderBy('position')
    .execute();
  const optionsOf = Map.groupBy(options, ({ item_id }) => item_id);
  const attributesOf = Map.groupBy(attributes, ({ item_id }) => item_id);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    thumbnail: row.thumbnail,
    rollNumerator: row.roll_numerator,
    width: row.width,
    height: row.height,
    description: row.description,
    data: row.data === null ? null : JSON.parse(row.data),
    ...(row.currency !== null && { currency: true }),
    ...(row.currency === 'paidFirst' && { spend: row.currency }),
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
    teamId: row.team_id,
    classifiers: (optionsOf.get(row.id) ?? []).map((option) => ({
      classifierId: option.classifier_id,
      classifierOption: {
        id: option.id,
        name: option.name,
        dropRateMultiplier: option.drop_rate_multiplier,
        classifierId: option.classifier_id,
      },
    })),
    attributes: (attributesOf.get(row.id) ?? []).map((attribute) => ({
      id: attribute.id,
      itemId: attribute.item_id,
      attributeId: attribute.attribute_id,
      min: attribute.min,
      max: attribute.max,
    })),
  }));
};

export const selectItem = async (reader: Reader, id: string): Promise<Item | undefined> => {
  const rows = await rowsOf('items', reader, { id }).selectAll().execute();
  return (await withDetails(reader, rows))[0];
};

/** A page of items without their details. */
export const selectItemRows = async (reader: Reader, page: Page): Promise<Paged<ItemRow>> => {
  const query = rowsOf('items', reader).selectAll();
  return paged(await onPage(query, 'items', page).execute(), page);
};
