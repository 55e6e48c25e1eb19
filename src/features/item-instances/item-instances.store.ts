import { inChunks } from '../../database/chunks.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import { onPage, type Page, type Paged, paged } from '../../database/paging.ts';
import type { Tables } from '../../database/tables.ts';
import { isoTime } from '../../time.ts';
import type { InstanceFilter, ItemInstance } from './item-instances.contract.ts';

export type InstanceRow = Tables['item_instances'];

export const insertInstances = (tx: Transaction, rows: readonly InstanceRow[]): Promise<void> =>
  inChunks(rows, async (some) => {
    await tx.insertInto('item_instances').values(some).execute();
  });

export const deleteInstance = (tx: Transaction, teamId: string, id: string) =>
  tx.deleteFrom('item_instances').where('team_id', '=', teamId).where('id', '=', id).execute();

export const instanceExists = async (reader: Reader, teamId: string, id: string): Promise<boolean> => {
  const row = await reader
    .selectFrom('item_instances')
    .select('id')
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined;
};

/** Holds an instance until the end of the transaction: whoever moves it, gives it away or deletes it comes one by one. */
export const holdInstance = (tx: Transaction, teamId: string, id: string): Promise<InstanceRow | undefined> =>
  tx
    .selectFrom('item_instances')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();

/** The footprints of items, which stay as they are until the end of the transaction. */
export const shareFootprints = (tx: Transaction, teamId: string, itemIds: readonly string[]) =>
  tx
    .selectFrom('items')
    .select(['id', 'width', 'height'])
    .where('team_id', '=', teamId)
    .where('id', 'in', itemIds)
    .orderBy('id')
    .forShare()
    .execute();

const instanceQuery = (reader: Reader, teamId: string) =>
  reader
    .selectFrom('item_instances')
    .innerJoin('items', (join) =>
      join.onRef('items.team_id', '=', 'item_instances.team_id').onRef('items.id', '=', 'item_instances.item_id'),
    )
    .leftJoin('item_instance_spaces as placement', (join) =>
      join
        .onRef('placement.team_id', '=', 'item_instances.team_id')
        .onRef('placement.item_instance_id', '=', 'item_instances.id'),
    )
    .select([
      'item_instances.id',
      'item_instances.created_at',
      'item_instances.team_id',
      'item_instances.user_id',
      'item_instances.item_id',
      'item_instances.attribute_values',
      'items.name as item_name',
      'items.thumbnail',
      'items.roll_numerator',
      'items.width',
      'items.height',
      'items.created_at as item_created_at',
      'items.updated_at as item_updated_at',
      'placement.id as placement_id',
      'placement.user_space_id',
      'placement.x',
      'placement.y',
      'placement.rotated',
      'placement.created_at as placement_created_at',
      'placement.updated_at as placement_updated_at',
    ])
    .where('item_instances.team_id', '=', teamId);

type JoinedRow = Awaited<ReturnType<ReturnType<typeof instanceQuery>['execute']>>[number];

const toPlacement = (row: JoinedRow): ItemInstance['itemInstanceSpace'] =>
  row.placement_id === null
    ? null
    : {
        id: row.placement_id,
        itemInstanceId: row.id,
        teamUserSpaceId: row.user_space_id as string,
        spacePositionX: row.x as number,
        spacePositionY: row.y as number,
        rotated: row.rotated === 1,
        teamId: row.team_id,
        createdAt: isoTime(row.placement_created_at as number),
        updatedAt: isoTime(row.placement_updated_at as number),
      };

