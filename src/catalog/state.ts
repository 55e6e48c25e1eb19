import type { EntityKind } from '../shared/context.ts';
import { readSharedText, type SharedText } from '../shared/shared-text.ts';
import { type Entities, LISTS } from './entities.ts';

/** A whole catalog: its entities by kind and id. */
export type CatalogState = { readonly [K in EntityKind]: Map<string, Entities[K]> };

/** Some entities of one kind, as a JSON array. A large catalog is sent to a worker in many of them. */
export interface EntityChunk {
  readonly kind: EntityKind;
  readonly text: SharedText;
}

/** A change that a version recorded. */
export interface RecordedChange {
  readonly version: number;
  readonly kind: EntityKind;
  readonly id: string;
  readonly before: object | null;
  readonly after: object | null;
}

/** Changes as JSON arrays. */
export type ChangeChunks = readonly SharedText[];

export const emptyState = (): CatalogState => ({
  attribute: new Map(),
  classifier: new Map(),
  space: new Map(),
  item: new Map(),
  template: new Map(),
});

/** The entities of one kind, whatever kind it is. */
export const entitiesOf = (state: CatalogState, kind: EntityKind): Map<string, object> =>
  state[kind] as Map<string, object>;

export const readState = (chunks: readonly EntityChunk[]): CatalogState => {
  const state = emptyState();
  for (const { kind, text } of chunks) {
    const entities = entitiesOf(state, kind);
    for (const entity of JSON.parse(readSharedText(text)) as { id: string }[]) entities.set(entity.id, entity);
  }
  return state;
};

export const copyOf = (state: CatalogState): CatalogState => {
  const copy = emptyState();
  for (const [, kind] of LISTS)
    for (const [id, entity] of entitiesOf(state, kind)) entitiesOf(copy, kind).set(id, entity);
  return copy;
};

export function* readChanges(chunks: ChangeChunks): Generator<RecordedChange> {
  for (const text of chunks) yield* JSON.parse(readSharedText(text)) as RecordedChange[];
}

/** Whether an entity is what a change left or found. */
export const isSame = (entity: object | undefined, other: object | null): boolean =>
  entity === undefined || other === null
    ? entity === undefined && other === null
    : JSON.stringify(entity) === JSON.stringify(other);

/** Sets an entity, or removes it. */
export const put = (state: CatalogState, kind: EntityKind, id: string, entity: object | null): void => {
  if (entity === null) entitiesOf(state, kind).delete(id);
  else entitiesOf(state, kind).set(id, entity);
};

/**
 * Undoes changes, newest first. What a change left must be what is there when it is undone, so damage to the history or
 * to the catalog is noticed.
 */
export const undoChanges = (state: CatalogState, changes: Iterable<RecordedChange>): void => {
  for (const { version, kind, id, before, after } of changes) {
    if (!isSame(entitiesOf(state, kind).get(id), after))
      throw new Error(`version ${version} cannot be undone: ${kind} ${id} is not as it was left`);
    put(state, kind, id, before);
  }
};
