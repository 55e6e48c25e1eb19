/** Item instances. Placements are read here only together with instances, for lists that show both. */
import { type Expression, sql } from 'kysely';
import { deleteFrom, insertInto, locking, lookup, rowsOf, updateIn } from '../../database/declarations.ts';
import { onPage, type Page } from '../../database/paging.ts';
import type { Tables } from '../../database/tables.ts';
import type { Finder, Queries, Reader, Transaction } from '../../database/work.ts';
import type { InstanceFilter } from './item-instances.contract.ts';

export type InstanceRow = Omit<Tables['item_instances'], 'team_id'>;

const COLUMNS = [
  'id',
  'item_id',
  'user_id',
  'attribute_values',
  'cause',
  'author',
  'request_id',
  'data',
  'locked',
  'created_at',
  'updated_at',
] as const;

export const instanceById = lookup({ id: 'text' }, (queries, teamId, { id }) =>
  rowsOf('item_instances', { queries, teamId }, { id }).select(COLUMNS),
);

/** Locks an instance: moves, transfers and deletions of it are serialized. */
export const holdInstance = locking('item_instances', instanceById);

/** Any one instance of an item. */
export const instanceOfItem = lookup({ itemId: 'text' }, (queries, teamId, { itemId }) =>
  rowsOf('item_instances', { queries, teamId }, { item_id: itemId }).select('id').limit(1),
);

const INSERTED = {
  id: 'text',
  item_id: 'text',
  user_id: 'text',
  attribute_values: 'text',
  cause: 'text',
  author: 'text',
  request_id: 'text',
  created_at: 'bigint',
  updated_at: 'bigint',
} as const;

/** Of an instance without data, as nearly all are when they are created. */
export const insertInstance = insertInto('item_instances', INSERTED);
export const insertInstanceWithData = insertInto('item_instances', { ...INSERTED, data: 'text', locked: 'integer' });

export const updateInstance = updateIn(
  'item_instances',
  { id: 'text', user_id: 'text', data: 'text', locked: 'integer', updated_at: 'bigint' },
  { key: ['id'] },
);

export const deleteInstance = deleteFrom('item_instances', { id: 'text' }, { key: ['id'] });

/** The ids of a user's instances, unordered: sorting very many would take long. */
export const selectIdsOf = async (tx: Transaction, userId: string): Promise<string[]> =>
  (await rowsOf('item_instances', tx, { user_id: userId }).select('id').execute()).map(({ id }) => id);

export const deleteInstances = async ({ queries, teamId }: Transaction, ids: readonly string[]): Promise<void> => {
  await queries.deleteFrom('item_instances').where('team_id', '=', teamId).where('id', 'in', ids).execute();
};

/** An instance with its placement; the placement columns are null if it is not placed. */
export interface ListedRow {
  readonly id: string;
  readonly created_at: number;
  readonly user_id: string;
  readonly item_id: string;
  readonly attribute_values: string;
  readonly data: string | null;
  readonly locked: number | null;
  readonly placement_id: string | null;
  readonly user_space_id: string | null;
  readonly x: number | null;
  readonly y: number | null;
  readonly rotated: number | null;
  readonly placement_created_at: number | null;
  readonly placement_updated_at: number | null;
}

const listed = (queries: Queries, teamId: string | Expression<string>) =>
  queries
    .selectFrom('item_instances')
    .leftJoin('item_instance_spaces as placement', (join) =>
      join
        .onRef('placement.team_id', '=', 'item_instances.team_id')
        .onRef('placement.item_instance_id', '=', 'item_instances.id')
        // Not `= 0`, which would make the planner scan the index of all first cells instead of looking up the instance.
        .on('placement.part', '<', 1),
    )
    .select([
      'item_instances.id',
      'item_instances.created_at',
      'item_instances.user_id',
      'item_instances.item_id',
      'item_instances.attribute_values',
      'item_instances.data',
      'item_instances.locked',
      'placement.id as placement_id',
      'placement.user_space_id',
      'placement.x',
      'placement.y',
      'placement.rotated',
      'placement.created_at as placement_created_at',
      'placement.updated_at as placement_updated_at',
    ])
    .where('item_instances.team_id', '=', teamId);

