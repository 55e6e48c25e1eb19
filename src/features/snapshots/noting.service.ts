import type { Noted, NotedConfig } from '../../catalog/noting.ts';
import type { Compute } from '../../compute/compute.ts';
import type { Read, Reader, Transaction } from '../../database/work.ts';
import { LIMITS } from '../../shared/limits.ts';
import { takeTurns } from '../../shared/turns.ts';
import { type BaseCatalog, type ReadWhole, readChangesSince } from '../catalog/document.service.ts';
import { currentVersionOf, isRecorded, listNewVersions } from '../catalog/versions.service.ts';
import * as store from './noting.store.ts';
import { findNotedVersion } from './snapshots.service.ts';
import { configAt, selectInForce } from './snapshots.store.ts';

export const teamsToNote = (reader: Reader): Promise<string[]> => store.selectTeamsToNote(reader);

export interface NotingDeps {
  readonly read: Read;
  readonly compute: Compute;
  readonly readWhole: ReadWhole;
}

/** What was found about some versions of a catalog, to be saved. */
export interface Finding extends Noted {
  /** The version of the catalog that all of it was computed from. */
  readonly known: BaseCatalog;
  /** The version up to which everything was noted before. */
  readonly noted: number;
  /** The version before those that were found; versions in between are skipped, since there are too many. */
  readonly since: number;
}

/** The version after which all are noted: versions and their changes must fit into memory. */
const firstToNote = async (reader: Reader, noted: number): Promise<number> => {
  let [changes, since] = [0, noted];
  for (const made of await listNewVersions(reader, noted, LIMITS.versionsPerNote)) {
    if (changes > 0 && changes + made.changes > LIMITS.changesPerNote) break;
    changes += made.changes;
    since = made.version - 1;
  }
  return since;
};

/** The catalog, and what is not noted of it; undefined if everything is. */
const readUnnoted = async (reader: Reader, readWhole: ReadWhole, earlier: Finding | undefined) => {
  const noted = await findNotedVersion(reader);
  if ((await currentVersionOf(reader)) <= noted) return undefined;
  const { version, versionId, chunks: base } = await readWhole(reader);
  const since = await firstToNote(reader, noted);
  const isFirst = since > noted || !(await store.isAnythingNoted(reader));
  // A version of which only a part was found is continued, unless it was noted or skipped in the meantime.
  const next = earlier === undefined ? undefined : (earlier.versions.at(-1)?.version ?? earlier.since);
  const found = next === since ? (earlier?.found ?? []) : [];
  const changes = await readChangesSince(reader, since);
  const rolled = await store.selectRolledOn(reader, since);
  return { known: { version, versionId }, noted, input: { base, version, since, changes, isFirst, found, rolled } };
};

/**
 * Finds out what was configured at the versions of a catalog that are not noted yet, or at some of them: `earlier` is
 * what was found and saved before. Undefined if there are none.
 */
export const findUnnoted = async (
  { read, compute, readWhole }: NotingDeps,
  teamId: string,
  earlier?: Finding,
): Promise<Finding | undefined> => {
  const unnoted = await read(teamId, (reader) => readUnnoted(reader, readWhole, earlier));
  if (unnoted === undefined) return undefined;
  const { known, noted, input } = unnoted;
  return { ...(await compute.run(teamId, 'note', input)), known, noted, since: input.since };
};

/** The configurations that differ from those of the version before. */
const changedOf = (configs: readonly NotedConfig[], known: Map<string, string | null>): NotedConfig[] =>
  configs.filter(({ templateId, config }) => {
    if ((known.get(templateId) ?? null) === config) return false;
    known.set(templateId, config);
    return true;
  });

/** Saves what was found. False if another node was faster, or if the database was restored from a backup. */
export const saveNoted = async (
  tx: Transaction,
  { known, noted, since, versions, snapshots }: Finding,
): Promise<boolean> => {
  if (!(await isRecorded(tx, known))) return false;
  const last = versions.at(-1)?.version;
  if (last !== undefined && !(await store.advanceNoted(tx, noted, last))) return false;
  for (const snapshot of snapshots) {
    await store.insertSnapshot(tx, snapshot);
    await takeTurns();
  }
  if (last === undefined) return true;
  const before = new Map<string, string | null>();
  if (since > noted) {
    // Rolls on versions that were skipped must not be attributed to the configurations before them.
    for (const { templateId } of await selectInForce(tx))
      tx.write(store.insertTemplateVersion, { template_id: templateId, version: noted + 1, config: null });
  } else {
    const ids = new Set(versions.flatMap(({ configs }) => configs.map(({ templateId }) => templateId)));
    const look = async (templateId: string): Promise<void> => {
      const [row] = await tx.find(configAt, { templateId, version: noted });
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
