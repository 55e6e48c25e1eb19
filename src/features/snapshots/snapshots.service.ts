import type { Finder, Work } from '../../database/work.ts';
import { notFound } from '../../errors.ts';
import * as store from './snapshots.store.ts';

/** Stands for rolls without a template. */
export const PLAIN = '';

/** A text that is known by its hash. */
export interface Snapshot {
  readonly hash: string;
  readonly text: string;
}

export const findSnapshot = async (finder: Finder, hash: string): Promise<string | undefined> =>
  (await finder.find(store.snapshotByHash, { hash }))[0]?.text;

/** Keeps snapshots for ever, each once. */
export const ensureSnapshots = (work: Work, snapshots: readonly Snapshot[]): void => {
  for (const { hash, text } of snapshots) work.write(store.ensureSnapshot, { hash, text });
};

/** Keeps snapshots for everyone to read, in a transaction of its own. */
export type KeepPublic = (teamId: string, snapshots: readonly Snapshot[]) => Promise<void>;

/** Keeps snapshots for ever, for everyone to read. */
export const publishSnapshots = (work: Work, snapshots: readonly Snapshot[]): void => {
  for (const { hash, text } of snapshots) work.write(store.publishSnapshot, { hash, text, is_public: 1 });
};

/** Whether all of these are for everyone to read. */
export const findPublished = async (finder: Finder, hashes: readonly string[]): Promise<boolean> => {
  const found = await Promise.all(hashes.map((hash) => finder.find(store.publishedHash, { hash })));
  return found.every((rows) => rows.length > 0);
};

export const getPublishedSnapshot = async (finder: Finder, hash: string): Promise<string> => {
  const [found] = await finder.find(store.publishedSnapshot, { hash });
  if (found === undefined) throw notFound();
  return found.text;
};

/** Up to which version of the catalog it is known what was configured. */
export const findNotedVersion = async (finder: Finder): Promise<number> =>
  (await finder.find(store.notedVersion, {}))[0]?.version ?? 0;

/**
 * The hash of a template's configuration at a version of the catalog; null if it could not be rolled on then, and
 * undefined if that is not known: not yet, or because the version is from before configurations were kept.
 */
export const configAt = async (
  finder: Finder,
  templateId: string,
  version: number,
): Promise<string | null | undefined> => {
  const [[found], noted] = await Promise.all([
    finder.find(store.configAt, { templateId, version }),
    findNotedVersion(finder),
  ]);
  return version > noted ? undefined : found?.config;
};
