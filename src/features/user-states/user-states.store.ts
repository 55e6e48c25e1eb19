import { insertInto, lockingLookup, lookup, updateIn } from '../../database/declarations.ts';
import type { Transaction } from '../../database/work.ts';

export const stateOf = lookup({ userId: 'text', scope: 'text' }, (queries, teamId, { userId, scope }) =>
  queries
    .selectFrom('user_states')
    .select('state')
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .where('scope', '=', scope),
);

export const holdState = lockingLookup('user_states', stateOf.keys, (queries, teamId, { userId, scope }) =>
  queries
    .selectFrom('user_states')
    .select('state')
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .where('scope', '=', scope)
    .forUpdate(),
);

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
