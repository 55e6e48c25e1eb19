import type { ChangeRecord } from '../../catalog/change.ts';
import type { Page, Paged } from '../../database/paging.ts';
import type { Finder, Read, Reader, Transaction } from '../../database/work.ts';
import type { Context } from '../../shared/context.ts';
import { conflict, notFound, ServiceError } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { LIMITS } from '../../shared/limits.ts';
import { isoTime } from '../../shared/time.ts';
import { readVersion } from '../compiled-catalog/catalog-loader.service.ts';
import type { Identified } from '../compiled-catalog/compiled-catalog.service.ts';
import type { Version } from './versions.contract.ts';
import * as store from './versions.store.ts';

/** What a change of a catalog returns: each entity that it changed, once, and how many more items there are. */
interface Made<T> {
  readonly result: T;
  readonly records: readonly ChangeRecord[];
  readonly moreItems: number;
}

interface NewVersion {
  readonly message: string | null;
  /** The version that it must follow; whichever is current if left out. */
  readonly base?: Identified;
}

/** Rejects a change that was made on another version than the current one. */
export const requireBase = (current: number, base: number): void => {
  if (current !== base)
    throw conflict({
      path: '/body/baseVersion',
      message: `the catalog is at version ${current}, this was made at ${base}`,
    });
};

/**
 * Runs a change of the catalog, which becomes its next version. Until the transaction ends, nobody else changes this
 * catalog; afterwards no node rolls on what was compiled before, because each roll compares the version in its own
 * transaction.
 */
export const makeVersion = async <T>(
  tx: Transaction,
  {
    nowMs,
    author,
    source,
    requestId,
  }: Pick<Context, 'nowMs' | 'author' | 'source'> & Partial<Pick<Context, 'requestId'>>,
  { message, base: expected }: NewVersion,
  change: (held: { readonly itemCount: number }) => Promise<Made<T>>,
): Promise<{ readonly result: T; readonly version: Version }> => {
  const base = await store.holdVersion(tx);
  // The team existed when the caller was authorized, so the database was restored from a backup in the meantime.
  if (base === undefined) throw new ServiceError('UNAUTHORIZED');
  if (expected !== undefined) {
    requireBase(base.version, expected.version);
    // A restored backup has another version with the same number: whatever was prepared is out of date.
    if (base.versionId !== expected.versionId) throw new ServiceError('SERVICE_UNAVAILABLE');
  }
  const version = base.version + 1;
  const versionId = newId();
  const { result, records, moreItems } = await change(base);
  for (const record of records) tx.write(store.insertChange, { version, ...record });
  await store.advanceVersion(tx, { version, versionId, itemCount: base.itemCount + moreItems });
  const row = {
    version,
    id: versionId,
    created_at: nowMs,
    author_id: author.secretId,
    author_name: author.name,
    source,
    message,
    changes: records.length,
  };
  tx.write(store.insertVersion, row);
  const made = toVersion(row);
  const data = () => JSON.stringify(made);
  tx.record({ type: 'catalog.published', nowMs, requestId: requestId ?? null, subject: 'catalog', version, data });
  return { result, version: made };
};

/** Keeps others from changing a catalog until the transaction ends; returns its version. */
export const holdCatalog = async (tx: Transaction): Promise<number> => {
  const base = await store.holdVersion(tx);
  if (base === undefined) throw new ServiceError('UNAUTHORIZED');
  return base.version;
};

export const currentVersionOf = async (finder: Finder): Promise<number> => (await readVersion(finder)).version;

/** The versions after one with the number of their changes, newest first. */
export const listNewVersions = (
  reader: Reader,
  after: number,
  limit: number,
): Promise<{ version: number; changes: number }[]> => store.selectNewVersions(reader, after, limit);

/** Whether a version is still there: a restored backup may have another one with the same number. */
export const isRecorded = async (finder: Finder, { version, versionId }: Identified): Promise<boolean> =>
  (await finder.find(store.versionByNumber, { version }))[0]?.id === versionId;

/** When a version was made. */
export const timeOfVersion = async (finder: Finder, version: number): Promise<number> => {
  const [found] = await finder.find(store.versionByNumber, { version });
  if (found === undefined) throw new Error(`version ${version} of team ${finder.teamId} is not recorded`);
  return found.created_at;
};

const toVersion = (row: Omit<store.VersionRow, 'team_id'>): Version => ({
  version: row.version,
  createdAt: isoTime(row.created_at),
  author: { secretId: row.author_id, name: row.author_name },
  source: row.source,
  message: row.message,
  changes: row.changes,
});

/** A page of versions, newest first. */
export const listVersions = async (
  reader: Reader,
  filter: store.VersionFilter,
  { limit, after }: Page,
): Promise<Paged<Version>> => {
  const below = after === undefined ? undefined : Number(after.id);
  const rows = await store.selectVersions(reader, filter, { below, limit });
  const listed = rows.slice(0, limit);
  const last = listed.at(-1);
  return {
    rows: listed.map(toVersion),
    ...(rows.length > limit &&
      last !== undefined && { next: { createdAtMs: last.created_at, id: String(last.version) } }),
  };
};

const changeText = ({ kind, id, before, after }: store.ChangeRow): string =>
  `{"kind":${JSON.stringify(kind)},"id":${JSON.stringify(id)},"action":"${actionOf(before, after)}","before":${before},"after":${after}}`;

const actionOf = (before: string | null, after: string | null): string => {
  if (before === null) return 'create';
  return after === null ? 'delete' : 'update';
};

/** A version number in a path; one that cannot exist is not found. */
const numberOf = (text: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw notFound();
  return Number(text);
};

/** A version by its number in a path. */
export const getVersion = async (read: Read, teamId: string, number: string): Promise<Version> => {
  const version = numberOf(number);
  const row = await read(teamId, (reader) => store.selectVersion(reader, version));
  if (row === undefined) throw notFound();
  return toVersion(row);
};

/**
 * A version with all its changes and its effect, as parts of JSON. There may be very many changes; they never change,
 * so each part is read on its own.
 */
export async function* versionParts(
  read: Read,
  teamId: string,
  { changes: count, ...members }: Version,
  effect: string,
): AsyncGenerator<string> {
  const { version } = members;
  let text = `${JSON.stringify({ ...members, count }).slice(0, -1)},"changes":[`;
  for (let after = { kind: '', id: '' }, separator = ''; ; separator = ',') {
    const rows = await read(teamId, (reader) => store.selectChanges(reader, version, after, LIMITS.changesPerRead));
    if (rows.length > 0) text += separator + rows.map(changeText).join();
    const last = rows.at(-1);
    if (last === undefined || rows.length < LIMITS.changesPerRead) break;
    yield text;
    text = '';
    after = last;
  }
  yield `${text}],${effect}}`;
}
