import type { Finder, Reader, Work } from '../../database/work.ts';
import type { ConfigSnapshot } from '../../engine/fairness/snapshots.ts';
import * as store from './snapshots.store.ts';

/** A text that is known by its hash. */
export interface Snapshot {
  readonly hash: string;
  readonly text: string;
}

export const findSnapshot = async (finder: Finder, hash: string): Promise<string | undefined> =>
  (await finder.find(store.snapshotByHash, { hash }))[0]?.text;

/** A configuration with its pool, as texts. */
export interface KeptConfig {
  readonly templateId: string;
  readonly config: string;
  readonly pool: string;
}

/** The configuration that a hash stands for; undefined if it stands for none. */
export const findConfig = async (finder: Finder, hash: string): Promise<KeptConfig | undefined> => {
  const config = await findSnapshot(finder, hash);
  if (config === undefined) return undefined;
  const { templateId, pool: poolHash } = JSON.parse(config) as Partial<ConfigSnapshot>;
  // A pool has a hash too.
  if (templateId === undefined || poolHash === undefined) return undefined;
  const pool = await findSnapshot(finder, poolHash);
  return pool === undefined ? undefined : { templateId, config, pool };
};

/** Keeps snapshots for ever. */
export const keepSnapshots = (work: Work, ...snapshots: readonly Snapshot[]): void =>
  work.write(store.keepSnapshot, ...snapshots.map(({ hash, text }) => ({ hash, text, is_public: 0 })));

/** Those of these that are kept. */
export const findKept = async (finder: Finder, hashes: readonly string[]): Promise<Set<string>> => {
  const found = await Promise.all(hashes.map((hash) => finder.find(store.keptHash, { hash })));
  return new Set(hashes.filter((_, index) => (found[index]?.length ?? 0) > 0));
};

/** Those of these that not everyone can read yet. */
export const findHidden = async (finder: Finder, hashes: readonly string[]): Promise<string[]> => {
  const found = await Promise.all(hashes.map((hash) => finder.find(store.publishedHash, { hash })));
  return hashes.filter((_, index) => found[index]?.length === 0);
};

/** Lets everyone read what somebody rolls on, which must be kept. */
export const publishSnapshots = (work: Work, hashes: readonly string[]): void =>
  work.write(store.publishSnapshot, ...hashes.map((hash) => ({ hash, is_public: 1 })));

export const findPublished = async (finder: Finder, hash: string): Promise<string | undefined> =>
  (await finder.find(store.publishedSnapshot, { hash }))[0]?.text;

/** Up to which version of the catalog it is known what was configured. */
export const findRecordedVersion = async (finder: Finder): Promise<number> =>
  (await finder.find(store.recordedVersion, {}))[0]?.version ?? 0;

/**
 * A template's configuration at a version of the catalog, with the version that it began with; null if it could not be
 * rolled on then. Undefined if it is not known: not yet, or because the version is from before configurations were kept.
 */
export const configInForceAt = async (
  finder: Finder,
  templateId: string,
  version: number,
): Promise<{ readonly version: number; readonly config: string | null } | undefined> => {
  const [[found], recorded] = await Promise.all([
    finder.find(store.configAt, { templateId, version }),
    findRecordedVersion(finder),
  ]);
  return version > recorded ? undefined : found;
};

/** The versions that a configuration of a template began with: it may have come back. */
export const findVersionsOf = async (finder: Finder, templateId: string, config: string): Promise<number[]> =>
  (await finder.find(store.versionsOf, { templateId, config })).map(({ version }) => version);

/** The configurations that can be rolled on, as far as is recorded; of one template if it is given. */
export const listInForce = async (
  reader: Reader,
  templateId?: string,
): Promise<{ templateId: string; version: number; config: string }[]> => store.selectInForce(reader, templateId);

export const countInForce = async (reader: Reader): Promise<number> => (await store.selectInForce(reader)).length;

/** The configurations of a template by the version of the catalog that they began with, the last one first. */
export const listConfigs = (
  reader: Reader,
  templateId: string,
  range: { readonly upTo: number | undefined; readonly limit: number },
): Promise<{ version: number; config: string | null }[]> => store.selectConfigs(reader, templateId, range);
