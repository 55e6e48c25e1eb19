import { type Static, Type } from 'typebox';
import { DropRateMultiplier } from '../../catalog/entities.ts';
import { ClassifierOption } from '../../catalog/shown.ts';
import { Empty, Id, Name, OwnId, Paging, PathId, responses, Strict, Timestamp } from '../../http/schemas.ts';
import { LIMITS } from '../../shared/limits.ts';

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
    classifierOptions: Type.Array(Strict({ name: Name, dropRateMultiplier: Type.Optional(DropRateMultiplier) }), {
      maxItems: LIMITS.optionsPerClassifier,
      description: 'May be empty.',
    }),
  },
  {
    title: 'NewClassifier',
    examples: [
      {
        name: 'Rarity',
        classifierOptions: [
          { name: 'common', dropRateMultiplier: 1 },
          { name: 'epic', dropRateMultiplier: 0.05 },
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

const tags = ['Classifiers'];

export const createClassifier = {
  operationId: 'createClassifier',
  summary: 'Create a classifier with its options',
  description: 'A way to sort items, such as rarity. Each option can multiply the weight of the items that have it.',
  tags,
  'x-etag': true,
  body: NewClassifier,
  response: responses('The classifier that was created, with the ids of its options.', Classifier, 400, 401, 403, 500),
};

export const listClassifiers = {
  operationId: 'listClassifiers',
  summary: 'List classifiers',
  description: 'With their options, oldest first, one page at a time; follow the `Link` header for more.',
  tags,
  querystring: Strict({ ...Paging }),
  response: responses('A page of classifiers.', Type.Array(Classifier), 400, 401, 403, 404, 500),
};

export const getClassifier = {
  operationId: 'getClassifier',
  summary: 'Get a classifier',
  description: 'With its options, in their order.',
  tags,
  'x-etag': true,
  params: PathId,
  response: responses('The classifier.', Classifier, 400, 401, 403, 404, 500),
};

export const updateClassifier = {
  operationId: 'updateClassifier',
  summary: 'Update a classifier and its options',
  description:
    '`classifierOptions` replaces the whole list: an option with an `id` is kept and changed, one without is added, and one that is missing is removed. Removing an option that a template refers to is rejected with 409.',
  tags,
  'x-etag': true,
  params: PathId,
  body: ClassifierChange,
  response: responses('The classifier after the change.', Classifier, 400, 401, 403, 404, 409, 412, 500),
};

export const deleteClassifier = {
  operationId: 'deleteClassifier',
  summary: 'Delete a classifier',
  description:
    'Deletes its options too, and removes them from items. Rejected with 400 while a template refers to one of its options.',
  tags,
  params: PathId,
  response: responses('An empty object.', Empty, 400, 401, 403, 404, 409, 412, 500),
};