/** Adds what the items of these instances have in common, each in one query, however many instances there are. */
const withDetails = async (reader: Reader, teamId: string, rows: readonly JoinedRow[]): Promise<ItemInstance[]> => {
  if (rows.length === 0) return [];
  const itemIds = [...new Set(rows.map(({ item_id }) => item_id))];
  const options = await reader
    .selectFrom('item_classifiers as link')
    .innerJoin('classifier_options as option', (join) =>
      join.onRef('option.team_id', '=', 'link.team_id').onRef('option.id', '=', 'link.classifier_option_id'),
    )
    .innerJoin('classifiers', (join) =>
      join.onRef('classifiers.team_id', '=', 'option.team_id').onRef('classifiers.id', '=', 'option.classifier_id'),
    )
    .select([
      'link.item_id',
      'classifiers.id',
      'classifiers.name',
      'option.id as option_id',
      'option.name as option_name',
    ])
    .where('link.team_id', '=', teamId)
    .where('link.item_id', 'in', itemIds)
    .orderBy('link.position')
    .execute();
  const attributes = await reader
    .selectFrom('item_attributes')
    .innerJoin('attributes', (join) =>
      join
        .onRef('attributes.team_id', '=', 'item_attributes.team_id')
        .onRef('attributes.id', '=', 'item_attributes.attribute_id'),
    )
    .select([
      'item_attributes.item_id',
      'item_attributes.id',
      'item_attributes.attribute_id as attributeId',
      'attributes.name',
      'item_attributes.min',
      'item_attributes.max',
    ])
    .where('item_attributes.team_id', '=', teamId)
    .where('item_attributes.item_id', 'in', itemIds)
    .orderBy('item_attributes.position')
    .execute();
  const optionsOf = Map.groupBy(options, ({ item_id }) => item_id);
  const attributesOf = Map.groupBy(attributes, ({ item_id }) => item_id);
  return rows.map((row) => {
    const values = JSON.parse(row.attribute_values) as Record<string, number>;
    return {
      id: row.id,
      userId: row.user_id,
      item: {
        id: row.item_id,
        name: row.item_name,
        thumbnail: row.thumbnail,
        rollNumerator: row.roll_numerator,
        width: row.width,
        height: row.height,
        createdAt: isoTime(row.item_created_at),
        updatedAt: isoTime(row.item_updated_at),
        teamId: row.team_id,
      },
      itemInstanceSpace: toPlacement(row),
      classifiers: (optionsOf.get(row.item_id) ?? []).map(({ id, name, option_id, option_name }) => ({
        id,
        name,
        classifierOption: { id: option_id, name: option_name },
      })),
      // An attribute that the item gained later has no value here; one that it lost is no longer shown.
      attributes: (attributesOf.get(row.item_id) ?? []).flatMap(({ id, attributeId, name, min, max }) => {
        const value = values[id];
        return value === undefined ? [] : [{ id, attributeId, name, value, min, max }];
      }),
    };
  });
};

export const selectInstance = async (reader: Reader, teamId: string, id: string): Promise<ItemInstance | undefined> => {
  const rows = await instanceQuery(reader, teamId).where('item_instances.id', '=', id).execute();
  return (await withDetails(reader, teamId, rows))[0];
};

export const selectInstances = async (
  reader: Reader,
  teamId: string,
  { userId, userSpaceId, itemId, classifierOptionIds, instanceIds }: InstanceFilter,
  page: Page,
): Promise<Paged<ItemInstance>> => {
  let query = instanceQuery(reader, teamId);
  if (userId !== undefined) query = query.where('item_instances.user_id', '=', userId);
  if (itemId !== undefined) query = query.where('item_instances.item_id', '=', itemId);
  if (userSpaceId !== undefined) query = query.where('placement.user_space_id', '=', userSpaceId);
  if (instanceIds !== undefined) query = query.where('item_instances.id', 'in', instanceIds);
  if (classifierOptionIds !== undefined)
    query = query.where('item_instances.item_id', 'in', (eb) =>
      eb
        .selectFrom('item_classifiers')
        .select('item_classifiers.item_id')
        .where('item_classifiers.team_id', '=', teamId)
        .where('item_classifiers.classifier_option_id', 'in', classifierOptionIds),
    );
  const { rows, next } = paged(await onPage(query, 'item_instances', page).execute(), page);
  return { rows: await withDetails(reader, teamId, rows), next };
};
