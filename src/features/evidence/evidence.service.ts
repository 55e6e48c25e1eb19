import type { Context } from '../../context.ts';
import type { Reader } from '../../database/work.ts';
import { compareBytes } from '../../engine/byte-order.ts';
import type { EvidenceRow as ComputedRow } from '../../engine/evidence/evidence.ts';
import { OTHER_ITEMS } from '../../engine/evidence/told-apart.ts';
import { jsonList } from '../../json-list.ts';
import { LIMITS } from '../../limits.ts';
import { isoTime } from '../../time.ts';
import { timeOfVersion } from '../catalog/versions.service.ts';
import { countInForce, findVersionsOf, listInForce, PLAIN } from '../snapshots/snapshots.service.ts';
import type { Evidence, EvidenceRow } from './evidence.contract.ts';
import { findObserved, firstDayKept, readObserved } from './roll-evidence.service.ts';
import {
  evidenceOf,
  findStream,
  findStreamAt,
  type Look,
  type LookDeps,
  lookAt,
  type Stream,
  thresholdOf,
} from './streams.service.ts';

interface ListedStream extends Stream {
  readonly versions: Set<number>;
  /** The last version that its configuration began with. */
  begun: number;
}

/** The streams in force, and those with rolls; the newest first. */
const findStreams = async (reader: Reader, templateId: string | undefined): Promise<ListedStream[]> => {
  const streams = new Map<string, ListedStream>();
  const add = (stream: { templateId: string; config: string; since: number }, version: number): void => {
    const { since, ...named } = stream;
    const key = `${named.templateId}\n${named.config}`;
    const known = streams.get(key) ?? { ...named, versions: new Set(), begun: since };
    known.versions.add(version).add(since);
    known.begun = Math.max(known.begun, since);
    streams.set(key, known);
  };
  for (const { version, ...named } of await listInForce(reader, templateId)) add({ ...named, since: version }, version);
  const observed = await findObserved(reader, templateId);
  const found = await Promise.all(observed.map((one) => findStreamAt(reader, one.templateId, one.version)));
  for (const [index, stream] of found.entries()) {
    const one = observed[index];
    if (one !== undefined && stream !== undefined) add({ templateId: one.templateId, ...stream }, one.version);
  }
  return [...streams.values()]
    .sort((a, b) => b.begun - a.begun || compareBytes(a.templateId, b.templateId))
    .slice(0, LIMITS.listedStreams);
};

const toRow = ({ logEvidence, id, ...row }: ComputedRow): EvidenceRow => ({
  kind: row.kind,
  id: id === OTHER_ITEMS ? null : id,
  rolls: row.rolls,
  hits: row.hits,
  expected: row.expected,
  low: row.low,
  high: row.high,
  evidence: evidenceOf(logEvidence),
});

/** What is known of a stream besides its rolls. */
const readStream = async (reader: Reader, stream: ListedStream) => {
  const versions = await findVersionsOf(reader, stream.templateId, stream.config);
  return {
    stream: { ...stream, versions: new Set([...stream.versions, ...versions]) },
    saved: await findStream(reader, stream),
    sinceMs: await timeOfVersion(reader, Math.min(...versions)),
    inForce: await countInForce(reader),
  };
};

type ReadStream = Awaited<ReturnType<typeof readStream>>;

const toEvidence = ({ stream, saved, sinceMs, inForce }: ReadStream, { days, logEvidence, rows }: Look): Evidence => {
  // Earlier rolls may have been removed, or made before they were observed.
  const firstMs = days[0] === undefined ? sinceMs : Date.parse(days[0].day);
  const alarmedAtMs = saved?.alarmed_at ?? null;
  return {
    templateId: stream.templateId === PLAIN ? null : stream.templateId,
    config: stream.config,
    since: isoTime(Math.max(sinceMs, firstMs)),
    rolls: days.reduce((sum, { rolls }) => sum + rolls, 0),
    evidence: evidenceOf(logEvidence),
    greatest: evidenceOf(Math.max(0, saved?.greatest ?? 0, logEvidence)),
    threshold: thresholdOf(Math.max(1, saved?.streams ?? 0, inForce)),
    alarmedAt: alarmedAtMs === null ? null : isoTime(alarmedAtMs),
    rows: rows.map(toRow),
  };
};

/** The evidence against all streams of a team, or of a template, as chunks of JSON. */
export const listEvidence = async (
  deps: LookDeps,
  { teamId, nowMs }: Context,
  templateId: string | undefined,
  signal: AbortSignal,
): Promise<AsyncGenerator<string>> => {
  const listed: Evidence[] = [];
  for (const stream of await deps.read(teamId, (reader) => findStreams(reader, templateId))) {
    const found = await deps.read(teamId, (reader) => readStream(reader, stream));
    const look = await lookAt(deps, teamId, found.stream, nowMs, { withPending: true, withRows: true, signal });
    if (look !== undefined) listed.push(toEvidence(found, look));
  }
  return jsonList(listed);
};

/** What became of the rolls on a configuration. */
export interface Results {
  /** Number of rolled items. */
  readonly rolls: number;
  /** How often each tier was rolled, by its place; without cards that a pity decided. */
  readonly hits: readonly number[];
  /** As of the last look, about a minute ago. */
  readonly evidence: number;
  readonly alarmedAtMs: number | null;
}

/** The results of a configuration of a template so far. */
export const findResults = async (
  { read, compute }: LookDeps,
  teamId: string,
  { templateId, config }: Pick<Stream, 'templateId' | 'config'>,
  nowMs: number,
  signal: AbortSignal,
): Promise<Results> => {
  const { days, saved } = await read(teamId, async (reader) => {
    const begun = await findVersionsOf(reader, templateId, config);
    const versions = new Set(begun);
    // Rolls may be recorded under later versions, until they are looked at.
    for (const { version } of await findObserved(reader, templateId))
      if (!versions.has(version) && (await findStreamAt(reader, templateId, version))?.config === config)
        versions.add(version);
    return {
      days: await readObserved(reader, { templateId, versions, from: firstDayKept(nowMs) }, { withPending: true }),
      saved: await findStream(reader, { templateId, config }),
    };
  });
  const texts = days.flatMap((day) => day.texts);
  return {
    rolls: days.reduce((sum, { rolls }) => sum + rolls, 0),
    hits: texts.length === 0 ? [] : await compute.run(teamId, 'tierHits', { texts }, signal),
    evidence: evidenceOf(saved?.evidence ?? 0),
    alarmedAtMs: saved?.alarmed_at ?? null,
  };
};
