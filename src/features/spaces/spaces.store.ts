import type { Reader, Transaction } from '../../database/database.ts';
import { mapPage, onPage, type Page, type Paged, paged } from '../../database/paging.ts';
import type { Tables } from '../../database/tables.ts';
import { isoTime } from '../../time.ts';
import type { Space, SpaceChange, SpaceWithUserSpaces, UserSpace, UserSpaceWithSpace } from './spaces.contract.ts';

const toSpace = (row: Tables['spaces']): Space => ({
  id: row.id,
  name: row.name,
  teamId: row.team_id,
  cols: row.cols,
  rows: row.rows,
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
});

const toUserSpace = (row: Tables['user_spaces']): UserSpace => ({
  id: row.id,
  teamId: row.team_id,
  userId: row.user_id,
  externalId: row.external_id,
  spaceId: row.space_id,
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
});

export const insertSpace = (tx: Transaction, row: Tables['spaces']) => tx.insertInto('spaces').values(row).execute();

export const updateSpace = (tx: Transaction, teamId: string, id: string, change: SpaceChange, nowMs: number) =>
  tx
    .updateTable('spaces')
    .set({ ...change, updated_at: nowMs })
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .execute();

export const deleteSpace = (tx: Transaction, teamId: string, id: string) =>
  tx.deleteFrom('spaces').where('team_id', '=', teamId).where('id', '=', id).execute();

export const selectSpace = async (reader: Reader, teamId: string, id: string): Promise<Space | undefined> => {
  const row = await reader
    .selectFrom('spaces')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && toSpace(row);
};

export const selectSpacesById = async (reader: Reader, teamId: string, ids: readonly string[]): Promise<Space[]> => {
  if (ids.length === 0) return [];
  const rows = await reader
    .selectFrom('spaces')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('id', 'in', ids)
    .execute();
  return rows.map(toSpace);
};

export const selectSpaces = async (
  reader: Reader,
  teamId: string,
  userId: string | undefined,
  page: Page,
): Promise<Paged<SpaceWithUserSpaces>> => {
  const query = reader
    .selectFrom('spaces')
    .selectAll()
    .where('team_id', '=', teamId)
    .$if(userId !== undefined, (some) =>
      some.where('id', 'in', (eb) =>
        eb
          .selectFrom('user_spaces')
          .select('space_id')
          .where('user_spaces.team_id', '=', teamId)
          .where('user_spaces.user_id', '=', userId as string),
      ),
    );
  const { rows, next } = paged(await onPage(query, 'spaces', page).execute(), page);
  const userSpaces =
    rows.length === 0
      ? []
      : await reader
          .selectFrom('user_spaces')
          .select(['id', 'user_id as userId', 'space_id'])
          .where('team_id', '=', teamId)
          .where(
            'space_id',
            'in',
            rows.map(({ id }) => id),
          )
          .$if(userId !== undefined, (some) => some.where('user_id', '=', userId as string))
          .orderBy('created_at')
          .orderBy('id')
          .execute();
  const bySpace = Map.groupBy(userSpaces, ({ space_id }) => space_id);
  return {
    rows: rows.map((row) => ({
      ...toSpace(row),
      userSpaces: (bySpace.get(row.id) ?? []).map(({ id, userId: owner }) => ({ id, userId: owner })),
    })),
    next,
  };
};

/** Placed instances that reach beyond the given size and how far they do, at most `limit` of them. */
export const selectCutOff = (
  reader: Reader,
  teamId: string,
  spaceId: string,
  { cols, rows }: { cols: number; rows: number },
  limit: number,
) =>
  reader
    .selectFrom('user_spaces')
    .innerJoin('occupied_cells as cell', (join) =>
      join.onRef('cell.team_id', '=', 'user_spaces.team_id').onRef('cell.user_space_id', '=', 'user_spaces.id'),
    )
    .innerJoin('item_instance_spaces as placement', (join) =>
      join.onRef('placement.team_id', '=', 'cell.team_id').onRef('placement.id', '=', 'cell.item_instance_space_id'),
    )
    .select((eb) => [
      'placement.item_instance_id as itemInstanceId',
      'user_spaces.id as userSpaceId',
      'placement.x',
      'placement.y',
      eb.fn.max('cell.x').as('right'),
      eb.fn.max('cell.y').as('bottom'),
    ])
    .groupBy(['placement.item_instance_id', 'user_spaces.id', 'placement.x', 'placement.y'])
    .where('user_spaces.team_id', '=', teamId)
    .where('user_spaces.space_id', '=', spaceId)
    .where((eb) => eb.or([eb('cell.x', '>=', cols), eb('cell.y', '>=', rows)]))
    .orderBy('user_spaces.id')
    .orderBy('placement.item_instance_id')
    .limit(limit)
    .execute();

export const insertUserSpace = (tx: Transaction, row: Tables['user_spaces']) =>
  tx.insertInto('user_spaces').values(row).execute();

export const selectUserSpace = async (reader: Reader, teamId: string, id: string): Promise<UserSpace | undefined> => {
  const row = await reader
    .selectFrom('user_spaces')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && toUserSpace(row);
};

export const selectUserSpacesOf = async (
  reader: Reader,
  teamId: string,
  filter: { userId?: string; spaceId?: string },
  limit: number,
): Promise<UserSpace[]> => {
  let query = reader.selectFrom('user_spaces').selectAll().where('team_id', '=', teamId);
  if (filter.userId !== undefined) query = query.where('user_id', '=', filter.userId);
  if (filter.spaceId !== undefined) query = query.where('space_id', '=', filter.spaceId);
  const rows = await query.orderBy('created_at').orderBy('id').limit(limit).execute();
  return rows.map(toUserSpace);
};

export const selectUserSpaces = async (
  reader: Reader,
  teamId: string,
  userId: string,
  page: Page,
): Promise<Paged<UserSpaceWithSpace>> => {
  const query = reader
    .selectFrom('user_spaces')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId);
  const found = paged(await onPage(query, 'user_spaces', page).execute(), page);
  const spaces = await selectSpacesById(reader, teamId, [...new Set(found.rows.map((row) => row.space_id))]);
  const byId = new Map(spaces.map((space) => [space.id, space]));
  return mapPage(found, (row) => ({ ...toUserSpace(row), space: byId.get(row.space_id) as Space }));
};

export const deleteUserSpace = async (
  tx: Transaction,
  teamId: string,
  userId: string,
  id: string,
): Promise<boolean> => {
  const rows = await tx
    .deleteFrom('user_spaces')
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning('id')
    .execute();
  return rows.length > 0;
};

/** Holds user spaces until the end of the transaction, always in the order of their ids, so that two never wait in a circle. */
export const holdUserSpaces = async (tx: Transaction, teamId: string, ids: readonly string[]): Promise<UserSpace[]> => {
  const rows = await tx
    .selectFrom('user_spaces')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('id', 'in', ids)
    .orderBy('id')
    .forUpdate()
    .execute();
  return rows.map(toUserSpace);
};

/** Keeps a space from being changed until the end of the transaction; others may keep it so at the same time. */
export const shareSpace = async (tx: Transaction, teamId: string, id: string): Promise<Space> =>
  toSpace(
    await tx
      .selectFrom('spaces')
      .selectAll()
      .where('team_id', '=', teamId)
      .where('id', '=', id)
      .forShare()
      .executeTakeFirstOrThrow(),
  );
