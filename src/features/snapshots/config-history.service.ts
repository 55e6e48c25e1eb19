import type { ConfigsToRecord, RecordedConfig } from '../../catalog/config-history.ts';
import type { Compute } from '../../compute/compute.ts';
import type { Read, Reader, Transaction } from '../../database/work.ts';
import { LIMITS } from '../../shared/limits.ts';
import { takeTurns } from '../../shared/turns.ts';
import { type BaseCatalog, type ReadWhole, readChangesSince } from '../catalog/document.service.ts';
import { currentVersionOf, isRecorded, listNewVersions } from '../catalog/versions.service.ts';
import * as store from './config-history.store.ts';
import { findRecordedVersion } from './snapshots.service.ts';
import { configAt, selectInForce } from './snapshots.store.ts';

export const teamsToRecord = (reader: Reader): Promise<string[]> => store.selectTeamsToRecord(reader);

export interface RecordingDeps {
  readonly read: Read;
  readonly compute: Compute;
  readonly readWhole: ReadWhole;
}

/** What was found about some versions of a catalog, to be saved. */
export interface Finding extends ConfigsToRecord {
  /** The version of the catalog that all of it was computed from. */
  readonly known: BaseCatalog;
  /** The version up to which everything was recorded before. */
  readonly recorded: number;
  /** The version before those that were found; versions in between are skipped, since there are too many. */
  readonly since: number;
}

/** The version after which all are recorded: versions and their changes must fit into memory. */
const firstToRecord = async (reader: Reader, recorded: number): Promise<number> => {
  let [changes, since] = [0, recorded];
  for (const made of await listNewVersions(reader, recorded, LIMITS.versionsPerRecording)) {
    if (changes > 0 && changes + made.changes > LIMITS.changesPerRecording) break;
    changes += made.changes;
    since = made.version - 1;
  }
  return since;
};

/** The catalog, and what is not recorded of it; undefined if everything is. */
const readUnrecorded = async (reader: Reader, readWhole: ReadWhole, earlier: Finding | undefined) => {
  const recorded = await findRecordedVersion(reader);
  if ((await currentVersionOf(reader)) <= recorded) return undefined;
  const { version, versionId, chunks: base } = await readWhole(reader);
  const since = await firstToRecord(reader, recorded);
  const isFirst = since > recorded || !(await store.isAnythingRecorded(reader));
  // A version of which only a part was found is continued, unless it was recorded or skipped in the meantime.
  const next = earlier === undefined ? undefined : (earlier.versions.at(-1)?.version ?? earlier.since);
  const found = next === since ? (earlier?.found ?? []) : [];
  const changes = await readChangesSince(reader, since);
  const rolled = await store.selectRolledOn(reader, since);
  return { known: { version, versionId }, recorded, input: { base, version, since, changes, isFirst, found, rolled } };
};

/**
 * Finds out what was configured at the versions of a catalog that are not recorded yet, or at some of them: `earlier` is
 * what was found and saved before. Undefined if there are none.
 */
export const findUnrecorded = async (
  { read, compute, readWhole }: RecordingDeps,
  teamId: string,
  earlier?: Finding,
): Promise<Finding | undefined> => {
  const unrecorded = await read(teamId, (reader) => readUnrecorded(reader, readWhole, earlier));
  if (unrecorded === undefined) return undefined;
  const { known, recorded, input } = unrecorded;
  return { ...(await compute.run(teamId, 'record', input)), known, recorded, since: input.since };
};

/** The configurations that differ from those of the version before. */
const changedOf = (configs: readonly RecordedConfig[], known: Map<string, string | null>): RecordedConfig[] =>
  configs.filter(({ templateId, config }) => {
    if ((known.get(templateId) ?? null) === config) return false;
    known.set(templateId, config);
    return true;
  });

/** Saves what was found. False if another node was faster, or if the database was restored from a backup. */
export const saveRecorded = async (
  tx: Transaction,
  { known, recorded, since, versions, snapshots }: Finding,
): Promise<boolean> => {
  if (!(await isRecorded(tx, known))) return false;
  const last = versions.at(-1)?.version;
  if (last !== undefined && !(await store.advanceRecorded(tx, recorded, last))) return false;
  for (const snapshot of snapshots) {
    await store.insertSnapshot(tx, snapshot);
    await takeTurns();
  }
  if (last === undefined) return true;
  const before = new Map<string, string | null>();
  if (since > recorded) {
    // Rolls on versions that were skipped must not be attributed to the configurations before them.
    for (const { templateId } of await selectInForce(tx))
      tx.write(store.insertTemplateVersion, { template_id: templateId, version: recorded + 1, config: null });
  } else {
    const ids = new Set(versions.flatMap(({ configs }) => configs.map(({ templateId }) => templateId)));
    const look = async (templateId: string): Promise<void> => {
      const [row] = await tx.find(configAt, { templateId, version: recorded });
      before.set(templateId, row?.config ?? null);
    };
    await Promise.all(Array.from(ids, look));
  }
  for (const { version, configs } of versions) {
    for (const { templateId, config } of changedOf(configs, before))
      tx.write(store.insertTemplateVersion, { template_id: templateId, version, config });
    await takeTurns();
  }
  return true;
};
