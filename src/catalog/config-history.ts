import type { SnapshotCatalog } from '../engine/fairness/snapshots.ts';
import { compileCatalog } from '../engine/pool/catalog.ts';
import { compilePool, isRollable } from '../engine/pool/pool.ts';
import { allAtOnce } from '../engine/steps.ts';
import { LIMITS } from '../shared/limits.ts';
import type { ItemEntity, TemplateEntity } from './entities.ts';
import { compileEntity, sourceOf } from './rules.ts';
import { PLAIN, snapshotsOf } from './snapshots.ts';
import {
  type CatalogState,
  type ChangeChunks,
  type EntityChunk,
  put,
  type RecordedChange,
  readChanges,
  readState,
  undoChanges,
} from './state.ts';
import { optionsIn } from './target.ts';

/** The hash of a template's configuration; null if it cannot be rolled on, or is too large to be kept. */
export interface RecordedConfig {
  readonly templateId: string;
  readonly config: string | null;
}

export interface RecordingInput {
  /** The catalog now. */
  readonly base: readonly EntityChunk[];
  readonly version: number;
  /** The version up to which everything is recorded, and all changes after it, newest first. */
  readonly since: number;
  readonly changes: ChangeChunks;
  /** Whether nothing is known about that version: then every template is recorded with the next one. */
  readonly isFirst: boolean;
  /** What an earlier run found about the next version, without getting to its end. */
  readonly found: readonly RecordedConfig[];
  /** What was rolled on since. */
  readonly rolled: readonly { readonly templateId: string; readonly version: number }[];
}

export interface ConfigsToRecord {
  /** The versions that were recorded completely, in order, each with all configurations that may have changed. */
  readonly versions: readonly { readonly version: number; readonly configs: readonly RecordedConfig[] }[];
  /** What was found about the version after these. */
  readonly found: readonly RecordedConfig[];
  /**
   * The texts that the hashes stand for. If there are many versions, only those of configurations that were rolled on,
   * and of the last ones.
   */
  readonly snapshots: readonly { readonly hash: string; readonly text: string }[];
}

/** A catalog compiled with everything that snapshots contain. */
const snapshotCatalogOf = (state: CatalogState): SnapshotCatalog => {
  const attributesOf = ({ itemAttributes }: ItemEntity) =>
    itemAttributes.map(({ id, attributeId, min, max }) => {
      const step = state.attribute.get(attributeId)?.step ?? null;
      return { id, attributeId, min, max, step };
    });
  const items = state.item.values().map((item) => ({
    ...item,
    optionIds: item.classifierOptionIds,
    attributes: attributesOf(item),
  }));
  return {
    catalog: compileCatalog(optionsIn(state).values(), items),
    rollNumeratorOf: ({ id }) => (state.item.get(id) as ItemEntity).rollNumerator,
  };
};

/** The hashes of a configuration and its pool; null if it cannot be rolled on, or is too large to be kept. */
interface Hashes {
  readonly config: string | null;
  readonly pool: string | null;
}

const NOTHING: Hashes = { config: null, pool: null };

/** Computes configurations, and keeps their texts. */
const createSnapshots = () => {
  const texts = new Map<string, string>();
  let length = 0;

  const keep = (hash: string, text: string): void => {
    if (texts.has(hash)) return;
    texts.set(hash, text);
    length += text.length;
  };

  const found = (source: SnapshotCatalog, subject: Parameters<typeof snapshotsOf>[1]): Hashes => {
    const made = allAtOnce(snapshotsOf(source, subject));
    if (made === null) return NOTHING;
    keep(made.pool, made.poolText);
    keep(made.config, made.configText);
    return made;
  };

  const ofTemplate = (source: SnapshotCatalog, entity: TemplateEntity): Hashes => {
    const { template } = allAtOnce(compileEntity(entity, source.catalog));
    return template === null ? NOTHING : found(source, { template, source: sourceOf(entity) });
  };

  return {
    hashesOf: (templateId: string, source: SnapshotCatalog, state: CatalogState): Hashes => {
      if (templateId === PLAIN) return isRollable(compilePool(source.catalog)) ? found(source, null) : NOTHING;
      const entity = state.template.get(templateId);
      return entity === undefined ? NOTHING : ofTemplate(source, entity);
    },
    /** Drops the texts of all other hashes. */
    keepOnly: (hashes: ReadonlySet<string | null>): void => {
      for (const [hash, text] of texts) {
        if (hashes.has(hash)) continue;
        texts.delete(hash);
        length -= text.length;
      }
    },
    isFull: () => length > LIMITS.recordedLength,
    all: () => Array.from(texts, ([hash, text]) => ({ hash, text })),
  };
};

