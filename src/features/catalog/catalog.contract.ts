/** Schemas of the catalog that several features use. */
import { type Static, Type } from 'typebox';
import { Id, Name, Nullable, Timestamp } from '../../http/schemas.ts';
import { LIMITS } from '../../shared/limits.ts';

export const Step = Nullable(Type.Number({ exclusiveMinimum: 0 }), {
  description:
    'Distance between adjacent values, greater than 0. Null: whole numbers if both bounds are whole, otherwise any value.',
  examples: [0.5],
});

export const Attribute = Type.Object(
  {
    id: Id,
    name: Name,
    min: Type.Number({ description: 'Lowest value.' }),
    max: Type.Number({ description: 'Highest value.' }),
    step: Step,
    teamId: Id,
  },
  {
    title: 'Attribute',
    description: 'A numeric property that items can carry, with the range it can take.',
    examples: [{ id: 'damage', name: 'Damage', min: 0, max: 100, step: null, teamId: 'my-team' }],
  },
);
export type Attribute = Static<typeof Attribute>;

export const DropRateMultiplier = Nullable(Type.Number({ minimum: 0 }), {
  description: 'Multiplies the weight of items that have the option. 0: they never drop. Null is the same as 1.',
  examples: [0.25],
});

export const ClassifierOption = Type.Object(
  { id: Id, name: Name, dropRateMultiplier: DropRateMultiplier, classifierId: Id },
  { title: 'ClassifierOption', description: 'One of the choices of a classifier, such as the rarity `epic`.' },
);
export type ClassifierOption = Static<typeof ClassifierOption>;

export const Thumbnail = Nullable(Type.String({ maxLength: LIMITS.thumbnailLength }), {
  description: 'Reference to an image: a URL or anything that your game understands.',
  examples: ['https://cdn.example/sword.png'],
});
export const RollNumerator = Type.Number({
  minimum: 0,
  description: 'Base weight, multiplied by the multipliers of its options. 0: it never drops. Defaults to 100.',
  examples: [100],
});
export const side = (which: string) =>
  Type.Integer({ minimum: 1, maximum: LIMITS.itemSide, description: `${which} in grid cells; defaults to 1.` });

/** The members of an item in every response. */
export const itemMembers = {
  id: Id,
  name: Name,
  thumbnail: Thumbnail,
  rollNumerator: RollNumerator,
  width: side('Width'),
  height: side('Height'),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  teamId: Id,
};
