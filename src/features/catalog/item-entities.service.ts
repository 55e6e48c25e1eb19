import type { ItemEntity } from '../../catalog/entities.ts';
import type { Reader } from '../../database/work.ts';
import * as store from './catalog.store.ts';
import { byPosition } from './catalog-loader.service.ts';

type ItemRow = Omit<ItemEntity, 'classifierOptionIds' | 'itemAttributes'>;
type OptionRow = { readonly optionId: string; readonly position: number };
type AttributeRow = ItemEntity['itemAttributes'][number] & { readonly position: number };

/** An item as versions record it, from its rows. */
export const itemEntityOf = (
  { id, name, thumbnail, rollNumerator, width, height }: ItemRow,
  options?: readonly OptionRow[],
  attributes?: readonly AttributeRow[],
): ItemEntity => ({
  id,
  name,
  thumbnail,
  rollNumerator,
  width,
  height,
  classifierOptionIds: byPosition(options).map(({ optionId }) => optionId),
  itemAttributes: byPosition(attributes).map((attribute) => ({
    id: attribute.id,
    attributeId: attribute.attributeId,
    min: attribute.min,
    max: attribute.max,
  })),
});

/** Items with these ids, as versions record them. */
export const findItemEntities = async (reader: Reader, ids: readonly string[]): Promise<ItemEntity[]> => {
  if (ids.length === 0) return [];
  const items = await store.selectItemsById(reader, reader.teamId, ids);
  const options = Map.groupBy(await store.selectOptionsOfItems(reader, reader.teamId, ids), ({ itemId }) => itemId);
  const attributes = Map.groupBy(
    await store.selectAttributesOfItems(reader, reader.teamId, ids),
    ({ itemId }) => itemId,
  );
  return items.map((item) => itemEntityOf(item, options.get(item.id), attributes.get(item.id)));
};
