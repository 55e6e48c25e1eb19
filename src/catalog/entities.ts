import type { EntityKind } from '../shared/context.ts';

/**
 * The things that a catalog consists of, as versions record them and documents contain them: without times and team, so
 * that the same catalog always gives the same text. Members are in the order of the API.
 */
export interface AttributeEntity {
  readonly id: string;
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly step: number | null;
}

export interface OptionEntity {
  readonly id: string;
  readonly name: string;
  readonly dropRateMultiplier: number | null;
}

export interface ClassifierEntity {
  readonly id: string;
  readonly name: string;
  readonly classifierOptions: readonly OptionEntity[];
}

export interface ItemAttributeEntity {
  readonly id: string;
  readonly attributeId: string;
  readonly min: number;
  readonly max: number;
}

export interface ItemEntity {
  readonly id: string;
  readonly name: string;
  readonly thumbnail: string | null;
  readonly rollNumerator: number;
  readonly width: number;
  readonly height: number;
  readonly classifierOptionIds: readonly string[];
  readonly itemAttributes: readonly ItemAttributeEntity[];
}

export interface TemplateEntity {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly config: object;
  /** The options that the tiers of the configuration were bound to when it was saved. */
  readonly bindings: Readonly<Record<string, string>>;
  /** Left out if rolls are not verifiable. */
  readonly verifiable?: true;
  /** Left out if odds are not public. */
  readonly disclosure?: 'public';
}

export interface SpaceEntity {
  readonly id: string;
  readonly name: string;
  readonly cols: number;
  readonly rows: number;
}

export interface Entities {
  readonly attribute: AttributeEntity;
  readonly classifier: ClassifierEntity;
  readonly item: ItemEntity;
  readonly template: TemplateEntity;
  readonly space: SpaceEntity;
}

/** The lists of a document, in order. */
export const LISTS: readonly (readonly [member: string, kind: EntityKind])[] = [
  ['attributes', 'attribute'],
  ['classifiers', 'classifier'],
  ['spaces', 'space'],
  ['items', 'item'],
  ['templates', 'template'],
];

export const FORMAT_VERSION = 1;
