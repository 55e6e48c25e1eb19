import { rowsOf } from '../../database/declarations.ts';
import type { Tables } from '../../database/tables.ts';
import type { Reader, Transaction } from '../../database/work.ts';
import type { Role } from '../../shared/context.ts';

export const insertTeam = (tx: Transaction, team: { id: string; name: string; versionId: string }, nowMs: number) =>
  tx.queries
    .insertInto('teams')
    .values({
      id: team.id,
      name: team.name,
      version: 0,
      catalog_version: team.versionId,
      item_count: 0,
      verifiable_rolls: 0,
      created_at: nowMs,
      updated_at: nowMs,
    })
    .execute();

export const selectTeam = (reader: Reader, id: string) =>
  reader.queries.selectFrom('teams').selectAll().where('id', '=', id).executeTakeFirst();

export const updateTeam = (tx: Transaction, values: Partial<Tables['teams']>) =>
  tx.queries.updateTable('teams').set(values).where('id', '=', tx.teamId).execute();

export const selectTeams = (reader: Reader) =>
  reader.queries.selectFrom('teams').select(['id', 'name', 'created_at']).orderBy('created_at').orderBy('id').execute();

/** Locks a team's row until the end of the transaction, so that commands that count its secrets are serialized. */
export const holdTeam = (tx: Transaction, id: string) =>
  tx.queries
    .updateTable('teams')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('id', '=', id)
    .execute();

interface SecretRow {
  teamId: string;
  id: string;
  name: string;
  role: Role;
  digest: string;
}

export const insertSecret = (tx: Transaction, { teamId, id, name, role, digest }: SecretRow, nowMs: number) =>
  tx.queries.insertInto('secrets').values({ team_id: teamId, id, name, role, digest, created_at: nowMs }).execute();

export const selectSecrets = (reader: Reader, teamId: string) =>
  rowsOf('secrets', { queries: reader.queries, teamId }).selectAll().orderBy('created_at').orderBy('id').execute();

export const deleteSecret = (tx: Transaction, teamId: string, id: string) =>
  tx.queries.deleteFrom('secrets').where('team_id', '=', teamId).where('id', '=', id).execute();

/** True for the one caller that reaches the milestone first; others wait until that one is done. */
export const reachMilestone = async (tx: Transaction, name: string, nowMs: number): Promise<boolean> => {
  const rows = await tx.queries
    .insertInto('milestones')
    .values({ name, reached_at: nowMs })
    .onConflict((conflict) => conflict.doNothing())
    .returning('name')
    .execute();
  return rows.length > 0;
};
