import { insertInto, locking, lookup, updateIn } from '../../database/declarations.ts';
import type { Reader, Transaction } from '../../database/work.ts';

export const stateOf = lookup({ userId: 'text', scope: 'text' }, (queries, teamId, { userId, scope }) =>
  queries
    .selectFrom('user_states')
    .select('state')
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .where('scope', '=', scope),
);

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

export const holdStatesOf = ({ queries, teamId }: Transaction, userId: string) =>
  queries
    .selectFrom('user_states')
    .select('scope')
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .orderBy('scope')
    .forUpdate()
    .execute();

/** Users who have a state of a template, up to a number. */
export const selectUsersOf = (reader: Reader, templateId: string, limit: number) =>
  reader.queries
    .selectFrom('user_states')
    .select('user_id')
    .where('team_id', '=', reader.teamId)
    .where('template_id', '=', templateId)
    .limit(limit)
    .execute();
