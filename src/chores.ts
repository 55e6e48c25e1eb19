import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Compute } from './compute/compute.ts';
import { claimChore, saveChoreProgress } from './database/claims.ts';
import { type Database, NO_TEAM } from './database/work.ts';
import type { ReadWhole } from './features/catalog/document.service.ts';
import { removeOldEvidence, teamsWithOldEvidence } from './features/evidence/roll-evidence.service.ts';
import {
  findDueStreams,
  forgetDue,
  lookAt,
  moveRolls,
  saveLook,
  teamsWithDueStreams,
} from './features/evidence/streams.service.ts';
import { removeOldHistory } from './features/history/history.service.ts';
import { failDueDraft, findDueDrafts, isRejection, publishDueDraft } from './features/publishing/drafts.service.ts';
import { findUnnoted, saveNoted, teamsToNote } from './features/snapshots/noting.service.ts';
import { foldCounts, teamsToFold } from './features/statistics/roll-counts.service.ts';
import { removeOldResponses } from './http/idempotency.ts';
import { LIMITS } from './limits.ts';
import type { Settings } from './settings.ts';
import { waitUpTo } from './time.ts';

/** Background work, done in small steps so that no request has to wait long for it. */
interface Chore {
  readonly name: string;
  readonly everyMs: number;
  /** Logged when it fails; it is retried. */
  readonly failure: string;
  /** Long-running work calls `shouldContinue` between its steps. */
  readonly work: (shouldContinue: () => boolean) => Promise<unknown>;
}

interface Parts {
  readonly database: Database;
  readonly compute: Compute;
  readonly readWhole: ReadWhole;
  readonly clock: () => number;
  readonly logger: Logger;
  readonly settings: Pick<Settings, 'keepRollEventsDays' | 'keepHistoryDays'>;
  /** Called after each run of a chore. */
  readonly ran?: (chore: string, isDone: boolean) => void;
  /** Called for each new alarm. */
  readonly alarmed?: () => void;
}

const start = ({ name, everyMs, failure, work }: Chore, { logger, ran }: Parts): { stop: () => Promise<void> } => {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<unknown> = Promise.resolve();
  const schedule = (afterMs: number): void => {
    if (isStopped) return;
    timer = setTimeout(() => {
      const startedMs = performance.now();
      working = work(() => !isStopped).then(
        () => {
          ran?.(name, true);
          schedule(Math.max(everyMs, LIMITS.choreRestFactor * (performance.now() - startedMs)));
        },
        (error: unknown) => {
          ran?.(name, false);
          logger.warn({ err: error }, failure);
          schedule(Math.max(everyMs, LIMITS.choreRetryMs));
        },
      );
    }, afterMs);
    timer.unref();
  };
  schedule(everyMs);
  return {
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await waitUpTo(LIMITS.stopChoresMs, working);
    },
  };
};

const MS_PER_DAY = 86_400_000;

type RemovalParts = Pick<Parts, 'database' | 'clock' | 'settings'>;

/** Deletes roll events that are past their retention period. Counters are not affected. */
export const removeRolls = async (
  { database, clock, settings }: RemovalParts,
  shouldContinue: () => boolean,
): Promise<void> => {
  const chore = 'roll events';
  if ((await database.transaction(NO_TEAM, (tx) => claimChore(tx, chore, clock()))) === undefined) return;
  await database.removeBefore('roll_events', clock() - settings.keepRollEventsDays * MS_PER_DAY, shouldContinue);
  const dueAtMs = clock() + (shouldContinue() ? LIMITS.removalPassMs : 0);
  await database.transaction(NO_TEAM, (tx) => saveChoreProgress(tx, chore, { dueAtMs, position: '' }));
};

