import { insertInto, lockingLookup, updateIn, upsertInto } from '../../database/declarations.ts';

/** What was observed on one day, locked until the end of the transaction. */
export const holdEvidence = lockingLookup(
  'roll_evidence',
  { templateId: 'text', version: 'integer', day: 'text' },
  (queries, teamId, { templateId, version, day }) =>
    queries
      .selectFrom('roll_evidence')
      .select(['rolls', 'counts'])
      .where('team_id', '=', teamId)
      .where('template_id', '=', templateId)
      .where('version', '=', version)
      .where('day', '=', day)
      .forUpdate(),
);

const COLUMNS = { template_id: 'text', version: 'integer', day: 'text', rolls: 'bigint', counts: 'text' } as const;
const KEY = ['template_id', 'version', 'day'] as const;

/** Collides if another transaction inserted the same row in the meantime; the retry then finds it. */
export const insertEvidence = insertInto('roll_evidence', COLUMNS);

export const updateEvidence = updateIn('roll_evidence', COLUMNS, { key: KEY });

export const markDue = upsertInto(
  'evidence_due',
  { template_id: 'text', version: 'integer', stamp: 'text' },
  { key: ['template_id', 'version'] },
);
