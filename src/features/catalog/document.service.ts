import { FORMAT_VERSION, LISTS } from '../../catalog/entities.ts';
import type { ChangedEntity } from '../../catalog/plan.ts';
import type { EntityChunk } from '../../catalog/state.ts';
import type { Compute } from '../../compute/compute.ts';
import type { Read, Reader } from '../../database/work.ts';
import { sortedBy } from '../../engine/byte-order.ts';
import type { EntityKind } from '../../shared/context.ts';
import { notFound } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { type SharedText, shareText } from '../../shared/shared-text.ts';
import { takeTurns } from '../../shared/turns.ts';
import { readVersion } from '../compiled-catalog/catalog-loader.service.ts';
import type { Identified } from '../compiled-catalog/compiled-catalog.service.ts';
import { type EntityText, presentEntities } from '../compiled-catalog/entity-rows.service.ts';
import type { Version } from './versions.contract.ts';
import * as versions from './versions.store.ts';

const keyOf = (kind: string, id: string): string => `${kind} ${id}`;

/**
 * The entities of an earlier version: those of now, with all later changes undone, newest first. What a change left must
 * be what is there when it is undone, so damage to the history or to the catalog is noticed.
 */
const earlierEntities = async (reader: Reader, version: number): Promise<EntityText[]> => {
  const known = new Map<string, EntityText>();
  for await (const entity of presentEntities(reader)) {
    known.set(keyOf(entity.kind, entity.id), entity);
    await takeTurns();
  }
  for await (const rows of versions.changesSince(reader, version)) {
    for (const { kind, id, before, after, version: changed } of rows) {
      const key = keyOf(kind, id);
      if ((known.get(key)?.text ?? null) !== after)
        throw new Error(`version ${changed} of team ${reader.teamId} cannot be undone: ${key} is not as it was left`);
      if (before === null) known.delete(key);
      else known.set(key, { kind, id, text: before });
    }
    await takeTurns();
  }
  return sortedBy(known.values(), ({ id }) => id);
};

/** The version of a catalog that something was prepared on. */
export type BaseCatalog = Identified;

/** A whole catalog, in parts that a worker can read. */
export type WholeCatalog = BaseCatalog & { readonly chunks: readonly EntityChunk[] };

const readChunks = async (reader: Reader): Promise<readonly EntityChunk[]> => {
  const chunks: EntityChunk[] = [];
  let kind: EntityKind = 'attribute';
  let texts: string[] = [];
  let length = 0;
  const flush = (): void => {
    if (texts.length > 0) chunks.push({ kind, text: shareText(`[${texts.join()}]`) });
    texts = [];
    length = 0;
  };
  for await (const entity of presentEntities(reader)) {
    if (entity.kind !== kind || length >= LIMITS.partLength) flush();
    kind = entity.kind;
    texts.push(entity.text);
    length += entity.text.length;
    await takeTurns();
  }
  flush();
  return chunks;
};

/** Reads the whole catalog as it is now. */
export type ReadWhole = (reader: Reader) => Promise<WholeCatalog>;

/**
 * Keeps the catalogs that were read last for a while: designers plan again and again on the same version, and reading
 * a large catalog takes longer than planning a small change of it.
 */
export const createWholeCatalogs = (): ReadWhole => {
  const kept = new Map<string, { readonly chunks: readonly EntityChunk[]; readonly length: number }>();
  let total = 0;
  let timer: NodeJS.Timeout | undefined;
  const drop = (versionId: string): void => {
    total -= kept.get(versionId)?.length ?? 0;
    kept.delete(versionId);
  };
  const keep = (versionId: string, chunks: readonly EntityChunk[]): void => {
    const length = chunks.reduce((sum, { text }) => sum + text.length, 0);
    drop(versionId);
    if (length > LIMITS.keptCatalogsLength) return;
    kept.set(versionId, { chunks, length });
    total += length;
    // The first is the one that was used longest ago.
    for (const [oldest] of kept) if (total > LIMITS.keptCatalogsLength) drop(oldest);
    clearTimeout(timer);
    timer = setTimeout(() => {
      kept.clear();
      total = 0;
    }, LIMITS.keptCatalogsMs).unref();
  };
  return async (reader) => {
    const { version, versionId } = await readVersion(reader);
    const chunks = kept.get(versionId)?.chunks ?? (await readChunks(reader));
    keep(versionId, chunks);
    return { version, versionId, chunks };
  };
};

