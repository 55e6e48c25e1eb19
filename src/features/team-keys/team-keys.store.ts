import type { Expression } from 'kysely';
import { ensureIn, lookup } from '../../database/declarations.ts';
import type { Tables } from '../../database/tables.ts';

export type KeyPurpose = Tables['team_keys']['purpose'];

export const keyFor = lookup({ purpose: 'text' }, (queries, teamId, { purpose }) =>
  queries
    .selectFrom('team_keys')
    .select('secret')
    .where('team_id', '=', teamId)
    .where('purpose', '=', purpose as Expression<KeyPurpose>),
);

export const ensureKey = ensureIn('team_keys', { purpose: 'text', secret: 'text' }, { key: ['purpose'] });
