import { insertInto, lookup, rowsOf } from '../database/declarations.ts';
import type { Transaction } from '../database/work.ts';

export const insertResponse = insertInto('stored_answers', {
  key: 'text',
  fingerprint: 'text',
  answer: 'text',
  stored_at: 'bigint',
});

export const responseByKey = lookup({ key: 'text' }, (queries, teamId, { key }) =>
  rowsOf('stored_answers', { queries, teamId }, { key }).select(['fingerprint', 'answer']),
);

/**
 * Deletes the oldest responses stored before a moment, up to `most`; returns how many. They are found across all teams
 * and deleted team by team: a database that is sharded by team can lock rows of only one team at a time.
 */
export const deleteOldResponses = async ({ queries }: Transaction, beforeMs: number, most: number): Promise<number> => {
  const old = await queries
    .selectFrom('stored_answers')
    .select(['team_id', 'key'])
    .where('stored_at', '<', beforeMs)
    .orderBy('stored_at')
    .limit(most)
    .execute();
  let removed = 0;
  // In a fixed order, so that nodes deleting the same rows do not deadlock.
  const byTeam = [...Map.groupBy(old, ({ team_id }) => team_id)].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [teamId, rows] of byTeam) {
    const { numDeletedRows } = await queries
      .deleteFrom('stored_answers')
      .where('team_id', '=', teamId)
      .where(
        'key',
        'in',
        rows.map(({ key }) => key),
      )
      .where('stored_at', '<', beforeMs)
      .executeTakeFirstOrThrow();
    removed += Number(numDeletedRows);
  }
  return removed;
};
