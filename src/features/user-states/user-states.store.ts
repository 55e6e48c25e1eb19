import { insertInto, locking, rowByKey, rowsOf, updateIn } from '../../database/declarations.ts';
import { onPage, type Page, type Paged, paged } from '../../database/paging.ts';
import type { Tables } from '../../database/tables.ts';
import type { Reader, Transaction } from '../../database/work.ts';

export const stateOf = rowByKey('user_states', { user_id: 'text', scope: 'text' }, ['state']);

export const holdState = locking('user_states', stateOf);

export const insertState = insertInto('user_states', {
  user_id: 'text',
  scope: 'text',
  template_id: 'text',
  state: 'text',
});

export const updateState = updateIn(
  'user_states',
  { user_id: 'text', scope: 'text', state: 'text' },
  { key: ['user_id', 'scope'] },
);

export const holdStatesOf = (tx: Transaction, userId: string) =>
  rowsOf('user_states', tx, { user_id: userId }).select('scope').orderBy('scope').forUpdate().execute();

/** Users who have a state of a template, up to a number. */
export const selectUsersOf = (reader: Reader, templateId: string, limit: number) =>
  rowsOf('user_states', reader, { template_id: templateId }).select('user_id').limit(limit).execute();

export type StateRow = Pick<Tables['user_states'], 'scope' | 'template_id' | 'state'>;

/** Everything that is remembered about a user; few rows, one per template and pity group. */
export const selectStatesOf = (reader: Reader, userId: string): Promise<StateRow[]> =>
  rowsOf('user_states', reader, { user_id: userId })
    .select(['scope', 'template_id', 'state'])
    .orderBy('scope')
    .execute();

export type ChangeRow = Omit<Tables['counter_changes'], 'team_id'>;

export const insertChange = insertInto('counter_changes', {
  user_id: 'text',
  id: 'text',
  template_id: 'text',
  scope: 'text',
  before: 'text',
  after: 'text',
  author: 'text',
  reason: 'text',
  request_id: 'text',
  created_at: 'bigint',
});

export const selectChanges = async (reader: Reader, userId: string, page: Page): Promise<Paged<ChangeRow>> => {
  const query = rowsOf('counter_changes', reader, { user_id: userId }).selectAll();
  return paged(await onPage(query, 'counter_changes', page).execute(), page);
};

/** The newest changes of a scope, newest first: ids begin with the time. */
export const selectNewestChanges = (reader: Reader, userId: string, scope: string, limit: number) =>
  rowsOf('counter_changes', reader, { user_id: userId, scope })
    .select(['before', 'after', 'created_at'])
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

export const deleteChangesOf = ({ queries, teamId }: Transaction, userId: string) =>
  queries.deleteFrom('counter_changes').where('team_id', '=', teamId).where('user_id', '=', userId).execute();
