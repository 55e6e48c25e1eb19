import { type Static, Type } from 'typebox';
import { Color, DropRateMultiplier } from '../../catalog/entities.ts';
import { ClassifierOption } from '../../catalog/shown.ts';
import { Id, Name, OwnId, Strict, Timestamp } from '../../http/schemas.ts';
import { LIMITS } from '../../shared/limits.ts';
import { entityContract } from '../catalog/kinds.contract.ts';

const Classifier = Type.Object(
  {
    id: Id,
    name: Name,
    teamId: Id,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    classifierOptions: Type.Array(ClassifierOption, { description: 'In the order in which they were given.' }),
  },
  { title: 'Classifier', description: 'A way to sort items, such as rarity or slot, with its options.' },
);
export type Classifier = Static<typeof Classifier>;

const NewClassifier = Strict(
  {
    id: Type.Optional(OwnId),
    name: Name,
    classifierOptions: Type.Array(
      Strict({ name: Name, dropRateMultiplier: Type.Optional(DropRateMultiplier), color: Type.Optional(Color) }),
      {
        maxItems: LIMITS.optionsPerClassifier,
        description: 'May be empty.',
      },
    ),
  },
  {
    title: 'NewClassifier',
    examples: [
      {
        name: 'Rarity',
        classifierOptions: [
          { name: 'common', dropRateMultiplier: 1 },
          { name: 'epic', dropRateMultiplier: 0.05, color: '#a335ee' },
        ],
      },
    ],
  },
);
export type NewClassifier = Static<typeof NewClassifier>;

const ClassifierChange = Strict(
  {
    name: Type.Optional(Name),
    classifierOptions: Type.Optional(
      Type.Array(
        Strict({
          id: Type.Optional(Id),
          name: Type.Optional(Name),
          dropRateMultiplier: Type.Optional(DropRateMultiplier),
          color: Type.Optional(Color),
        }),
        {
          maxItems: LIMITS.optionsPerClassifier,
          description:
            'The whole list. An element with `id` updates that option, one without `id` is added (and needs a `name`), and an option that is missing is removed.',
        },
      ),
    ),
  },
  { title: 'ClassifierChange', examples: [{ name: 'Rarity' }] },
);
export type ClassifierChange = Static<typeof ClassifierChange>;

export const contract = entityContract({
  kind: 'classifier',
  plural: 'classifiers',
  shown: Classifier,
  create: {
    summary: 'Create a classifier with its options',
    description: 'A way to sort items, such as rarity. Each option can multiply the weight of the items that have it.',
    body: NewClassifier,
    success: 'The classifier that was created, with the ids of its options.',
  },
  list: {
    description: 'With their options, oldest first, one page at a time; follow the `Link` header for more.',
    errors: [404],
  },
  get: { description: 'With its options, in their order.' },
  update: {
    summary: 'Update a classifier and its options',
    description:
      '`classifierOptions` replaces the whole list: an option with an `id` is kept and changed, one without is added, and one that is missing is removed. Removing an option that a template refers to is rejected with 409.',
    body: ClassifierChange,
    errors: [409],
  },
  delete: {
    description:
      'Deletes its options too, and removes them from items. Rejected with 400 while a template refers to one of its options.',
    errors: [409],
  },
});
