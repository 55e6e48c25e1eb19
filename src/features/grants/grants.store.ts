import { insertInto, locking, rowByKey, rowsOf, updateIn } from '../../database/declarations.ts';
import type { Tables } from '../../database/tables.ts';
import type { Reader } from '../../database/work.ts';

export type GrantRow = Tables['grants'];

export const grantByReference = rowByKey('grants', { reference: 'text' }, [
  'reference',
  'fingerprint',
  'roller_id',
  'source',
  'given',
  'created_at',
  'revoked_at',
  'revoked',
]);

export type FoundGrant = Omit<GrantRow, 'team_id'>;

export const holdGrant = locking('grants', grantByReference);

export const insertGrant = insertInto('grants', {
  reference: 'text',
  fingerprint: 'text',
  roller_id: 'text',
  source: 'text',
  given: 'text',
  created_at: 'bigint',
  revoked_at: 'bigint',
  revoked: 'text',
});

export const revokeGrant = updateIn(
  'grants',
  { reference: 'text', revoked_at: 'bigint', revoked: 'text' },
  { key: ['reference'] },
);

/** Grants of a user in the order of their references. */
export const selectGrantsOf = (reader: Reader, rollerId: string, after: string, limit: number): Promise<FoundGrant[]> =>
  rowsOf('grants', reader, { roller_id: rollerId })
    .selectAll()
    .where('reference', '>', after)
    .orderBy('reference')
    .limit(limit)
    .execute();
