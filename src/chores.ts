import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Compute } from './compute/compute.ts';
import { claimChore, saveChoreProgress } from './database/claims.ts';
import { type Database, NO_TEAM } from './database/work.ts';
import type { ReadWhole } from './features/catalog/document.service.ts';
import { removeOldHistory } from './features/history/history.service.ts';
import { failDueDraft, findDueDrafts, isRejection, publishDueDraft } from './features/publishing/drafts.service.ts';
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
      name: 'counters',
      everyMs: 1_000,
      failure: 'could not add pending rolls to the counters; will retry',
      work: async (shouldContinue) => {
        const most = LIMITS.rollCountsPerFold;
        for (const teamId of await database.read(NO_TEAM, teamsToFold))
          while (shouldContinue() && (await database.transaction(teamId, (tx) => foldCounts(tx, most))) === most);
      },
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
