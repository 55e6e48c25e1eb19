import { createHash } from 'node:crypto';
import type {
  AttributeEntity,
  ClassifierEntity,
  ItemEntity,
  SpaceEntity,
  TemplateEntity,
} from '../../catalog/entities.ts';
import type { Disclosure, EntityKind } from '../../shared/context.ts';
import { ServiceError } from '../../shared/errors.ts';

export const attributeEntity = ({ id, name, min, max, step }: AttributeEntity): AttributeEntity => ({
  id,
  name,
  min,
  max,
  step,
});

export const classifierEntity = ({ id, name, classifierOptions }: ClassifierEntity): ClassifierEntity => ({
  id,
  name,
  classifierOptions: classifierOptions.map((option) => ({
    id: option.id,
    name: option.name,
    dropRateMultiplier: option.dropRateMultiplier,
  })),
});

/** An item as the API returns it. */
interface ShownItem extends Omit<ItemEntity, 'classifierOptionIds' | 'itemAttributes'> {
  readonly classifiers: readonly { readonly classifierOption: { readonly id: string } }[];
  readonly attributes: ItemEntity['itemAttributes'];
}

export const itemEntity = (item: ShownItem): ItemEntity => ({
  id: item.id,
  name: item.name,
  thumbnail: item.thumbnail,
  rollNumerator: item.rollNumerator,
  width: item.width,
  height: item.height,
  classifierOptionIds: item.classifiers.map(({ classifierOption }) => classifierOption.id),
  itemAttributes: item.attributes.map(({ id, attributeId, min, max }) => ({ id, attributeId, min, max })),
});

/** A template as it is stored. */
interface TemplateRow extends Pick<TemplateEntity, 'id' | 'name' | 'type'> {
  readonly config: string;
  readonly bindings: string;
  readonly verifiable: number;
  readonly disclosure: Disclosure;
}

/** What is not set is left out, as in entities from before it could be. */
const trustOf = ({ verifiable, disclosure }: { verifiable?: unknown; disclosure?: Disclosure }) => ({
  ...(verifiable ? { verifiable: true as const } : {}),
  ...(disclosure === 'public' ? { disclosure } : {}),
});

export const templateEntity = ({ id, name, type, config, bindings, ...row }: TemplateRow): TemplateEntity => ({
  id,
  name,
  type,
  config: JSON.parse(config),
  bindings: JSON.parse(bindings),
  ...trustOf(row),
});

export const spaceEntity = ({ id, name, cols, rows }: SpaceEntity): SpaceEntity => ({ id, name, cols, rows });

/** What the API shows of each kind, from which its `ETag` is made. */
const SHOWN: { readonly [K in EntityKind]: (body: never) => unknown } = {
  attribute: attributeEntity,
  classifier: classifierEntity,
  item: itemEntity,
  template: ({ id, name, type, config, ...more }: TemplateEntity) => ({ id, name, type, config, ...trustOf(more) }),
  space: spaceEntity,
};

/**
 * The `ETag` of an entity that the API returns. It changes only with the entity itself: not with its times, nor with the
 * names and multipliers of the options that an item has.
 */
export const etagOf = (kind: EntityKind, body: object): string => {
  const text = JSON.stringify(SHOWN[kind](body as never));
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
};

/** Rejects a change of something whose `ETag` is no longer the one that the caller knows. */
export const requireEtag = (ifMatch: string | undefined, what: string, currentEtag: () => string): void => {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const current = currentEtag();
  const given = ifMatch.split(',').map((one) => one.trim());
  if (given.includes(current)) return;
  throw new ServiceError('PRECONDITION_FAILED', [
    {
      path: '/headers/if-match',
      message: `does not match: the ${what} was changed in the meantime, and is now ${current}`,
    },
  ]);
};

/** Rejects a change of an entity that is no longer as the caller knows it. */
export const requireMatch = (ifMatch: string | undefined, kind: EntityKind, present: object): void =>
  requireEtag(ifMatch, kind, () => etagOf(kind, present));
