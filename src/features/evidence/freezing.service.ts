import { ask } from '../../database/declarations.ts';
import type { Reader, Transaction } from '../../database/work.ts';
import type { FrozenStarts } from '../../engine/evidence/starts.ts';
import { createSeenCounts } from '../../shared/counts.ts';
import { LIMITS } from '../../shared/limits.ts';
import { utcDay } from '../../shared/time.ts';
import { takeTurns } from '../../shared/turns.ts';
import { findConfig, findRecordedVersion, findVersionsOf } from '../snapshots/snapshots.service.ts';
import * as store from './frozen-days.store.ts';
import { type ObservedStream, readStream, type Stream } from './observed-streams.service.ts';
import { holdEvidence, removeEvidence } from './roll-evidence.store.ts';
import { findStreamAt, type LookDeps, storedLog } from './streams.service.ts';

const MS_PER_DAY = 86_400_000;

/** The first day that is kept by itself. */
const firstDayKept = (nowMs: number): string => utcDay(nowMs - LIMITS.evidenceDays * MS_PER_DAY);

/** Rolls on a version, of which nothing can be said. */
interface Vain {
  readonly templateId: string;
  readonly version: number;
}

/** What a team has of days that are to be kept no longer. */
interface OldDays {
  readonly streams: readonly Stream[];
  readonly vain: readonly Vain[];
}

/** Teams with days that are to be kept no longer. */
export const teamsWithOldDays = (reader: Reader, nowMs: number): Promise<string[]> =>
  store.selectTeamsWithOld(reader, firstDayKept(nowMs));

/** Finds the streams with such days, as far as their configurations are noted. */
export const findOldDays = async (reader: Reader, nowMs: number): Promise<OldDays> => {
  const noted = await findRecordedVersion(reader);
  const streams = new Map<string, { templateId: string; config: string; versions: Set<number> }>();
  const vain: Vain[] = [];
  for (const { templateId, version } of await store.selectOldVersions(reader, firstDayKept(nowMs))) {
    if (version > noted) continue;
    const config = (await findStreamAt(reader, templateId, version))?.config;
    if (config === undefined || (await findConfig(reader, config)) === undefined) {
      vain.push({ templateId, version });
      continue;
    }
    const key = `${templateId}\n${config}`;
    const versions = streams.get(key)?.versions ?? new Set(await findVersionsOf(reader, templateId, config));
    streams.set(key, { templateId, config, versions: versions.add(version) });
  }
  return { streams: [...streams.values()], vain };
};

/** What is to be kept of the first days of a stream, once they are kept no longer. */
interface Freeze {
  readonly before: ObservedStream;
  /** The first day that is still kept by itself. */
  readonly until: string;
  readonly starts: FrozenStarts;
  readonly hasMore: boolean;
}

/** Computes what is to be kept; undefined if there is nothing to freeze. */
export const findFreeze = async (
  { read, compute }: LookDeps,
  teamId: string,
  stream: Stream,
  nowMs: number,
): Promise<Freeze | undefined> => {
  const { before, kept } = await read(teamId, async (reader) => ({
    before: await readStream(reader, stream, { withPending: false }),
    kept: await findConfig(reader, stream.config),
  }));
  if (kept === undefined) return undefined;
  const { days, frozen } = before;
  const first = firstDayKept(nowMs);
  const old = days.filter(({ day }) => day < first).length;
  const count = Math.min(old, LIMITS.evidencePerRead);
  const { config, pool } = kept;
  const input = { config, pool, frozen, days: days.map(({ texts }) => texts), count };
  const starts = count === 0 ? frozen.starts : await compute.run(teamId, 'freeze', input);
  const hasMore = old > count;
  return { before, until: hasMore ? (days[count]?.day ?? first) : first, starts, hasMore };
};

/**
 * Adds up the days before `until`, and saves the evidence that began on them as it was found to be. Returns whether there
 * is more to freeze. Does nothing if something else was frozen, or a backup restored, in the meantime.
 */
export const saveFreeze = async (
  tx: Transaction,
  { templateId, config, versions }: Stream,
  { before, until, starts, hasMore }: Freeze,
): Promise<boolean> => {
  if ((await findVersionsOf(tx, templateId, config)).length === 0) return false;
  const keys: { templateId: string; version: number; day: string }[] = [];
  for (const version of versions)
    for (const day of await store.selectOldDays(tx, templateId, version, until))
      keys.push({ templateId, version, day });
  const [frozen, ...rows] = await tx.hold(
    ask(store.holdFrozen, { templateId, config }),
    ...keys.map((key) => ask(holdEvidence, key)),
  );
  const [row] = frozen;
  if ((row?.days ?? 0) !== before.frozen.starts.count) return false;
  const seen = createSeenCounts();
  if (row !== undefined) seen.add(row.counts);
  let rolls = row?.rolls ?? 0;
  for (const [index, [day]] of rows.entries()) {
    if (day === undefined) continue;
    await takeTurns();
    seen.add(day.counts);
    rolls += day.rolls;
    const { version, day: name } = keys[index] as (typeof keys)[number];
    tx.write(removeEvidence, { template_id: templateId, version, day: name });
  }
  tx.write(row === undefined ? store.insertFrozen : store.updateFrozen, {
    template_id: templateId,
    config,
    since: row?.since ?? before.firstDay ?? until,
    until: row !== undefined && row.until > until ? row.until : until,
    days: starts.count,
    rolls,
    counts: seen.text(),
    evidence: Number.isFinite(storedLog(starts.log)) ? storedLog(starts.log) : null,
  });
  return hasMore;
};

/** Removes old days that belong to no configuration that is kept. */
export const removeVain = async (tx: Transaction, { vain }: OldDays, nowMs: number): Promise<void> => {
  for (const { templateId, version } of vain) await store.deleteOld(tx, templateId, version, firstDayKept(nowMs));
};
