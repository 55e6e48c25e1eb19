import { insertInto, locking, rowByKey, rowsOf, updateIn } from '../../database/declarations.ts';
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
