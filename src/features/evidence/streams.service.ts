import type { Compute } from '../../compute/compute.ts';
import type { Evidence } from '../../compute/evidence.ts';
import { ask } from '../../database/declarations.ts';
import type { Finder, Read, Reader, Transaction } from '../../database/work.ts';
import { logOfStreams } from '../../engine/evidence/starts.ts';
import { LIMITS } from '../../shared/limits.ts';
import {
  configInForceAt,
  countInForce,
  findConfig,
  findRecordedVersion,
  findVersionsOf,
} from '../snapshots/snapshots.service.ts';
import { type ObservedStream, readStream, type Stream } from './observed-streams.service.ts';
import { mergeVersions } from './roll-evidence.service.ts';
import * as store from './streams.store.ts';

/** The chance that a team's sound streams ever cause an alarm is at most this. */
const ALPHA = 0.05;

/** The evidence at which a stream causes an alarm, if so many are watched at a time. */
export const thresholdOf = (streams: number): number => streams / ALPHA;

/** Beyond this, it makes no difference how strong the evidence is. */
const MOST = Math.log(LIMITS.evidence);

export const evidenceOf = (log: number): number => (log >= MOST ? LIMITS.evidence : Math.exp(log));

/** Evidence as stored: capped, so that it is never infinite. */
export const storedLog = (log: number): number => Math.min(MOST, log);

/** The stream that rolls on a version of the catalog belong to; undefined if that is not known, or nothing is kept. */
export const findStreamAt = async (
  finder: Finder,
  templateId: string,
  version: number,
): Promise<{ readonly config: string; readonly since: number } | undefined> => {
  const row = await configInForceAt(finder, templateId, version);
  return row === undefined || row.config === null ? undefined : { config: row.config, since: row.version };
};

type Due = store.Due;

export interface DueStream extends Stream {
  readonly due: readonly Due[];
}

/** Rolls that are recorded under a later version than the one that their configuration began with. */
export interface Move {
  readonly templateId: string;
  readonly from: number;
  readonly to: number;
}

/** Everything that is to be done for a team. */
export interface DueWork {
  readonly moves: readonly Move[];
  readonly streams: readonly DueStream[];
  /** Rolls on configurations that are not kept. */
  readonly vain: readonly Due[];
}

export const teamsWithDueStreams = (reader: Reader): Promise<string[]> => store.selectTeamsDue(reader);

/** Finds the streams with rolls that were not looked at yet, as far as their configurations are noted. */
export const findDueStreams = async (reader: Reader): Promise<DueWork> => {
  const noted = await findRecordedVersion(reader);
  const all = (await store.selectDue(reader)).filter(({ version }) => version <= noted);
  const found = await Promise.all(all.map(({ templateId, version }) => findStreamAt(reader, templateId, version)));
  const moves: Move[] = [];
  const vain: Due[] = [];
  const byStream = new Map<string, { templateId: string; config: string; due: Due[] }>();
  for (const [index, due] of all.entries()) {
    const { templateId, version } = due;
    const stream = found[index];
    if (stream === undefined) {
      vain.push(due);
      continue;
    }
    const { config, since } = stream;
    if (since !== version) moves.push({ templateId, from: version, to: since });
    const key = `${templateId}\n${config}`;
    const known = byStream.get(key) ?? { templateId, config, due: [] };
    known.due.push(due);
    byStream.set(key, known);
  }
  const streams = await Promise.all(
    byStream.values().map(async (stream) => {
      const { templateId, config, due } = stream;
      const versions = await findVersionsOf(reader, templateId, config);
      return { ...stream, versions: new Set([...versions, ...due.map(({ version }) => version)]) };
    }),
  );
  return { moves, streams, vain };
};

export interface LookDeps {
  readonly read: Read;
  readonly compute: Compute;
}

/** What a look at a stream found. */
export interface Look extends Evidence {
  readonly observed: Pick<ObservedStream, 'firstDay' | 'rolls'>;
}

