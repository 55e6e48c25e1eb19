import { type Static, Type } from 'typebox';
import { answers, Empty, Id, Name, OwnId, Paging, PathId, Strict, Timestamp } from '../../http/schemas.ts';
import { LIMITS } from '../../limits.ts';
import { ClassifierOption, DropRateMultiplier } from '../catalog/catalog.contract.ts';

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
            'The whole list. An element with `id` changes that option, one without is added (and needs a `name`), an option left out is removed.',
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
  tags,
  body: NewClassifier,
  response: answers(Classifier, 400, 401, 403, 500),
};

export const listClassifiers = {
  operationId: 'listClassifiers',
  summary: 'List classifiers with their options',
  tags,
  querystring: Strict({ ...Paging }),
  response: answers(Type.Array(Classifier), 400, 401, 403, 404, 500),
};

export const getClassifier = {
  operationId: 'getClassifier',
  summary: 'Show a classifier',
  tags,
  params: PathId,
  response: answers(Classifier, 400, 401, 403, 404, 500),
};

export const updateClassifier = {
  operationId: 'updateClassifier',
  summary: 'Change a classifier and its options',
  description: 'An option that a template names is not removed: 409.',
  tags,
  params: PathId,
  body: ClassifierChange,
  response: answers(Classifier, 400, 401, 403, 404, 409, 500),
};

export const deleteClassifier = {
  operationId: 'deleteClassifier',
  summary: 'Delete a classifier',
  description:
    'Takes its options and their assignment to items along. Refused while a template names one of its options.',
  tags,
  params: PathId,
  response: answers(Empty, 400, 401, 403, 404, 500),
};
