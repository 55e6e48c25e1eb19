import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Compute } from '../compute/compute.ts';
import { claimChore, noteRemoval, saveChoreProgress } from '../database/claims.ts';
import { type Database, NO_TEAM } from '../database/work.ts';
import type { ReadWhole } from '../features/catalog/document.service.ts';
import {
  failDueDraft,
  isRejection,
  listDueDrafts,
  listScheduled,
  publishDueDraft,
} from '../features/catalog/drafts.service.ts';
import { sequenceEvents, teamsToSequence } from '../features/events/events.service.ts';
import {
  findFreeze,
  findOldDays,
  removeVain,
  saveFreeze,
  teamsWithOldDays,
} from '../features/evidence/freezing.service.ts';
import {
  findDueStreams,
  forgetDue,
  lookAt,
  moveRolls,
  saveLook,
  teamsWithDueStreams,
} from '../features/evidence/streams.service.ts';
import { removeOldHistory } from '../features/history/history.service.ts';
import { growLog, teamsToLog } from '../features/log/log.service.ts';
import {
  type Finding,
  findUnrecorded,
  saveRecorded,
  teamsToRecord,
} from '../features/snapshots/config-history.service.ts';
import { foldCounts, teamsToFold } from '../features/statistics/roll-counts.service.ts';
import type { TeamKeys } from '../features/team-keys/team-keys.service.ts';
import { removeOldResponses } from '../http/idempotency.ts';
import type { ChoreObserver } from '../http/metrics.ts';
import type { TraceWork } from '../http/tracing/tracing.ts';
import type { Settings } from '../settings.ts';
import { LIMITS } from '../shared/limits.ts';
import { waitUpTo } from '../shared/time.ts';
import { createTeamTurns, type RestOptions, type Serving, serveTeams } from './team-turns.ts';

/** Background work, done in small steps so that no request has to wait long for it. */
interface Chore {
  readonly name: string;
  readonly everyMs: number;
  /** Whether it does something for each team: then each of these rests on its own, and the chore does not. */
  readonly isForTeams?: boolean;
  /** Logged when it fails; it is retried. */
  readonly failure: string;
  /** Long-running work calls `shouldContinue` between its steps. */
  readonly work: (shouldContinue: () => boolean) => Promise<unknown>;
}

interface Parts {
  readonly database: Database;
  readonly compute: Compute;
  /** For what is due at a time, which must not wait for anything that is not. */
  readonly computeDue: Compute;
  readonly readWhole: ReadWhole;
  readonly teamKeys: TeamKeys;
  readonly clock: () => number;
  readonly logger: Logger;
  readonly settings: Pick<Settings, 'keepRollEventsDays' | 'keepHistoryDays' | 'keepEventsDays'>;
  readonly watch?: ChoreObserver;
  readonly traceWork?: TraceWork;
}

const start = (
  { name, everyMs, isForTeams = false, failure, work }: Chore,
  { database, logger, watch, traceWork = (_name, work) => work() }: Parts,
): { stop: () => Promise<void> } => {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<unknown> = Promise.resolve();
  let warnedAtMs = Number.NEGATIVE_INFINITY;
  const warn = (error: unknown): void => {
    // What fails every second is not logged as often.
    if (performance.now() - warnedAtMs < LIMITS.choreRetryMs) return;
    warnedAtMs = performance.now();
    logger.warn({ err: error }, failure);
  };
  const restMs = (factorMs: number): number => Math.max(everyMs, isForTeams ? database.acrossTeamsMs : factorMs);
  const schedule = (afterMs: number): void => {
    if (isStopped) return;
    timer = setTimeout(() => {
      const startedMs = performance.now();
      working = traceWork(`chore ${name}`, () => work(() => !isStopped)).then(
        () => {
          watch?.ran(name, true);
          schedule(restMs(LIMITS.choreRestFactor * (performance.now() - startedMs)));
        },
        (error: unknown) => {
          watch?.ran(name, false);
          warn(error);
          schedule(restMs(LIMITS.choreRetryMs));
        },
      );
    }, afterMs);
    timer.unref();
  };
  watch?.started(name);
  schedule(everyMs);
  return {
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await waitUpTo(LIMITS.stopChoresMs, working);
    },
  };
};

/** After work for a team, that team rests. */
const RESTS: RestOptions = {
  factor: LIMITS.choreRestFactor,
  leastMs: LIMITS.choreLeastRestMs,
  retryMs: LIMITS.choreRetryMs,
};

/** What is due is never kept waiting by what was done before. */
const NO_RESTS: RestOptions = { factor: 0, leastMs: 0, retryMs: LIMITS.draftRetryMs };

