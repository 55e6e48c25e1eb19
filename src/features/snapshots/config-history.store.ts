import { insertInto, rowsOf } from '../../database/declarations.ts';
import type { Tables } from '../../database/tables.ts';
import type { Reader, Transaction } from '../../database/work.ts';

/** Teams whose catalog has versions that are not recorded yet. */
export const selectTeamsToRecord = async ({ queries }: Reader): Promise<string[]> => {
  const rows = await queries
    .selectFrom('teams')
    .leftJoin('noted_versions', 'noted_versions.team_id', 'teams.id')
    .select('teams.id')
    .where((eb) => eb('teams.version', '>', eb.fn.coalesce('noted_versions.version', eb.lit(0))))
    .execute();
  return rows.map(({ id }) => id);
};

/** Whether anything was ever recorded. */
export const isAnythingRecorded = async (reader: Reader): Promise<boolean> => {
  const row = await rowsOf('template_versions', reader).select('version').limit(1).executeTakeFirst();
  return row !== undefined;
};

/** What was rolled on after a version. */
export const selectRolledOn = async (reader: Reader, since: number) => {
  const added = await rowsOf('roll_evidence', reader)
    .select(['template_id as templateId', 'version'])
    .distinct()
    .where('version', '>', since)
    .execute();
  const pending = await rowsOf('roll_pending', reader)
    .select(['template_id as templateId', 'version'])
    .distinct()
    .where('version', '>', since)
    .$narrowType<{ version: number }>()
    .execute();
  return [...added, ...pending];
};

/** Notes that everything up to a version is recorded. False if another transaction has recorded something in the meantime. */
export const advanceRecorded = async ({ queries, teamId }: Transaction, from: number, to: number): Promise<boolean> => {
  if (from === 0)
    await queries
      .insertInto('noted_versions')
      .values({ team_id: teamId, version: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  const updated = await queries
    .updateTable('noted_versions')
    .set({ version: to })
    .where('team_id', '=', teamId)
    .where('version', '=', from)
    .returning('version')
    .execute();
  return updated.length > 0;
};

/** Written one by one: each may have megabytes. */
export const insertSnapshot = (
  { queries, teamId }: Transaction,
  { hash, text }: Pick<Tables['snapshots'], 'hash' | 'text'>,
) =>
  queries
    .insertInto('snapshots')
    .values({ team_id: teamId, hash, text, is_public: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();

export const insertTemplateVersion = insertInto('template_versions', {
  template_id: 'text',
  version: 'integer',
  config: 'text',
});
