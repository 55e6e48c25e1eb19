import type { Expression } from 'kysely';
import { ensureIn, lookup, rowsOf } from '../../database/declarations.ts';
import type { Tables } from '../../database/tables.ts';

export type KeyPurpose = Tables['team_keys']['purpose'];

export const keyFor = lookup({ purpose: 'text' }, (queries, teamId, { purpose }) =>
  rowsOf('team_keys', { queries, teamId }, { purpose: purpose as Expression<KeyPurpose> }).select('secret'),
);

export const ensureKey = ensureIn('team_keys', { purpose: 'text', secret: 'text' }, { key: ['purpose'] });
