import type { Kysely } from 'kysely';
import { inChunks } from '../../database/chunks.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import { onPage, type Page, type Paged, paged } from '../../database/paging.ts';
import { rowsStatement, statement } from '../../database/statement.ts';
import type { Tables } from '../../database/tables.ts';
import type { Footprint } from '../../engine/grid/grid.ts';
import { isoTime } from '../../time.ts';
import type { InstanceFilter, ItemInstance } from './item-instances.contract.ts';

export type InstanceRow = Tables['item_instances'];

export const insertInstances = rowsStatement<InstanceRow>((queries, rows) =>
  queries.insertInto('item_instances').values(
    rows.map((row) => ({
      team_id: row.team_id,
      id: row.id,
      item_id: row.item_id,
      user_id: row.user_id,
      attribute_values: row.attribute_values,
      created_at: row.created_at,
      updated_at: row.updated_at,
    })),
  ),
);

export const deleteInstance = (tx: Transaction, teamId: string, id: string) =>
  tx.deleteFrom('item_instances').where('team_id', '=', teamId).where('id', '=', id).execute();

export const updateOwner = (tx: Transaction, { team_id, id, user_id, updated_at }: InstanceRow) =>
  tx
    .updateTable('item_instances')
    .set({ user_id, updated_at })
    .where('team_id', '=', team_id)
    .where('id', '=', id)
    .execute();

export const instanceExists = async (reader: Reader, teamId: string, id: string): Promise<boolean> => {
  const row = await reader
    .selectFrom('item_instances')
    .select('id')
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined;
};

interface Key {
  readonly teamId: string;
  readonly id: string;
}

const holdOne = statement<Key, InstanceRow>((queries, { teamId, id }) =>
  queries.selectFrom('item_instances').selectAll().where('team_id', '=', teamId).where('id', '=', id).forUpdate(),
);

/** Holds an instance until the end of the transaction: whoever moves it, gives it away or deletes it comes one by one. */
export const holdInstance = async (tx: Transaction, teamId: string, id: string): Promise<InstanceRow | undefined> =>
  (await holdOne(tx, { teamId, id }))[0];

/** Holds several, always in the order of their ids, so that two never wait in a circle. */
export const holdInstances = async (tx: Transaction, teamId: string, ids: readonly string[]): Promise<InstanceRow[]> =>
  ids.length === 0
    ? []
    : tx
        .selectFrom('item_instances')
        .selectAll()
        .where('team_id', '=', teamId)
        .where('id', 'in', ids)
        .orderBy('id')
        .forUpdate()
        .execute();

const footprintQuery = (queries: Kysely<Tables>, teamId: string) =>
  queries.selectFrom('items').select(['id', 'width', 'height']).where('team_id', '=', teamId).orderBy('id').forShare();

const shareOne = statement<Key, Footprint & { id: string }>((queries, { teamId, id }) =>
  footprintQuery(queries, teamId).where('id', '=', id),
);

/** The footprints of items, by id, which stay as they are until the end of the transaction. */
export const shareFootprints = async (
  tx: Transaction,
  teamId: string,
  itemIds: readonly string[],
): Promise<Map<string, Footprint>> => {
  const [first, ...more] = new Set(itemIds);
  if (first === undefined) return new Map();
  const found =
    more.length === 0
      ? await shareOne(tx, { teamId, id: first })
      : await footprintQuery(tx, teamId)
          .where('id', 'in', [first, ...more])
          .execute();
  return new Map(found.map(({ id, width, height }) => [id, { width, height }]));
};

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

const optionsQuery = (reader: Reader, teamId: string, itemIds: readonly string[]) =>
  reader
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
    .orderBy('link.position');

const attributesQuery = (reader: Reader, teamId: string, itemIds: readonly string[]) =>
  reader
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
    .orderBy('item_attributes.position');

type Rows<Query extends (...given: never[]) => { execute(): Promise<unknown[]> }> = Awaited<
  ReturnType<ReturnType<Query>['execute']>
>;

/** Adds what the items of these instances have in common, for many items at once, however many instances there are. */
const withDetails = async (reader: Reader, teamId: string, rows: readonly JoinedRow[]): Promise<ItemInstance[]> => {
  const options: Rows<typeof optionsQuery> = [];
  const attributes: Rows<typeof attributesQuery> = [];
  await inChunks([...new Set(rows.map(({ item_id }) => item_id))], async (itemIds) => {
    options.push(...(await optionsQuery(reader, teamId, itemIds).execute()));
    attributes.push(...(await attributesQuery(reader, teamId, itemIds).execute()));
  });
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

/** All that lies in a user space. */
export const selectInstancesIn = async (
  reader: Reader,
  teamId: string,
  userSpaceId: string,
): Promise<ItemInstance[]> => {
  const rows = await instanceQuery(reader, teamId)
    .where('placement.user_space_id', '=', userSpaceId)
    .orderBy('item_instances.created_at')
    .orderBy('item_instances.id')
    .execute();
  return withDetails(reader, teamId, rows);
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
