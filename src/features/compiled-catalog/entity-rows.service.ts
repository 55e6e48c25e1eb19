import { currencyMembers, entityOf, type ItemEntity, type TemplateEntity } from '../../catalog/entities.ts';
import type { Reader } from '../../database/work.ts';
import { sortedBy } from '../../engine/byte-order.ts';
import type { EntityKind } from '../../shared/context.ts';
import { LIMITS } from '../../shared/limits.ts';
import { byPosition, type ReadItem, readItems, readItemsById } from './catalog-loader.service.ts';
import * as store from './compiled-catalog.store.ts';

/** An item from its rows. */
const itemEntityOf = ({ item, options, attributes }: ReadItem): ItemEntity =>
  entityOf('item', item, {
    data: item.data ? JSON.parse(item.data) : null,
    ...currencyMembers(item.spending),
    classifierOptionIds: options.map(({ optionId }) => optionId),
    itemAttributes: attributes,
  });

/** A template as it is stored. */
interface TemplateRow {
  readonly config: string;
  readonly bindings: string;
  readonly verifiable: number;
}

/** A template from its row. */
export const templateEntityOf = (row: TemplateRow): TemplateEntity =>
  entityOf('template', row, {
    config: JSON.parse(row.config),
    bindings: JSON.parse(row.bindings),
    verifiable: row.verifiable === 1,
  });

/** Items with these ids. */
export const findItemEntities = async (reader: Reader, ids: readonly string[]): Promise<ItemEntity[]> =>
  ids.length === 0 ? [] : Array.from(await readItemsById(reader, ids, { isWhole: true }), itemEntityOf);

/** An entity as JSON. */
export interface EntityText {
  readonly kind: EntityKind;
  readonly id: string;
  readonly text: string;
}

/** All entities of a catalog as they are now, in the order of a document. */
export async function* presentEntities(
  reader: Pick<Reader, 'queries' | 'teamId' | 'find'>,
): AsyncGenerator<EntityText> {
  const { teamId } = reader;
  const entity = (kind: EntityKind, members: { readonly id: string }): EntityText => ({
    kind,
    id: members.id,
    text: JSON.stringify(members),
  });
  const inOrder = <T extends { readonly id: string }>(rows: readonly T[]): T[] => sortedBy(rows, ({ id }) => id);
  for (const row of inOrder(await store.selectAttributes(reader, teamId)))
    yield entity('attribute', entityOf('attribute', row));
  const options = Map.groupBy(await store.selectOptions(reader, teamId, true), ({ classifierId }) => classifierId);
  for (const { id, name } of inOrder(await store.selectClassifiers(reader, teamId)))
    yield entity('classifier', entityOf('classifier', { id, name, classifierOptions: byPosition(options.get(id)) }));
  for (const row of inOrder(await store.selectSpaces(reader, teamId))) yield entity('space', entityOf('space', row));
  for await (const page of readItems(reader, { isWhole: true }))
    for (const item of page) yield entity('item', itemEntityOf(item));
  for (let lastId = ''; ; ) {
    const rows = await store.selectTemplatesAfter(reader, teamId, lastId, LIMITS.templatesPerRead);
    for (const row of rows) yield entity('template', templateEntityOf(row));
    const last = rows.at(-1);
    if (last === undefined || rows.length < LIMITS.templatesPerRead) return;
    lastId = last.id;
  }
}
