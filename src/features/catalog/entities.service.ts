import { entityOf } from '../../catalog/entities.ts';
import type { EntityKind } from '../../shared/context.ts';
import { etagOfText, requireEtag } from '../../shared/etags.ts';

/** An item as the API returns it. */
interface ShownItem {
  readonly classifiers: readonly { readonly classifierOption: { readonly id: string } }[];
  readonly attributes: readonly object[];
}

/** The entity that a body of the API shows. */
export const shownEntity = (kind: EntityKind, body: object): object => {
  if (kind !== 'item' || !('classifiers' in body)) return entityOf(kind, body);
  const { classifiers, attributes } = body as ShownItem;
  const classifierOptionIds = classifiers.map(({ classifierOption }) => classifierOption.id);
  return entityOf('item', { ...body, classifierOptionIds, itemAttributes: attributes });
};

/**
 * The `ETag` of an entity, or of a body that the API returns. It changes only with the entity itself: not with its times,
 * nor with the names and multipliers of the options that an item has.
 */
export const etagOf = (kind: EntityKind, body: object): string => {
  // What tiers are bound to is not shown.
  const { bindings, ...shown } = shownEntity(kind, body) as { readonly bindings?: unknown };
  return etagOfText(JSON.stringify(shown));
};

/** Rejects a change of an entity that is no longer as the caller knows it. */
export const requireMatch = (ifMatch: string | undefined, kind: EntityKind, present: object): void =>
  requireEtag(ifMatch, kind, () => etagOf(kind, present));
