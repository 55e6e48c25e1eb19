import { insertInto, locking, lookup, rowsOf, updateIn } from '../../database/declarations.ts';
import type { Reader, Transaction } from '../../database/work.ts';

/** Teams with rolls since the evidence was last computed. */
export const selectTeamsDue = async ({ queries }: Reader): Promise<string[]> => {
  const rows = await queries.selectFrom('evidence_due').select('team_id').distinct().execute();
  return rows.map(({ team_id }) => team_id);
};

export interface Due {
  readonly templateId: string;
  readonly version: number;
  readonly stamp: string;
}

export const selectDue = (reader: Reader): Promise<Due[]> =>
  rowsOf('evidence_due', reader).select(['template_id as templateId', 'version', 'stamp']).execute();

/** Forgets that something is due, unless there were more rolls in the meantime. */
export const deleteDue = ({ queries, teamId }: Transaction, { templateId, version, stamp }: Due) =>
  queries
    .deleteFrom('evidence_due')
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId)
    .where('version', '=', version)
    .where('stamp', '=', stamp)
    .execute();

const STREAM = ['streams', 'evidence', 'greatest', 'looked_at', 'alarmed_at', 'began_at'] as const;

export const streamOf = lookup({ templateId: 'text', config: 'text' }, (queries, teamId, { templateId, config }) =>
  rowsOf('evidence_streams', { queries, teamId }, { template_id: templateId, config }).select(STREAM),
);

/** The same, locked until the end of the transaction. */
export const holdStream = locking('evidence_streams', streamOf);

const COLUMNS = {
  template_id: 'text',
  config: 'text',
  streams: 'integer',
  evidence: 'double precision',
  greatest: 'double precision',
  looked_at: 'bigint',
  alarmed_at: 'bigint',
  began_at: 'bigint',
} as const;

export const insertStream = insertInto('evidence_streams', COLUMNS);

export const updateStream = updateIn('evidence_streams', COLUMNS, { key: ['template_id', 'config'] });

/** The evidence against all streams, in the order in which they began. */
export const selectInOrder = (reader: Reader) =>
  rowsOf('evidence_streams', reader)
    .select(['template_id as templateId', 'evidence'])
    .orderBy('began_at')
    .orderBy('template_id')
    .orderBy('config')
    .execute();