/** Ends runs of a chore after a while, however much there is to do, so that whoever watches sees that it goes on. */
const inWhiles =
  (work: Chore['work']): Chore['work'] =>
  (shouldContinue) => {
    const endsAtMs = performance.now() + LIMITS.choreRunMs;
    return work(() => performance.now() < endsAtMs && shouldContinue());
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
  const beforeMs = clock() - settings.keepRollEventsDays * MS_PER_DAY;
  await database.transaction(NO_TEAM, (tx) => noteRemoval(tx, chore, beforeMs));
  await database.removeBefore('roll_events', beforeMs, shouldContinue);
  const dueAtMs = clock() + (shouldContinue() ? LIMITS.removalPassMs : 0);
  await database.transaction(NO_TEAM, (tx) => saveChoreProgress(tx, chore, { dueAtMs, position: '' }));
};

/** Deletes events that are past their retention period. */
export const removeEvents = async (
  { database, clock, settings }: RemovalParts,
  shouldContinue: () => boolean,
): Promise<void> => {
  const chore = 'events';
  if ((await database.transaction(NO_TEAM, (tx) => claimChore(tx, chore, clock()))) === undefined) return;
  await database.removeBefore('events', clock() - settings.keepEventsDays * MS_PER_DAY, shouldContinue);
  const dueAtMs = clock() + (shouldContinue() ? LIMITS.removalPassMs : 0);
  await database.transaction(NO_TEAM, (tx) => saveChoreProgress(tx, chore, { dueAtMs, position: '' }));
};

/** Gives events their places that a node did not, because it was killed after it had committed them. */
const sequenceRest = async ({ database }: Pick<Parts, 'database'>, shouldContinue: () => boolean): Promise<void> => {
  for (const teamId of await database.read(NO_TEAM, teamsToSequence))
    if (shouldContinue()) await database.transaction(teamId, sequenceEvents);
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
      const beforeMs = clock() - settings.keepHistoryDays * MS_PER_DAY;
      await noteRemoval(tx, chore, beforeMs);
      const next = await removeOldHistory(tx, beforeMs, position);
      const dueAtMs = clock() + (next === '' ? LIMITS.removalPassMs : LIMITS.choreLeaseMs);
      await saveChoreProgress(tx, chore, { dueAtMs, position: next });
      return next;
    });
    await delay(LIMITS.removalRestFactor * (performance.now() - startedMs));
  } while (position !== '' && shouldContinue());
};

/** Publishes drafts that are due, each once, whichever node comes first. Teams take turns, a draft each. */
const createDraftPublisher = ({ database, computeDue, readWhole, clock, watch }: Parts) => {
  const turns = createTeamTurns(NO_RESTS);
  const deps = { read: database.read, compute: computeDue, readWhole };
  /** Drafts that could not be published for the time being; others of their team do not wait for them. */
  const failed = new Set<string>();

  const find = async (): Promise<string[]> => {
    const scheduled = await database.read(NO_TEAM, listScheduled);
    watch?.scheduled(scheduled[0]?.firstAtMs);
    const nowMs = clock();
    const due = scheduled.filter(({ firstAtMs }) => firstAtMs <= nowMs).map(({ teamId }) => teamId);
    if (due.length === 0) failed.clear();
    return due;
  };

  const publish = async (teamId: string, id: string): Promise<void> => {
    const nowMs = clock();
    try {
      await database.transaction(teamId, publishDueDraft(deps, { teamId, id }, nowMs));
    } catch (error) {
      if (!isRejection(error)) throw error;
      await database.transaction(teamId, (tx) => failDueDraft(tx, id, error, nowMs));
    }
  };

  /** Publishes the first draft of a team, or the first that has not failed. */
  const serve = async (teamId: string): Promise<boolean> => {
    const due = await database.read(teamId, (reader) => listDueDrafts(reader, clock()));
    const keyOf = (id: string): string => `${teamId}\n${id}`;
    const id = due.find((draft) => !failed.has(keyOf(draft))) ?? due[0];
    if (id === undefined) return false;
    try {
      await publish(teamId, id);
    } catch (error) {
      failed.add(keyOf(id));
      throw error;
    }
    for (const draft of due) failed.delete(keyOf(draft));
    return due.length > 1;
  };

  return (shouldContinue: () => boolean): Promise<void> => serveTeams({ turns, find, serve, shouldContinue });
};