const changeText = ({ version, kind, id, before, after }: versions.ChangeRow): string =>
  `{"version":${version},"kind":${JSON.stringify(kind)},"id":${JSON.stringify(id)},"before":${before},"after":${after}}`;

/** All changes after a version, newest first, in parts that a worker can read. */
export const readChangesSince = async (reader: Reader, version: number): Promise<SharedText[]> => {
  const chunks: SharedText[] = [];
  for await (const rows of versions.changesSince(reader, version)) {
    chunks.push(shareText(`[${rows.map(changeText).join()}]`));
    await takeTurns();
  }
  return chunks;
};

/** Which entities were changed after a version, each with the last version that did. */
export const readChangedSince = async (reader: Reader, version: number): Promise<ChangedEntity[]> => {
  const known = new Map<string, ChangedEntity>();
  for await (const rows of versions.changesSince(reader, version)) {
    for (const { kind, id, version: changed } of rows) {
      const key = keyOf(kind, id);
      if (!known.has(key)) known.set(key, { kind, id, version: changed });
    }
    await takeTurns();
  }
  return [...known.values()];
};

/** The changes of one version. */
export const readChangesOf = async (reader: Reader, version: number): Promise<SharedText[]> => {
  if ((await versions.selectVersion(reader, version)) === undefined) throw notFound();
  const chunks: SharedText[] = [];
  for (let after = { kind: '', id: '' }; ; ) {
    const rows = await versions.selectChanges(reader, version, after, LIMITS.changesPerRead);
    chunks.push(shareText(`[${rows.map(changeText).join()}]`));
    const last = rows.at(-1);
    if (last === undefined || rows.length < LIMITS.changesPerRead) return chunks;
    after = last;
  }
};

/** Indents an entity as a part of a document. Line breaks within texts are escaped, so every one is between members. */
const indented = (text: string): string =>
  JSON.stringify(JSON.parse(text), null, 2)
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');

/** A catalog at one version: its entities by kind, as they stand in a document. */
export interface CatalogDocument {
  readonly version: number;
  readonly entities: ReadonlyMap<EntityKind, readonly string[]>;
}

/** Reads the whole catalog, now or at an earlier version. */
export const readDocument = async (reader: Reader, wanted: number | undefined): Promise<CatalogDocument> => {
  const current = await readVersion(reader);
  const version = wanted ?? current.version;
  if (version > current.version) throw notFound();
  const entities = new Map<EntityKind, string[]>(LISTS.map(([, kind]) => [kind, []]));
  const found = version === current.version ? presentEntities(reader) : await earlierEntities(reader, version);
  for await (const { kind, text } of found) {
    entities.get(kind)?.push(indented(text));
    await takeTurns();
  }
  return { version, entities };
};

/**
 * The text of a document, in parts. The same catalog always gives the same text: two spaces of indentation, members in
 * the order of the API, lists in order of their ids.
 */
export async function* documentParts({ entities }: CatalogDocument): AsyncGenerator<string> {
  yield `{\n  "formatVersion": ${FORMAT_VERSION}`;
  for (const [member, kind] of LISTS) {
    const texts = entities.get(kind) ?? [];
    yield `,\n  "${member}": [`;
    for (let start = 0; start < texts.length; start += LIMITS.changesPerRead) {
      await takeTurns();
      yield `${start === 0 ? '' : ','}\n${texts.slice(start, start + LIMITS.changesPerRead).join(',\n')}`;
    }
    yield texts.length === 0 ? ']' : '\n  ]';
  }
  yield '\n}\n';
}

export interface EffectDeps {
  readonly read: Read;
  readonly compute: Compute;
  readonly readWhole: ReadWhole;
}

/** What a version did to the odds, as members of a JSON object. */
export const effectOf = async (
  { read, compute, readWhole }: EffectDeps,
  teamId: string,
  { version }: Pick<Version, 'version'>,
  pools: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<string> => {
  const input = await read(teamId, async (reader) => ({
    base: (await readWhole(reader)).chunks,
    later: await readChangesSince(reader, version),
    own: await readChangesOf(reader, version),
    pools,
  }));
  const { odds, oddsLeftOut } = await compute.run(teamId, 'effect', input, signal);
  return `"odds":${odds},"oddsLeftOut":${oddsLeftOut}`;
};
