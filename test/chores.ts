import { type Logger, pino } from 'pino';
import { createCompute } from '../src/compute/compute.ts';
import { NO_TEAM } from '../src/database/work.ts';
import { createWholeCatalogs } from '../src/features/catalog/document.service.ts';
import { teamsToLog } from '../src/features/log/log.service.ts';
import { teamsToRecord } from '../src/features/snapshots/config-history.service.ts';
import { createTeamKeys } from '../src/features/team-keys/team-keys.service.ts';
import { choresOf, configsToRecord, freezeObservations, growLogs, lookAtEvidence } from '../src/maintenance/chores.ts';
import { earliestId } from '../src/shared/ids.ts';
import type { Client, Service } from './harness.ts';

type Running = Pick<Service, 'database'>;

/** Its threads do not keep the process alive. */
const compute = createCompute();

/** Notes what was configured at all versions, without waiting for the service to do it. */
export const recordAll = async ({ database }: Running): Promise<void> => {
  while ((await database.read('', teamsToRecord)).length > 0)
    await configsToRecord({ database, compute, readWhole: createWholeCatalogs(), clock: Date.now }, () => true);
};

/** Adds everything to the public logs, without waiting for the service to do it. */
export const logAll = async (service: Running, clock: () => number = Date.now): Promise<void> => {
  const { database } = service;
  while ((await database.read('', teamsToLog)).length > 0)
    await growLogs({ database, teamKeys: createTeamKeys(database.write), clock }, () => true);
};

interface LookOptions {
  readonly clock?: () => number;
  readonly logger?: Logger;
  readonly alarmed?: () => void;
}

/** Notes everything, adds up all rolls and looks at the evidence against all odds, as the service does once a minute. */
export const lookAtAll = async (
  service: Running,
  { clock = Date.now, logger = pino({ level: 'silent' }), alarmed }: LookOptions = {},
): Promise<void> => {
  await recordAll(service);
  const watch = alarmed && { alarmed };
  await lookAtEvidence({ database: service.database, compute, clock, logger, watch }, () => true);
};

/** Adds up what was observed on days that are too old to be kept one by one at some time. */
export const freezeAll = async ({ database }: Running, nowMs: number): Promise<void> => {
  const setDue = () =>
    database.transaction(NO_TEAM, ({ queries }) =>
      queries.updateTable('chores').set({ due_at: 0 }).where('name', '=', 'observations').execute(),
    );
  await setDue();
  await freezeObservations({ database, compute, clock: () => nowMs }, () => true);
  await setDue();
};

const DAY_MS = 86_400_000;

/**
 * Does all background work of the service, including what retention periods ask for, after something was left for all of
 * it to do: events of a deleted instance, a draft that is due, and rolls that are not in a partition of their week.
 */
export const doAllChores = async ({ database }: Running, teams: readonly Client[]): Promise<void> => {
  for (const team of teams) {
    await team.post('/items', { id: 'chore', name: 'Chore' });
    const changes = [{ kind: 'item', id: 'due', after: { id: 'due', name: 'Due' } }];
    await team.post('/catalog/drafts', { id: 'due', name: 'Due', changes });
    await team.post('/catalog/drafts/due/publish', { at: new Date(Date.now() + 10 * DAY_MS).toISOString() });
    await team.post('/item-instances', { id: 'chore', itemId: 'chore', userId: 'chore' });
    await team.delete('/item-instances/chore');
    await team.post('/items/roll', {});
    await database.transaction(team.teamId, ({ queries, teamId }) =>
      queries
        .insertInto('roll_events')
        // Weeks ahead of all partitions.
        .values({ team_id: teamId, id: earliestId(Date.now() + 200 * DAY_MS), rolled_at: 0, results: '[]' })
        .execute(),
    );
  }
  await database.transaction(NO_TEAM, ({ queries }) => queries.updateTable('chores').set({ due_at: 0 }).execute());
  const logger = pino({ level: 'silent' });
  const settings = { keepRollEventsDays: 30, keepEventsDays: Number.POSITIVE_INFINITY, keepHistoryDays: 30 };
  const clock = () => Date.now() + 500 * DAY_MS;
  const teamKeys = createTeamKeys(database.write);
  const threads = { compute, computeDue: compute };
  const parts = { database, ...threads, readWhole: createWholeCatalogs(), teamKeys, clock, logger, settings };
  for (const { work } of choresOf(parts)) await work(() => true);
};