/** Serves teams on one node at a time. */
const serveTeamsHere = async (
  { database, clock }: Pick<Parts, 'database' | 'clock'>,
  chore: string,
  serving: Serving,
): Promise<void> => {
  if (!serving.turns.isAnyReady(await serving.find())) return;
  if ((await database.transaction(NO_TEAM, (tx) => claimChore(tx, chore, clock()))) === undefined) return;
  const lease = (dueAtMs: number): Promise<void> =>
    database.transaction(NO_TEAM, (tx) => saveChoreProgress(tx, chore, { dueAtMs, position: '' }));
  const serve = async (teamId: string): Promise<boolean> => {
    await lease(clock() + LIMITS.choreLeaseMs);
    return serving.serve(teamId);
  };
  try {
    await serveTeams({ ...serving, serve });
  } finally {
    // Whichever node looks next may go on, whatever its clock says.
    await lease(0);
  }
};

type RecordingParts = Pick<Parts, 'database' | 'compute' | 'readWhole' | 'clock'>;

/** Notes what was configured at new versions of catalogs, a part at a time for each team. */
const createRecording = (parts: RecordingParts) => {
  const { database, compute, readWhole } = parts;
  const deps = { read: database.read, compute, readWhole };
  const turns = createTeamTurns(RESTS);
  /** What was found in the last turn of a team, if there was more to find. */
  const findings = new Map<string, Finding>();
  const serve = async (teamId: string): Promise<boolean> => {
    const earlier = findings.get(teamId);
    findings.delete(teamId);
    const found = await findUnrecorded(deps, teamId, earlier);
    if (found === undefined || !(await database.transaction(teamId, (tx) => saveRecorded(tx, found)))) return false;
    // The texts are saved, and may be long.
    const hasMore = (found.versions.at(-1)?.version ?? found.since) < found.known.version;
    if (hasMore) findings.set(teamId, { ...found, snapshots: [] });
    return hasMore;
  };
  const find = (): Promise<string[]> => database.read(NO_TEAM, teamsToRecord);
  return (shouldContinue: () => boolean): Promise<void> =>
    serveTeamsHere(parts, 'versions', { turns, find, serve, shouldContinue });
};

/** Notes all that is not recorded yet. */
export const configsToRecord = (parts: RecordingParts, shouldContinue: () => boolean): Promise<void> =>
  createRecording(parts)(shouldContinue);

/** Adds up what is pending, if there are at least so many rows. */
const createFolding = (database: Database, least: number) => {
  const most = LIMITS.rollCountsPerFold;
  const turns = createTeamTurns(RESTS);
  const find = (): Promise<string[]> => database.read(NO_TEAM, (reader) => teamsToFold(reader, least));
  const serve = async (teamId: string): Promise<boolean> =>
    (await database.transaction(teamId, (tx) => foldCounts(tx, most))) === most;
  return (shouldContinue: () => boolean): Promise<void> => serveTeams({ turns, find, serve, shouldContinue });
};

/** Adds what waits to the public logs. Nodes may do it at the same time: each leaf gets one place. */
const createLogging = ({ database, teamKeys, clock }: Pick<Parts, 'database' | 'teamKeys' | 'clock'>) => {
  const most = LIMITS.leavesPerHead;
  const turns = createTeamTurns(RESTS);
  const find = (): Promise<string[]> => database.read(NO_TEAM, teamsToLog);
  const serve = async (teamId: string): Promise<boolean> =>
    (await database.transaction(teamId, (tx) => growLog(tx, teamKeys, clock(), most))) === most;
  return (shouldContinue: () => boolean): Promise<void> => serveTeams({ turns, find, serve, shouldContinue });
};

/** Adds all that waits. */
export const growLogs = (
  parts: Pick<Parts, 'database' | 'teamKeys' | 'clock'>,
  shouldContinue: () => boolean,
): Promise<void> => createLogging(parts)(shouldContinue);

type EvidenceParts = Pick<Parts, 'database' | 'compute' | 'clock' | 'logger'> & {
  readonly watch?: Pick<ChoreObserver, 'alarmed'>;
};

/** Looks at the evidence against all odds that were rolled on since the last look. */
const createLooking = (parts: EvidenceParts) => {
  const { database, compute, clock, logger, watch } = parts;
  const deps = { read: database.read, compute };
  const turns = createTeamTurns(RESTS);
  const fold = createFolding(database, 1);
  return async (shouldContinue: () => boolean): Promise<void> => {
    const serve = async (teamId: string): Promise<boolean> => {
      const { moves, streams, vain } = await database.read(teamId, findDueStreams);
      for (const move of moves) await database.transaction(teamId, (tx) => moveRolls(tx, move));
      if (vain.length > 0) await database.transaction(teamId, (tx) => forgetDue(tx, vain));
      for (const stream of streams) {
        if (!shouldContinue()) return false;
        const found = await lookAt(deps, teamId, stream, { withPending: false, withRows: false });
        if (found === undefined) {
          await database.transaction(teamId, (tx) => forgetDue(tx, stream.due));
          continue;
        }
        const alarm = await database.transaction(teamId, (tx) => saveLook(tx, stream, found, clock()));
        if (alarm === undefined) continue;
        watch?.alarmed();
        logger.error(alarm, 'what was rolled is strong evidence against the odds');
      }
      return false;
    };
    const find = (): Promise<string[]> => database.read(NO_TEAM, teamsWithDueStreams);
    await fold(shouldContinue);
    await serveTeamsHere(parts, 'evidence', { turns, find, serve, shouldContinue });
  };
};

