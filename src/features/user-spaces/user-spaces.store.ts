import { sql } from 'kysely';
import { deleteFrom, insertInto, locking, lookup, rowsOf } from '../../database/declarations.ts';
import { onPage, type Page, type Paged, paged } from '../../database/paging.ts';
import type { Tables } from '../../database/tables.ts';
import type { Reader, Transaction } from '../../database/work.ts';
import { LIMITS } from '../../shared/limits.ts';

export type UserSpaceRow = Tables['user_spaces'];

export const userSpaceById = lookup({ id: 'text' }, (queries, teamId, { id }) =>
  rowsOf('user_spaces', { queries, teamId }, { id }).selectAll(),
);

/** Required to place, move or remove anything in the user space. */
export const holdUserSpace = locking('user_spaces', userSpaceById);

/** The first two user spaces that a user has of a space: enough to know whether there are several. */
export const userSpacesOfSpace = lookup({ userId: 'text', spaceId: 'text' }, (queries, teamId, { userId, spaceId }) =>
  rowsOf('user_spaces', { queries, teamId }, { user_id: userId })
    .select('id')
    // Prevents use of the index on spaces: every user may have one of the same space.
    .where(sql<boolean>`space_id || '' = ${spaceId}`)
    .orderBy('created_at')
    .orderBy('id')
    .limit(2),
);

export const insertUserSpace = insertInto('user_spaces', {
  id: 'text',
  user_id: 'text',
  space_id: 'text',
  external_id: 'text',
  created_at: 'bigint',
  updated_at: 'bigint',
});

/** Placements and grid rows are deleted by cascade. */
export const deleteUserSpace = deleteFrom('user_spaces', { id: 'text' }, { key: ['id'] });

export const selectUserSpaces = async (reader: Reader, userId: string, page: Page): Promise<Paged<UserSpaceRow>> => {
  const query = rowsOf('user_spaces', reader, { user_id: userId }).selectAll();
  return paged(await onPage(query, 'user_spaces', page).execute(), page);
};

/** The first user spaces of a space. */
export const firstOfSpace = lookup({ spaceId: 'text' }, (queries, teamId, { spaceId }) =>
  rowsOf('user_spaces', { queries, teamId }, { space_id: spaceId })
    .select(['id', 'user_id'])
    .orderBy('created_at')
    .orderBy('id')
    .limit(sql.lit(LIMITS.userSpacesPerListedSpace)),
);

/** The same for one user. */
export const firstOfSpaceAndUser = lookup({ userId: 'text', spaceId: 'text' }, (queries, teamId, { userId, spaceId }) =>
  rowsOf('user_spaces', { queries, teamId }, { user_id: userId })
    .select(['id', 'user_id'])
    // Prevents use of the index on spaces: every user may have one of the same space.
    .where(sql<boolean>`space_id || '' = ${spaceId}`)
    .orderBy('created_at')
    .orderBy('id')
    .limit(sql.lit(LIMITS.userSpacesPerListedSpace)),
);

export const selectPageOfSpace = async (reader: Reader, spaceId: string, page: Page): Promise<Paged<UserSpaceRow>> => {
  const query = rowsOf('user_spaces', reader, { space_id: spaceId }).selectAll();
  return paged(await onPage(query, 'user_spaces', page).execute(), page);
};

export const selectSpaceIds = async (reader: Reader, userId: string): Promise<string[]> => {
  const rows = await rowsOf('user_spaces', reader, { user_id: userId }).select('space_id').distinct().execute();
  return rows.map(({ space_id }) => space_id);
};

/** Locks all user spaces of a user, ordered by id. */
export const holdAllOf = (tx: Transaction, userId: string): Promise<UserSpaceRow[]> =>
  rowsOf('user_spaces', tx, { user_id: userId }).selectAll().orderBy('id').forUpdate().execute();
