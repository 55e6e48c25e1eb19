import type { Logger } from 'pino';
import { type Database, NO_TEAM } from './database/work.ts';
import { foldCounts, teamsToFold } from './features/statistics/roll-counts.service.ts';
import { removeOldAnswers } from './http/idempotency.ts';
import { LIMITS } from './limits.ts';
import { waitAtMost } from './time.ts';

/** Something that the service does by itself, a step at a time, so that no request has to wait long for it. */
interface Chore {
  readonly everyMs: number;
  /** What the log says when it fails; it is tried again. */
  readonly failure: string;
  /** Goes on in steps until there is nothing left to do, or it is told to stop. */
  readonly work: (isStopped: () => boolean) => Promise<void>;
}

const start = ({ everyMs, failure, work }: Chore, logger: Logger): { stop: () => Promise<void> } => {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> = Promise.resolve();
  const schedule = (afterMs: number): void => {
    if (isStopped) return;
    timer = setTimeout(() => {
      const startedMs = performance.now();
      working = work(() => isStopped).then(
        () => schedule(Math.max(everyMs, LIMITS.choreRestFactor * (performance.now() - startedMs))),
        (error: unknown) => {
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
      await waitAtMost(LIMITS.stopChoresMs, working);
    },
  };
};

export const startChores = (database: Database, clock: () => number, logger: Logger): { stop: () => Promise<void> } => {
  const chores: Chore[] = [
    {
      everyMs: 60_000,
      failure: 'old answers stay for now',
      work: async (isStopped) => {
        while (!isStopped() && (await removeOldAnswers(database, clock())));
      },
    },
    {
      everyMs: 1_000,
      failure: 'the database is not maintained for now',
      work: () => database.maintain(),
    },
    {
      everyMs: 1_000,
      failure: 'rolls wait to be added to the counters',
      work: async (isStopped) => {
        const most = LIMITS.rollCountsPerFold;
        for (const teamId of await database.read(NO_TEAM, teamsToFold))
          while (!isStopped() && (await database.transaction(teamId, (tx) => foldCounts(tx, most))) === most);
      },
    },
  ];
  const started = chores.map((chore) => start(chore, logger));
  return {
    stop: async () => {
      await Promise.all(started.map(({ stop }) => stop()));
    },
  };
};
