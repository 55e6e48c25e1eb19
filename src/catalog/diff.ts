import { sortedBy } from '../engine/byte-order.ts';
import type { EntityKind } from '../shared/context.ts';
import { LISTS } from './entities.ts';
import { type CatalogState, entitiesOf } from './state.ts';

/** What happens to one entity. */
export interface EntityChange {
  readonly kind: EntityKind;
  readonly id: string;
  readonly before: object | null;
  readonly after: object | null;
}

export const actionOf = ({ before, after }: EntityChange): 'create' | 'update' | 'delete' => {
  if (before === null) return 'create';
  return after === null ? 'delete' : 'update';
};

/** The members that differ. */
export const fieldsOf = ({ before, after }: EntityChange): string[] => {
  if (before === null || after === null) return [];
  const [old, next] = [before as Record<string, unknown>, after as Record<string, unknown>];
  return Object.keys(next).filter((member) => JSON.stringify(old[member]) !== JSON.stringify(next[member]));
};

/** Every entity that differs, in the order of a document. */
export const changesBetween = (base: CatalogState, target: CatalogState): EntityChange[] =>
  LISTS.flatMap(([, kind]) => {
    const [old, next] = [entitiesOf(base, kind), entitiesOf(target, kind)];
    const changes: EntityChange[] = [];
    for (const [id, before] of old) {
      const after = next.get(id) ?? null;
      // What no request touched is the very same object.
      if (after === before || (after !== null && JSON.stringify(after) === JSON.stringify(before))) continue;
      changes.push({ kind, id, before, after });
    }
    for (const [id, after] of next) if (!old.has(id)) changes.push({ kind, id, before: null, after });
    return sortedBy(changes, (change) => change.id);
  });
