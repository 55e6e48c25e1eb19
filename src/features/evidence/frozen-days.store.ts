import { insertInto, locking, lookup, rowsOf, updateIn } from '../../database/declarations.ts';
import type { Reader, Transaction } from '../../database/work.ts';

const FROZEN = ['since', 'until', 'days', 'rolls', 'counts', 'evidence'] as const;

export const frozenOf = lookup({ templateId: 'text', config: 'text' }, (queries, teamId, { templateId, config }) =>
  rowsOf('evidence_frozen', { queries, teamId }, { template_id: templateId, config }).select(FROZEN),
);

/** The same, locked until the end of the transaction. */
export const holdFrozen = locking('evidence_frozen', frozenOf);

const COLUMNS = {
  template_id: 'text',
  config: 'text',
  since: 'text',
  until: 'text',
  days: 'integer',
  rolls: 'bigint',
  counts: 'text',
  evidence: 'double precision',
} as const;

/** Collides if another transaction inserted the same row in the meantime; the retry then finds it. */
export const insertFrozen = insertInto('evidence_frozen', COLUMNS);

export const updateFrozen = updateIn('evidence_frozen', COLUMNS, { key: ['template_id', 'config'] });

/** Teams with observations of days before one. */
export const selectTeamsWithOld = async ({ queries }: Reader, before: string): Promise<string[]> => {
  const rows = await queries
    .selectFrom('roll_evidence')
    .select('team_id')
    .distinct()
    .where('day', '<', before)
    .execute();
  return rows.map(({ team_id }) => team_id);
};

/** The versions with observations of days before one. */
export const selectOldVersions = (reader: Reader, before: string) =>
  rowsOf('roll_evidence', reader)
    .select(['template_id as templateId', 'version'])
    .distinct()
    .where('day', '<', before)
    .execute();

/** The days before one on which something was observed of rolls on a version. */
export const selectOldDays = async (
  reader: Reader,
  templateId: string,
  version: number,
  before: string,
): Promise<string[]> => {
  const rows = await rowsOf('roll_evidence', reader, { template_id: templateId, version })
    .select('day')
    .where('day', '<', before)
    .execute();
  return rows.map(({ day }) => day);
};

export const deleteOld = ({ queries, teamId }: Transaction, templateId: string, version: number, before: string) =>
  queries
    .deleteFrom('roll_evidence')
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId)
    .where('version', '=', version)
    .where('day', '<', before)
    .execute();
