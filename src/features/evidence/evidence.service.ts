import { PLAIN } from '../../catalog/snapshots.ts';
import type { Reader } from '../../database/work.ts';
import { compareBytes } from '../../engine/byte-order.ts';
import type { EvidenceRow as ComputedRow, TierResults } from '../../engine/evidence/evidence.ts';
import { OTHER_ITEMS } from '../../engine/evidence/named-items.ts';
import type { Context } from '../../shared/context.ts';
import { jsonList } from '../../shared/json-list.ts';
import { LIMITS } from '../../shared/limits.ts';
import { isoTime } from '../../shared/time.ts';
import { timeOfVersion } from '../catalog/versions.service.ts';
import { countInForce, findConfig, findVersionsOf, listInForce } from '../snapshots/snapshots.service.ts';
import type { Evidence, EvidenceRow } from './evidence.contract.ts';
import { readStream, type Stream, textsOf } from './observed-streams.service.ts';
import { findObserved } from './roll-evidence.service.ts';
import {
  type Combined,
  evidenceOf,
  findCombined,
  findStream,
  findStreamAt,
  type Look,
  type LookDeps,
  lookAt,
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
const readDetails = async (reader: Reader, stream: ListedStream) => {
  const versions = await findVersionsOf(reader, stream.templateId, stream.config);
  return {
    stream: { ...stream, versions: new Set([...stream.versions, ...versions]) },
    saved: await findStream(reader, stream),
    sinceMs: await timeOfVersion(reader, Math.min(...versions)),
    inForce: await countInForce(reader),
  };
};

type Details = Awaited<ReturnType<typeof readDetails>>;

const toEvidence = (
  { stream, saved, sinceMs, inForce }: Details,
  { observed: { firstDay, rolls }, logEvidence, rows }: Look,
  combined: Combined,
): Evidence => {
  // Earlier rolls may have been made before they were observed.
  const firstMs = firstDay === undefined ? sinceMs : Date.parse(firstDay);
  const alarmedAtMs = saved?.alarmed_at ?? null;
  return {
    templateId: stream.templateId === PLAIN ? null : stream.templateId,
    config: stream.config,
    since: isoTime(Math.max(sinceMs, firstMs)),
    rolls,
    evidence: evidenceOf(logEvidence),
    greatest: evidenceOf(Math.max(0, saved?.greatest ?? 0, logEvidence)),
    threshold: thresholdOf(Math.max(1, saved?.streams ?? 0, inForce)),
    alarmedAt: alarmedAtMs === null ? null : isoTime(alarmedAtMs),
    templateEvidence: combined.ofTemplate(stream.templateId),
    teamEvidence: combined.ofTeam,
    rows: rows.map(toRow),
  };
};

/** The evidence against all streams of a team, or of a template, as chunks of JSON. */
export const listEvidence = async (
  deps: LookDeps,
  { teamId }: Context,
  templateId: string | undefined,
  signal: AbortSignal,
): Promise<AsyncGenerator<string>> => {
  const listed: Evidence[] = [];
  const { streams, combined } = await deps.read(teamId, async (reader) => ({
    streams: await findStreams(reader, templateId),
    combined: await findCombined(reader),
  }));
  for (const stream of streams) {
    const found = await deps.read(teamId, (reader) => readDetails(reader, stream));
    const look = await lookAt(deps, teamId, found.stream, { withPending: true, withRows: true, signal });
    if (look !== undefined) listed.push(toEvidence(found, look, combined));
  }
  return jsonList(listed);
};

/** What became of the rolls on a configuration. */
export interface Results {
  /** Number of rolled items. */
  readonly rolls: number;
  /** How often each tier was rolled, by its place; without cards that a pity decided. */
  readonly hits: readonly number[];
  /** How often it was to be expected in the same rolls, given the counters that they met. */
  readonly expected: readonly number[];
  /** As of the last look, about a minute ago. */
  readonly evidence: number;
  /** The same, against all configurations that the template ever had. */
  readonly templateEvidence: number;
  /** The greatest evidence against this configuration so far. */
  readonly greatest: number;
  readonly alarmedAtMs: number | null;
}

const NO_RESULTS: TierResults = { hits: [], expected: [] };

/** The results of a configuration of a template so far. */
export const findResults = async (
  { read, compute }: LookDeps,
  teamId: string,
  { templateId, config }: Pick<Stream, 'templateId' | 'config'>,
  signal: AbortSignal,
): Promise<Results> => {
  const { observed, saved, combined, kept } = await read(teamId, async (reader) => {
    const begun = await findVersionsOf(reader, templateId, config);
    const versions = new Set(begun);
    // Rolls may be recorded under later versions, until they are looked at.
    for (const { version } of await findObserved(reader, templateId))
      if (!versions.has(version) && (await findStreamAt(reader, templateId, version))?.config === config)
        versions.add(version);
    return {
      observed: await readStream(reader, { templateId, config, versions }, { withPending: true }),
      saved: await findStream(reader, { templateId, config }),
      combined: await findCombined(reader),
      kept: await findConfig(reader, config),
    };
  });
  const texts = textsOf(observed);
  const { hits, expected } =
    texts.length === 0 || kept === undefined
      ? NO_RESULTS
      : await compute.run(teamId, 'tierResults', { config: kept.config, pool: kept.pool, texts }, signal);
  return {
    rolls: observed.rolls,
    hits,
    expected,
    evidence: evidenceOf(saved?.evidence ?? 0),
    templateEvidence: combined.ofTemplate(templateId),
    greatest: evidenceOf(saved?.greatest ?? 0),
    alarmedAtMs: saved?.alarmed_at ?? null,
  };
};
