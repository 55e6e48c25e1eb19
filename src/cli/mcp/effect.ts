import { isDeepStrictEqual } from 'node:util';
import type { Change, Effect, Entity } from '../catalog/api.ts';

/** The members of an entity that differ from another one. */
const different = (entity: Entity, other: Entity): Partial<Entity> =>
  Object.fromEntries(Object.entries(entity).filter(([member, value]) => !isDeepStrictEqual(value, other[member])));

/** A change without what stays as it is: entities may be long, and many. */
const briefly = ({ kind, id, action, before, after }: Change) => {
  const name = (after ?? before)?.name;
  return before === null || after === null
    ? { kind, id, name, action }
    : { kind, id, name, action, before: different(before, after), after: different(after, before) };
};

/** A plan or a version with what changed in each entity. */
export const effectOf = <E extends Effect>({ changes, ...rest }: E) => ({ ...rest, changes: changes.map(briefly) });