export const listedById = lookup({ id: 'text' }, (queries, teamId, { id }) =>
  listed(queries, teamId).where('item_instances.id', '=', id),
);

/** All instances placed in a user space, unordered: sorting very many would take long. */
export const listedIn = lookup(
  { userSpaceId: 'text' },
  (queries, teamId, { userSpaceId }) => listed(queries, teamId).where('placement.user_space_id', '=', userSpaceId),
  { isLong: true },
);

/** Parameters of a page that starts after a given row. */
const PAGE_KEY = { createdAt: 'bigint', id: 'text', limit: 'integer' } as const;

const pageKey = ({ limit, after }: Page) => ({
  createdAt: after?.createdAtMs ?? Number.MIN_SAFE_INTEGER,
  id: after?.id ?? '',
  limit: limit + 1,
});

const listedOf = lookup({ userId: 'text', ...PAGE_KEY }, (queries, teamId, { userId, createdAt, id, limit }) =>
  listed(queries, teamId)
    .where('item_instances.user_id', '=', userId)
    .where(sql<boolean>`(item_instances.created_at, item_instances.id) > (${createdAt}, ${id})`)
    .orderBy('item_instances.created_at')
    .orderBy('item_instances.id')
    .limit(limit),
);

/** A user's instances, one row more than the page has. */
export const findListedOf = (finder: Finder, userId: string, page: Page): Promise<readonly ListedRow[]> =>
  finder.find(listedOf, { userId, ...pageKey(page) });

const listedInFrom = lookup(
  { userSpaceId: 'text', ...PAGE_KEY },
  (queries, teamId, { userSpaceId, createdAt, id, limit }) =>
    listed(queries, teamId)
      .where('placement.user_space_id', '=', userSpaceId)
      .where(sql<boolean>`(item_instances.created_at, item_instances.id) > (${createdAt}, ${id})`)
      .orderBy('item_instances.created_at')
      .orderBy('item_instances.id')
      .limit(limit),
);

/** Instances placed in a user space, one row more than the page has. */
export const findListedIn = (finder: Finder, userSpaceId: string, page: Page): Promise<readonly ListedRow[]> =>
  finder.find(listedInFrom, { userSpaceId, ...pageKey(page) });

/** Which instances a list contains. */
export type Filter = Omit<InstanceFilter, 'classifierOptionIds'>;

/** The same for any filter. */
export const selectListed = (
  { queries, teamId }: Reader,
  { userId, userSpaceId, itemId, instanceIds }: Filter,
  page: Page,
): Promise<ListedRow[]> => {
  let query = listed(queries, teamId);
  if (userId !== undefined) query = query.where('item_instances.user_id', '=', userId);
  if (itemId !== undefined) query = query.where('item_instances.item_id', '=', itemId);
  if (userSpaceId !== undefined) query = query.where('placement.user_space_id', '=', userSpaceId);
  if (instanceIds !== undefined) query = query.where('item_instances.id', 'in', instanceIds);
  return onPage(query, 'item_instances', page).execute();
};

/** The instances of items, up to a number. */
export const selectIdsOfItems = (reader: Reader, itemIds: readonly string[], limit: number) =>
  rowsOf('item_instances', reader).select('id').where('item_id', 'in', itemIds).limit(limit).execute();

/** A user's instances, one row more than the page has. */
export const selectInstancesOf = (reader: Reader, userId: string, page: Page): Promise<InstanceRow[]> =>
  onPage(rowsOf('item_instances', reader, { user_id: userId }).select(COLUMNS), 'item_instances', page).execute();