/** Looks at all of it. */
export const lookAtEvidence = (parts: EvidenceParts, shouldContinue: () => boolean): Promise<void> =>
  createLooking(parts)(shouldContinue);

type FreezingParts = Pick<Parts, 'database' | 'compute' | 'clock'>;

/** Adds up the days of a team that are to be kept no longer. */
const freezeDaysOf = async (
  { database, compute, clock }: FreezingParts,
  teamId: string,
  shouldContinue: () => boolean,
): Promise<void> => {
  const deps = { read: database.read, compute };
  const old = await database.read(teamId, (reader) => findOldDays(reader, clock()));
  if (old.vain.length > 0) await database.transaction(teamId, (tx) => removeVain(tx, old, clock()));
  for (const stream of old.streams)
    for (let hasMore = true; hasMore && shouldContinue(); ) {
      const found = await findFreeze(deps, teamId, stream, clock());
      hasMore = found !== undefined && (await database.transaction(teamId, (tx) => saveFreeze(tx, stream, found)));
    }
};

/** Adds up what was observed on days that are too old to be kept one by one. */
export const freezeObservations = async (parts: FreezingParts, shouldContinue: () => boolean): Promise<void> => {
  const { database, clock } = parts;
  const chore = 'observations';
  if ((await database.transaction(NO_TEAM, (tx) => claimChore(tx, chore, clock()))) === undefined) return;
  for (const teamId of await database.read(NO_TEAM, (reader) => teamsWithOldDays(reader, clock()))) {
    if (!shouldContinue()) break;
    await freezeDaysOf(parts, teamId, shouldContinue);
  }
  const dueAtMs = clock() + (shouldContinue() ? LIMITS.removalPassMs : 0);
  await database.transaction(NO_TEAM, (tx) => saveChoreProgress(tx, chore, { dueAtMs, position: '' }));
};

export const choresOf = (parts: Parts): Chore[] => {
  const { database, clock, settings } = parts;
  const publishDrafts: Chore = {
    name: 'drafts',
    everyMs: LIMITS.draftLookMs,
    isForTeams: true,
    failure: 'could not publish a draft that is due; will retry',
    work: inWhiles(createDraftPublisher(parts)),
  };
  const chores: Chore[] = [
    // Several that share their turns: while one writes something large, another plans the next.
    ...Array<Chore>(LIMITS.draftsAtOnce).fill(publishDrafts),
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
      name: 'versions',
      everyMs: 1_000,
      isForTeams: true,
      failure: 'could not note what was configured; will retry',
      work: inWhiles(createRecording(parts)),
    },
    {
      name: 'counters',
      everyMs: 1_000,
      isForTeams: true,
      failure: 'could not add pending rolls to the counters; will retry',
      work: inWhiles(createFolding(database, LIMITS.rollCountsFoldedFrom)),
    },
    {
      name: 'events',
      everyMs: 1_000,
      isForTeams: true,
      failure: 'could not give events their places; will retry',
      work: (shouldContinue) => sequenceRest(parts, shouldContinue),
    },
    {
      name: 'log',
      everyMs: 1_000,
      isForTeams: true,
      failure: 'could not add rotations to the public log; will retry',
      work: inWhiles(createLogging(parts)),
    },
    {
      name: 'evidence',
      everyMs: 60_000,
      isForTeams: true,
      failure: 'could not look at the evidence; will retry',
      work: createLooking(parts),
    },
    {
      name: 'observations',
      everyMs: 60_000,
      failure: 'could not add up old observations of rolls; will retry',
      work: (shouldContinue) => freezeObservations(parts, shouldContinue),
    },
  ];
  if (settings.keepEventsDays < Number.POSITIVE_INFINITY)
    chores.push({
      name: 'events removal',
      everyMs: 60_000,
      failure: 'could not delete old events; will retry',
      work: (shouldContinue) => removeEvents(parts, shouldContinue),
    });
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
