import { compareBytes } from '../byte-order.ts';
import type { Catalog, CatalogItemAttribute } from '../pool/catalog.ts';
import { type CompiledTemplate, compileTemplate } from '../systems/templates.ts';
import { canonicalText } from './canonical.ts';
import { CONFIG_SHAPES } from './config-shape.ts';
import { offsetTimeMsOf } from './iso-time.ts';
import { EDITION } from './receipts.ts';
import { hashOfText } from './sha256.ts';
import { hash, list, number, object, oneOf, orNull, type Shape, table, text, tuple } from './shape.ts';
import { type ConfigSnapshot, catalogOfPool, ENGINE_VERSION, type PoolSnapshot } from './snapshots.ts';

/** Something that a proof was to contain, or the reason why it cannot be used, as the end of a sentence about it. */
export type Found<T> = { readonly value: T } | { readonly reason: string };

/** Everything that decides a call, compiled. */
export interface Machine {
  readonly snapshot: ConfigSnapshot;
  readonly catalog: Catalog;
  /** Null for plain rolls. */
  readonly template: CompiledTemplate | null;
}

/** The snapshots of a proof, each read and compiled once. */
export interface SnapshotReader {
  /** The hidden configuration of each template, by the hash of its id. */
  manifest(hash: string): Found<ReadonlyMap<string, string>>;
  machine(configHash: string): Found<Machine>;
  /** Known as soon as the pool can be read. */
  catalog(poolHash: string): Found<Catalog>;
}

const MAX_OPTIONS_PER_ITEM = 100;
const MAX_ATTRIBUTES_PER_ITEM = 100;

const rangeShape = object({ id: text, attributeId: text, min: number(), max: number(), step: orNull(number(0)) });

const attributeShape: Shape = (value, place) => {
  const fault = rangeShape(value, place);
  if (fault !== undefined) return fault;
  const { min, max, step } = value as CatalogItemAttribute;
  if (min > max) return `${place}.min is greater than max`;
  return step === 0 ? `${place}.step is 0` : undefined;
};

const poolShape = object({
  v: oneOf(1),
  options: list(object({ id: text, classifierId: text, name: text, dropRateMultiplier: orNull(number(0)) })),
  items: list(
    object({
      id: text,
      name: text,
      rollNumerator: number(0),
      optionIds: list(text, MAX_OPTIONS_PER_ITEM),
      attributes: list(attributeShape, MAX_ATTRIBUTES_PER_ITEM),
    }),
  ),
});
const configShape = object({
  v: oneOf(1),
  engine: oneOf(ENGINE_VERSION),
  templateId: text,
  type: oneOf(...Object.keys(CONFIG_SHAPES)),
  // Depends on the type, and is checked after it.
  config: () => undefined,
  bindings: table(text),
  pool: hash,
});
const manifestShape = object({ v: oneOf(EDITION), templates: list(tuple(hash, hash)) });

const isAscending = (ids: readonly string[]): boolean =>
  ids.every((id, index) => index === 0 || compareBytes(ids[index - 1] as string, id) < 0);

/** The value of a text that is in the one form it may have: no other text of the same value has another hash. */
const readAs = <T>(source: string, shape: Shape): Found<T> => {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    return { reason: 'is not JSON' };
  }
  const fault = shape(value, '');
  if (fault !== undefined) return { reason: `cannot be read: ${fault}` };
  return canonicalText(value) === source ? { value: value as T } : { reason: 'is not in canonical form' };
};

/** Reads each hash once, and answers the same from then on. */
const cached = <T>(read: (hash: string) => Found<T>): ((hash: string) => Found<T>) => {
  const found = new Map<string, Found<T>>();
  return (key) => {
    const known = found.get(key) ?? read(key);
    found.set(key, known);
    return known;
  };
};

const readCatalog = (source: string): Found<Catalog> => {
  const read = readAs<PoolSnapshot>(source, poolShape);
  if ('reason' in read) return read;
  const { options, items } = read.value;
  if (!isAscending(options.map(({ id }) => id)) || !isAscending(items.map(({ id }) => id)))
    return { reason: 'is not in order' };
  const known = new Set(options.map(({ id }) => id));
  if (!items.every(({ optionIds }) => optionIds.every((id) => known.has(id))))
    return { reason: 'has an item with an option that it does not list' };
  return { value: catalogOfPool(read.value) };
};

const readConfig = (source: string): Found<ConfigSnapshot> =>
  readAs(
    source,
    (value, place) =>
      configShape(value, place) ??
      CONFIG_SHAPES[(value as ConfigSnapshot).type]((value as ConfigSnapshot).config, 'config'),
  );

const readManifest = (source: string): Found<ReadonlyMap<string, string>> => {
  const read = readAs<{ templates: [string, string][] }>(source, manifestShape);
  if ('reason' in read) return read;
  const { templates } = read.value;
  if (!isAscending(templates.map(([id]) => id))) return { reason: 'is not in order' };
  return { value: new Map(templates) };
};

/** Whether two names in one table of rates or factors mean the same tier: which of them counts would be open. */
const hasTierTwice = ({ config, bindings }: ConfigSnapshot): boolean => {
  const { slots = [], depthScaling = {} } = config as { slots?: { rates?: object }[]; depthScaling?: object };
  return [depthScaling, ...slots.map(({ rates = {} }) => rates)].some((rates) => {
    const options = Object.keys(rates).map((name) => bindings[name]);
    return new Set(options).size < options.length;
  });
};

const compiled = (snapshot: ConfigSnapshot, catalog: Catalog): Found<Machine> => {
  const { templateId: id, type, config, bindings } = snapshot;
  if (type === 'plain') return { value: { snapshot, catalog, template: null } };
  if (hasTierTwice(snapshot)) return { reason: 'does not work: two of its tiers are one option' };
  try {
    const { template, faults } = compileTemplate({ id, type, config, bindings }, catalog);
    // When it can be rolled on decides no result, so it is no part of what must work.
    const startsAtMs = offsetTimeMsOf(config.startsAt ?? '') ?? null;
    const endsAtMs = offsetTimeMsOf(config.endsAt ?? '') ?? null;
    if (template !== null) return { value: { snapshot, catalog, template: { ...template, startsAtMs, endsAtMs } } };
    const [fault] = faults;
    return { reason: `does not work: ${fault?.path.replace(/^\//, '')} ${fault?.message}`.trim() };
  } catch {
    // The engine assumes what the service has checked; here nobody has.
    return { reason: 'does not work' };
  }
};

export const readSnapshots = (snapshots: ReadonlyMap<string, string>): SnapshotReader => {
  const textOf = cached<string>((key) => {
    const source = snapshots.get(key);
    if (source === undefined) return { reason: 'is not in the proof' };
    return hashOfText(source) === key ? { value: source } : { reason: 'was changed: its text has another hash' };
  });
  const readWith = <T>(read: (source: string) => Found<T>): ((key: string) => Found<T>) =>
    cached((key) => {
      const source = textOf(key);
      return 'reason' in source ? source : read(source.value);
    });
  const catalog = readWith(readCatalog);
  const config = readWith(readConfig);
  return {
    catalog,
    manifest: readWith(readManifest),
    machine: cached((key) => {
      const snapshot = config(key);
      if ('reason' in snapshot) return snapshot;
      const items = catalog(snapshot.value.pool);
      return 'reason' in items
        ? { reason: `needs a pool that ${items.reason}` }
        : compiled(snapshot.value, items.value);
    }),
  };
};
