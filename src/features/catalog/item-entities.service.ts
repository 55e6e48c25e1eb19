import type { Reader } from '../../database/work.ts';
import * as store from './catalog.store.ts';
import type { ItemEntity } from './entities.service.ts';

const inOrder = <T extends { readonly position: number }>(rows: readonly T[] = []): T[] =>
  rows.toSorted((a, b) => a.position - b.position);

/** Items with these ids, as versions record them. */
export const findItemEntities = async (reader: Reader, ids: readonly string[]): Promise<ItemEntity[]> => {
  if (ids.length === 0) return [];
  const items = await store.selectItemsById(reader, reader.teamId, ids);
  const options = Map.groupBy(await store.selectOptionsOfItems(reader, reader.teamId, ids), ({ itemId }) => itemId);
  const attributes = Map.groupBy(
    await store.selectAttributesOfItems(reader, reader.teamId, ids),
    ({ itemId }) => itemId,
  );
  return items.map(({ id, name, thumbnail, rollNumerator, width, height }) => ({
    id,
    name,
    thumbnail,
    rollNumerator,
    width,
    height,
    classifierOptionIds: inOrder(options.get(id)).map(({ optionId }) => optionId),
    itemAttributes: inOrder(attributes.get(id)).map((attribute) => ({
      id: attribute.id,
      attributeId: attribute.attributeId,
      min: attribute.min,
      max: attribute.max,
    })),
  }));
};
