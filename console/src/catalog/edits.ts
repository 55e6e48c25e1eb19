import { type Entities, type Entity, isSame, type Kind } from './entities.ts';

/** A change that somebody makes on a page. */
export interface Edit {
  readonly kind: Kind;
  readonly id: string;
  /** The entity as the page showed it; null if it is new. */
  readonly before: Entity | null;
  /** The entity as it should be; null if it is deleted. */
  readonly after: Entity | null;
}

export const editOf = <K extends Kind>(kind: K, before: Entities[K] | null, after: Entities[K] | null): Edit => ({
  kind,
  id: (after ?? before)?.id ?? '',
  before,
  after,
});

/** What an entity contributes to odds, or to who can check them. */
const ODDS_PARTS: { readonly [K in Kind]: (entity: Entities[K]) => unknown } = {
  attribute: () => null,
  space: () => null,
  classifier: ({ classifierOptions }) =>
    classifierOptions.map(({ id, dropRateMultiplier }) => ({ id, multiplier: dropRateMultiplier ?? 1 })),
  item: ({ rollNumerator, classifierOptionIds }) => ({ rollNumerator, options: classifierOptionIds.toSorted() }),
  template: ({ name: _, ...members }) => members,
};

/** Whether an edit may change odds or who can check them, or deletes something: it is never applied without showing what it does. */
export const needsPlan = ({ kind, before, after }: Edit): boolean => {
  if (after === null) return true;
  if (before === null) return kind === 'item' || kind === 'template';
  const partOf = (entity: Entity) => ODDS_PARTS[kind](entity as never);
  return !isSame(partOf(before), partOf(after));
};

type Members = Record<string, unknown>;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What tells the entries of a list apart: options by id, attributes of an item by attribute. */
const entryKey = (entry: unknown): string | undefined => {
  if (typeof entry === 'string') return entry;
  if (!isMembers(entry)) return undefined;
  const key = entry.attributeId ?? entry.id;
  return typeof key === 'string' ? key : undefined;
};

const byKey = (list: readonly unknown[]): Map<string, unknown> | undefined => {
  const keys = list.map(entryKey);
  if (keys.includes(undefined)) return undefined;
  return new Map(list.map((entry, place) => [keys[place] as string, entry]));
};

const mergeLists = (before: unknown[], mine: unknown[], theirs: unknown[]): unknown[] => {
  const [old, own, current] = [byKey(before), byKey(mine), byKey(theirs)];
  if (old === undefined || own === undefined || current === undefined) return mine;
  const kept = [...current].flatMap(([key, entry]) => {
    if (own.has(key)) return [merge(old.get(key), own.get(key), entry)];
    return old.has(key) ? [] : [entry];
  });
  // What the other side removed stays removed, unless it was changed here.
  const added = [...own].flatMap(([key, entry]) =>
    current.has(key) || (old.has(key) && isSame(old.get(key), entry)) ? [] : [entry],
  );
  return [...kept, ...added];
};

/** Puts what was changed from `before` to `mine` on top of `theirs`. Where both changed the same, mine wins. */
const merge = (before: unknown, mine: unknown, theirs: unknown): unknown => {
  if (isSame(before, mine)) return theirs;
  if (Array.isArray(mine) && Array.isArray(theirs))
    return mergeLists(Array.isArray(before) ? before : [], mine, theirs);
  if (!isMembers(mine) || !isMembers(theirs) || !isMembers(before)) return mine;
  const keys = new Set([...Object.keys(theirs), ...Object.keys(mine)]);
  return Object.fromEntries(
    [...keys]
      .map((key) => [key, merge(before[key], mine[key], theirs[key])])
      .filter(([, value]) => value !== undefined),
  );
};

/** The same edit, made on what the entity has become in the meantime. */
export const reapplied = (edit: Edit, current: Entity | null): Edit => ({
  ...edit,
  before: current,
  after:
    edit.after === null || current === null || edit.before === null
      ? edit.after
      : (merge(edit.before, edit.after, current) as Entity),
});

/** The options that an edit takes away. */
export const optionsTaken = ({ kind, before, after }: Edit): ReadonlySet<string> => {
  if (kind !== 'classifier') return new Set();
  const idsOf = (entity: Entity | null) =>
    ((entity as Entities['classifier'] | null)?.classifierOptions ?? []).map(({ id }) => id);
  const left = new Set(idsOf(after));
  return new Set(idsOf(before).filter((id) => !left.has(id)));
};