/** Computes the evidence against a stream; undefined if its configuration is not kept. */
export const lookAt = async (
  { read, compute }: LookDeps,
  teamId: string,
  stream: Stream,
  { withPending, withRows, signal }: { withPending: boolean; withRows: boolean; signal?: AbortSignal },
): Promise<Look | undefined> => {
  const { observed, kept } = await read(teamId, async (reader) => ({
    observed: await readStream(reader, stream, { withPending }),
    kept: await findConfig(reader, stream.config),
  }));
  if (kept === undefined) return undefined;
  if (observed.firstDay === undefined) return { observed, logEvidence: 0, rows: [] };
  const { config, pool } = kept;
  const { frozen, days } = observed;
  const input = { config, pool, frozen, days: days.map(({ texts }) => texts), withRows };
  return { observed, ...(await compute.run(teamId, 'evidence', input, signal)) };
};

/** Adds rolls that are recorded under a later version to those of the version that their configuration began with. */
export const moveRolls = async (tx: Transaction, move: Move): Promise<void> => {
  const { templateId, from, to } = move;
  // The database may have been restored from a backup in the meantime, and the numbers mean something else.
  if ((await findStreamAt(tx, templateId, from))?.since === to) await mergeVersions(tx, move);
};

/** What is told about an alarm. */
export interface Alarm {
  readonly teamId: string;
  readonly templateId: string | null;
  readonly config: string;
  readonly evidence: string;
}

/**
 * Saves what a look found. Returns an alarm if this is the first time that the evidence reaches the threshold. Does
 * nothing if the configuration is not known any more, because the database was restored from a backup.
 */
export const saveLook = async (
  tx: Transaction,
  { templateId, config, due }: DueStream,
  { logEvidence: log }: Look,
  nowMs: number,
): Promise<Alarm | undefined> => {
  if ((await findVersionsOf(tx, templateId, config)).length === 0) return undefined;
  const [[before]] = await tx.hold(ask(store.holdStream, { templateId, config }));
  const streams = Math.max(1, before?.streams ?? 0, await countInForce(tx));
  const isAlarm = (before?.alarmed_at ?? null) === null && log >= Math.log(thresholdOf(streams));
  const row = {
    template_id: templateId,
    config,
    streams,
    evidence: storedLog(log),
    greatest: Math.max(0, before?.greatest ?? 0, storedLog(log)),
    looked_at: nowMs,
    began_at: before?.began_at ?? nowMs,
    alarmed_at: isAlarm ? nowMs : (before?.alarmed_at ?? null),
  };
  tx.write(before === undefined ? store.insertStream : store.updateStream, row);
  for (const one of due) await store.deleteDue(tx, one);
  if (!isAlarm) return undefined;
  const evidence = `1 : ${Math.round(evidenceOf(log))}`;
  const alarm = { teamId: tx.teamId, templateId: templateId === '' ? null : templateId, config, evidence };
  const subject = alarm.templateId === null ? 'catalog' : `templates/${templateId}`;
  tx.record({ type: 'evidence.alarmed', nowMs, requestId: null, subject, data: () => JSON.stringify(alarm) });
  return alarm;
};

/** Forgets rolls that nothing can be said about. */
export const forgetDue = async (tx: Transaction, vain: readonly Due[]): Promise<void> => {
  for (const due of vain) await store.deleteDue(tx, due);
};

/** What was saved of a stream; undefined if nobody has looked at it yet. */
export const findStream = async (finder: Finder, { templateId, config }: Pick<Stream, 'templateId' | 'config'>) =>
  (await finder.find(store.streamOf, { templateId, config }))[0];

/** The evidence against several streams together, as of the last look at each. */
export interface Combined {
  /** Against all configurations that a template ever had. */
  ofTemplate(templateId: string): number;
  /** Against all configurations of the team. */
  readonly ofTeam: number;
}

/** Combines the evidence against all streams of a team. */
export const findCombined = async (reader: Reader): Promise<Combined> => {
  const all = await store.selectInOrder(reader);
  const combine = (streams: typeof all): number => evidenceOf(logOfStreams(streams.map(({ evidence }) => evidence)));
  return {
    ofTemplate: (templateId) => combine(all.filter((stream) => stream.templateId === templateId)),
    ofTeam: combine(all),
  };
};
