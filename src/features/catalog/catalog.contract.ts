/** Shapes of the catalog that several features show. */
import { type Static, Type } from 'typebox';
import { Id, Name, Nullable, Timestamp } from '../../http/schemas.ts';
import { LIMITS } from '../../limits.ts';

export const Step = Nullable(Type.Number({ exclusiveMinimum: 0 }), {
  description:
    'The distance between neighbouring values, above 0. Null: whole numbers where both bounds are whole, else any value.',
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
  description: 'Multiplies the weight of items that have the option. 0: they never drop. Null counts as 1.',
  examples: [0.25],
});

export const ClassifierOption = Type.Object(
  { id: Id, name: Name, dropRateMultiplier: DropRateMultiplier, classifierId: Id },
  { title: 'ClassifierOption', description: 'One of the choices of a classifier, such as the rarity `epic`.' },
);
export type ClassifierOption = Static<typeof ClassifierOption>;

export const Thumbnail = Nullable(Type.String({ maxLength: LIMITS.thumbnailLength }), {
  description: 'Where a picture of it is found: a URL or whatever your game understands.',
  examples: ['https://cdn.example/sword.png'],
});
export const RollNumerator = Type.Number({
  minimum: 0,
  description:
    'The base of its weight, which is multiplied by the multipliers of its options. 0: it never drops. 100 when left out.',
  examples: [100],
});
export const side = (which: string) =>
  Type.Integer({ minimum: 1, maximum: LIMITS.itemSide, description: `${which} in grid cells; 1 when left out.` });

/** What an item is wherever it is shown. */
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