/** Whether a change may concern what is rolled on every template. */
const concernsAll = ({ kind }: RecordedChange): boolean => kind !== 'template' && kind !== 'space';

/** The templates whose configuration may be another one after some changes. */
const concerned = (changes: readonly RecordedChange[], state: CatalogState, isFirst: boolean): Set<string> => {
  const ids = new Set(changes.filter(({ kind }) => kind === 'template').map(({ id }) => id));
  if (!isFirst && !changes.some(concernsAll)) return ids;
  return new Set([PLAIN, ...state.template.keys(), ...ids]);
};

const listOf = (configs: ReadonlyMap<string, Hashes>): RecordedConfig[] =>
  Array.from(configs, ([templateId, { config }]) => ({ templateId, config }));

/**
 * Finds out what was configured at each version since one, in order. It stops after a while, but not before it has found
 * something; the next run then continues where it stopped.
 */
export const configsToRecord = (input: RecordingInput): ConfigsToRecord => {
  const { base, version: last, since, changes, isFirst, rolled } = input;
  const state = readState(base);
  const all = [...readChanges(changes)];
  undoChanges(state, all);
  const byVersion = Map.groupBy(all, ({ version }) => version);
  const rolledOn = Map.groupBy(rolled, ({ version }) => version);
  const snapshots = createSnapshots();
  const versions: ConfigsToRecord['versions'][number][] = [];
  /** The last configuration of each template that was found here, and those that were rolled on. */
  const current = new Map<string, Hashes>();
  const needed = new Set<string | null>();
  let known = new Map(input.found.map(({ templateId, config }) => [templateId, { config, pool: null }]));
  let source: SnapshotCatalog | undefined;
  let startedMs: number | undefined;
  const isOver = (): boolean =>
    startedMs !== undefined && (snapshots.isFull() || performance.now() - startedMs > LIMITS.recordingMs);
  for (let version = since + 1; version <= last; version += 1) {
    const made = byVersion.get(version) ?? [];
    for (const { kind, id, after } of made) put(state, kind, id, after);
    if (made.some(concernsAll)) source = undefined;
    const configs = new Map<string, Hashes>(known);
    for (const templateId of concerned(made, state, isFirst && version === since + 1)) {
      if (configs.has(templateId)) continue;
      if (isOver()) return { versions, found: listOf(configs), snapshots: snapshots.all() };
      startedMs ??= performance.now();
      source ??= snapshotCatalogOf(state);
      const hashes = snapshots.hashesOf(templateId, source, state);
      configs.set(templateId, hashes);
      current.set(templateId, hashes);
    }
    versions.push({ version, configs: listOf(configs) });
    known = new Map();
    if (last - since <= LIMITS.versionsKeptWhole) continue;
    // An import makes a version for each item; copies of the growing catalog would take far more space than itself.
    const add = (hashes: Hashes | undefined): void => {
      if (hashes !== undefined) needed.add(hashes.config).add(hashes.pool);
    };
    for (const { templateId } of rolledOn.get(version) ?? []) add(current.get(templateId));
    const kept = new Set(needed);
    for (const { config, pool } of current.values()) kept.add(config).add(pool);
    snapshots.keepOnly(kept);
  }
  return { versions, found: [], snapshots: snapshots.all() };
};
