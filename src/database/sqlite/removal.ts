import { setTimeout as delay } from 'node:timers/promises';
import { earliestId } from '../../shared/ids.ts';
import { LIMITS } from '../../shared/limits.ts';
import { type Database, NO_TEAM, type TimedTable, type Transaction } from '../work.ts';

/** The oldest row of the next team, in the order of team ids. */
const oldestOfNextTeam = ({ queries }: Transaction, table: TimedTable, teamId: string) =>
  queries
    .selectFrom(table as 'roll_events')
    .select(['team_id', 'id'])
    .where('team_id', '>', teamId)
    .orderBy('team_id')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();

const removeSome = async ({ queries }: Transaction, table: TimedTable, teamId: string, before: string) => {
  const { numDeletedRows } = await queries
    .deleteFrom(table as 'roll_events')
    .where('team_id', '=', teamId)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom(`${table as 'roll_events'} as old`)
        .select('old.id')
        .where('old.team_id', '=', teamId)
        .where('old.id', '<', before)
        .orderBy('old.id')
        .limit(LIMITS.rollEventsPerRemoval),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
};

/** Deletes old rows by primary key, team by team and in steps, with pauses in which others can write. */
export const removeBefore = async (
  transaction: Database['transaction'],
  table: TimedTable,
  beforeMs: number,
  shouldContinue: () => boolean,
): Promise<void> => {
  const before = earliestId(beforeMs);
  let teamId = '';
  while (shouldContinue()) {
    const startedMs = performance.now();
    const next = await transaction(NO_TEAM, async (tx) => {
      const oldest = await oldestOfNextTeam(tx, table, teamId);
      if (oldest === undefined) return undefined;
      const removed = oldest.id < before ? await removeSome(tx, table, oldest.team_id, before) : 0;
      return { teamId: removed === LIMITS.rollEventsPerRemoval ? teamId : oldest.team_id };
    });
    if (next === undefined) return;
    teamId = next.teamId;
    await delay(LIMITS.removalRestFactor * (performance.now() - startedMs));
  }
};