/** Walks the whole history in steps and deletes events that are past their retention period. */
export const removeHistory = async (
  { database, clock, settings }: RemovalParts,
  shouldContinue: () => boolean,
): Promise<void> => {
  const chore = 'history';
  const claimed = await database.transaction(NO_TEAM, (tx) => claimChore(tx, chore, clock()));
  if (claimed === undefined) return;
  let { position } = claimed;
  do {
    const startedMs = performance.now();
    position = await database.transaction(NO_TEAM, async (tx) => {
      const next = await removeOldHistory(tx, clock() - settings.keepHistoryDays * MS_PER_DAY, position);
      const dueAtMs = clock() + (next === '' ? LIMITS.removalPassMs : LIMITS.choreLeaseMs);
      await saveChoreProgress(tx, chore, { dueAtMs, position: next });
      return next;
    });
    await delay(LIMITS.removalRestFactor * (performance.now() - startedMs));
  } while (position !== '' && shouldContinue());
};

/** Publishes drafts that are due, each once, whichever node comes first. */
const publishDrafts = async (
  { database, compute, readWhole, clock }: Parts,
  shouldContinue: () => boolean,
): Promise<void> => {
  const errors: unknown[] = [];
  for (const draft of await database.read(NO_TEAM, (reader) => findDueDrafts(reader, clock()))) {
    if (!shouldContinue()) return;
    const nowMs = clock();
    try {
      const deps = { read: database.read, compute, readWhole };
      await database.transaction(draft.teamId, publishDueDraft(deps, draft, nowMs));
    } catch (error) {
      // Whatever is temporary is retried; the other drafts do not wait for it.
      if (isRejection(error))
        await database.transaction(draft.teamId, (tx) => failDueDraft(tx, draft.id, error, nowMs));
      else errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
};

/** Does work for teams that need it, on one node at a time. What fails for one team does not keep others waiting. */
const forTeams = async (
  { database, clock }: Pick<Parts, 'database' | 'clock'>,
  chore: string,
  teams: readonly string[],
  work: (teamId: string) => Promise<void>,
  shouldContinue: () => boolean,
): Promise<void> => {
  if (teams.length === 0) return;
  if ((await database.transaction(NO_TEAM, (tx) => claimChore(tx, chore, clock()))) === undefined) return;
  const lease = (dueAtMs: number): Promise<void> =>
    database.transaction(NO_TEAM, (tx) => saveChoreProgress(tx, chore, { dueAtMs, position: '' }));
  const errors: unknown[] = [];
  for (const [index, teamId] of teams.entries()) {
    if (!shouldContinue()) break;
    if (index > 0) await lease(clock() + LIMITS.choreLeaseMs);
    await work(teamId).catch((error: unknown) => errors.push(error));
  }
  // Whichever node looks next may go on, whatever its clock says.
  await lease(0);
  if (errors.length > 0) throw errors[0];
};

/** Notes what was configured at new versions of catalogs. */
export const noteVersions = async (
  parts: Pick<Parts, 'database' | 'compute' | 'readWhole' | 'clock'>,
  shouldContinue: () => boolean,
): Promise<void> => {
  const { database, compute, readWhole } = parts;
  const deps = { read: database.read, compute, readWhole };
  const note = async (teamId: string): Promise<void> => {
    for (let found = await findUnnoted(deps, teamId); found !== undefined && shouldContinue(); ) {
      const finding = found;
      if (!(await database.transaction(teamId, (tx) => saveNoted(tx, finding)))) return;
      found = await findUnnoted(deps, teamId, finding);
    }
  };
  await forTeams(parts, 'versions', await database.read(NO_TEAM, teamsToNote), note, shouldContinue);
};

/** Adds up what is pending, if there are at least so many rows. */
const foldPending = async (database: Database, least: number, shouldContinue: () => boolean): Promise<void> => {
  const most = LIMITS.rollCountsPerFold;
  for (const teamId of await database.read(NO_TEAM, (reader) => teamsToFold(reader, least)))
    while (shouldContinue() && (await database.transaction(teamId, (tx) => foldCounts(tx, most))) === most);
};

/** Looks at the evidence against all odds that were rolled on since the last look. */
export const lookAtEvidence = async (
  parts: Pick<Parts, 'database' | 'compute' | 'clock' | 'logger' | 'alarmed'>,
  shouldContinue: () => boolean,
): Promise<void> => {
  const { database, compute, clock, logger, alarmed } = parts;
  const deps = { read: database.read, compute };
  const look = async (teamId: string): Promise<void> => {
    const { moves, streams, vain } = await database.read(teamId, findDueStreams);
    for (const move of moves) await database.transaction(teamId, (tx) => moveRolls(tx, move));
    if (vain.length > 0) await database.transaction(teamId, (tx) => forgetDue(tx, vain));
    for (const stream of streams) {
      if (!shouldContinue()) return;
      const found = await lookAt(deps, teamId, stream, clock(), { withPending: false, withRows: false });
      if (found === undefined) {
        await database.transaction(teamId, (tx) => forgetDue(tx, stream.due));
        continue;
      }
      const alarm = await database.transaction(teamId, (tx) => saveLook(tx, stream, found, clock()));
      if (alarm === undefined) continue;
      alarmed?.();
      logger.error(alarm, 'what was rolled is strong evidence against the odds');
    }
  };
  await foldPending(database, 1, shouldContinue);
  await forTeams(parts, 'evidence', await database.read(NO_TEAM, teamsWithDueStreams), look, shouldContinue);
};

/** Removes observations of rolls that are too old. */
export const removeObservations = async (
  { database, clock }: Pick<Parts, 'database' | 'clock'>,
  shouldContinue: () => boolean,
): Promise<void> => {
  const chore = 'observations';
  if ((await database.transaction(NO_TEAM, (tx) => claimChore(tx, chore, clock()))) === undefined) return;
  for (const teamId of await database.read(NO_TEAM, (reader) => teamsWithOldEvidence(reader, clock()))) {
    if (!shouldContinue()) break;
    await database.transaction(teamId, (tx) => removeOldEvidence(tx, clock()));
  }
  const dueAtMs = clock() + (shouldContinue() ? LIMITS.removalPassMs : 0);
  await database.transaction(NO_TEAM, (tx) => saveChoreProgress(tx, chore, { dueAtMs, position: '' }));
};

const choresOf = (parts: Parts): Chore[] => {
  const { database, clock, settings } = parts;
  const chores: Chore[] = [
    {
      name: 'answers',
      everyMs: 60_000,
      failure: 'could not delete old stored responses; will retry',
      work: (shouldContinue) => removeOldResponses(database, clock, shouldContinue),
    },
    {
      name: 'maintenance',
      everyMs: 1_000,
      failure: 'database maintenance failed; will retry',
      work: () => database.maintain(),
    },
    {
      name: 'drafts',
      everyMs: 1_000,
      failure: 'could not publish a draft that is due; will retry',
      work: (shouldContinue) => publishDrafts(parts, shouldContinue),
    },
    {
      name: 'versions',
      everyMs: 1_000,
      failure: 'could not note what was configured; will retry',
      work: (shouldContinue) => noteVersions(parts, shouldContinue),
    },
    {
      name: 'counters',
      everyMs: 1_000,
      failure: 'could not add pending rolls to the counters; will retry',
      work: (shouldContinue) => foldPending(database, LIMITS.rollCountsFoldedFrom, shouldContinue),
    },
    {
      name: 'evidence',
      everyMs: 60_000,
      failure: 'could not look at the evidence; will retry',
      work: (shouldContinue) => lookAtEvidence(parts, shouldContinue),
    },
    {
      name: 'observations',
      everyMs: 60_000,
      failure: 'could not delete old observations of rolls; will retry',
      work: (shouldContinue) => removeObservations(parts, shouldContinue),
    },
  ];
  if (settings.keepRollEventsDays < Number.POSITIVE_INFINITY)
    chores.push({
      name: 'rolls',
      everyMs: 60_000,
      failure: 'could not delete old roll events; will retry',
      work: (shouldContinue) => removeRolls(parts, shouldContinue),
    });
  if (settings.keepHistoryDays < Number.POSITIVE_INFINITY)
    chores.push({
      name: 'history',
      everyMs: 60_000,
      failure: 'could not delete old history events; will retry',
      work: (shouldContinue) => removeHistory(parts, shouldContinue),
    });
  return chores;
};

export const startChores = (parts: Parts): { stop: () => Promise<void> } => {
  const started = choresOf(parts).map((chore) => start(chore, parts));
  return {
    stop: async () => {
      await Promise.all(started.map(({ stop }) => stop()));
    },
  };
};
