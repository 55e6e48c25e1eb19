import { deleteFrom, insertInto, locking, lookup, rowsOf, updateIn, upsertInto } from '../../database/declarations.ts';
import type { Reader } from '../../database/work.ts';

/** What was observed on one day, locked until the end of the transaction. */
export const holdEvidence = locking(
  'roll_evidence',
  lookup({ templateId: 'text', version: 'integer', day: 'text' }, (queries, teamId, { templateId, version, day }) =>
    rowsOf('roll_evidence', { queries, teamId }, { template_id: templateId, version, day }).select(['rolls', 'counts']),
  ),
);

const COLUMNS = { template_id: 'text', version: 'integer', day: 'text', rolls: 'bigint', counts: 'text' } as const;
const KEY = ['template_id', 'version', 'day'] as const;

/** Collides if another transaction inserted the same row in the meantime; the retry then finds it. */
export const insertEvidence = insertInto('roll_evidence', COLUMNS);

export const updateEvidence = updateIn('roll_evidence', COLUMNS, { key: KEY });

export const removeEvidence = deleteFrom(
  'roll_evidence',
  { template_id: 'text', version: 'integer', day: 'text' },
  { key: KEY },
);

/** The days on which something was observed of rolls on a version. */
export const selectDays = async (reader: Reader, templateId: string, version: number): Promise<string[]> => {
  const rows = await rowsOf('roll_evidence', reader, { template_id: templateId, version }).select('day').execute();
  return rows.map(({ day }) => day);
};

/** What was observed of rolls on a version, in order of the days. */
export const selectEvidence = (
  reader: Reader,
  { templateId, version, offset }: { templateId: string; version: number; offset: number },
  limit: number,
) =>
  rowsOf('roll_evidence', reader, { template_id: templateId, version })
    .select(['day', 'rolls', 'counts'])
    .orderBy('day')
    .limit(limit)
    .offset(offset)
    .execute();

/** The versions of which anything was observed. */
export const selectObserved = (reader: Reader, templateId: string | undefined) => {
  let query = rowsOf('roll_evidence', reader).select(['template_id as templateId', 'version']).distinct();
  if (templateId !== undefined) query = query.where('template_id', '=', templateId);
  return query.execute();
};

/** What was observed of rolls that are not added up yet. */
export const selectPending = (reader: Reader, templateId: string | undefined) => {
  let query = rowsOf('roll_pending', reader)
    .select(['template_id as templateId', 'version', 'day', 'rolls', 'evidence as counts'])
    .where('version', 'is not', null)
    .where('evidence', 'is not', null);
  if (templateId !== undefined) query = query.where('template_id', '=', templateId);
  return query.$narrowType<{ version: number; counts: string }>().execute();
};

export const markDue = upsertInto(
  'evidence_due',
  { template_id: 'text', version: 'integer', stamp: 'text' },
  { key: ['template_id', 'version'] },
);
