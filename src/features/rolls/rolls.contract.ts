import { type Static, Type } from 'typebox';
import { Attribute, ClassifierOption, itemMembers } from '../../catalog/shown.ts';
import { Id, OptionalBody, responses, Strict, UserId } from '../../http/schemas.ts';
import { LIMITS } from '../../shared/limits.ts';
import { GivenBalance } from '../balances/balances.contract.ts';
import { InstanceResult } from '../item-instances/item-instances.contract.ts';
import { RollFairness } from '../receipts/receipts.contract.ts';

const RolledItem = Type.Object(
  {
    ...itemMembers,
    classifiers: Type.Array(
      Type.Object({ id: Id, itemId: Id, classifierId: Id, classifierOptionId: Id, classifierOption: ClassifierOption }),
    ),
  },
  { title: 'RolledItem', description: 'The item that was rolled.' },
);

/** What was given to the user. */
export const NullableInstance = Type.Union([InstanceResult, Type.Null()], {
  description: 'The item instance that was created; null for a currency.',
});

export const rollResultMembers = {
  item: RolledItem,
  itemAttributeInstances: Type.Array(Type.Object({ itemAttributeId: Id, value: Type.Number(), attribute: Attribute }), {
    description: 'The attribute values that were rolled.',
  }),
  itemInstance: Type.Optional(NullableInstance),
  balance: Type.Optional(GivenBalance),
  placed: Type.Optional(
    Type.Boolean({
      description: 'False if a user space was given but had no room for this item instance: it is kept, unplaced.',
    }),
  ),
};

const RollResult = Type.Object(
  { ...rollResultMembers, fairness: Type.Optional(RollFairness) },
  {
    title: 'RollResult',
    description: 'A rolled item with its values and, if a user was given, the item instance created from it.',
  },
);
export type RollResult = Static<typeof RollResult>;

export const TestRoll = Type.Boolean({
  description:
    'A test roll: it is neither recorded nor counted, and nobody gets the result. It cannot be for a user. False by default.',
});

const RollRequest = Strict(
  {
    classifierOptionIds: Type.Optional(
      Type.Array(Id, {
        maxItems: LIMITS.listedIds,
        description: 'Narrows the pool: an item must have one of the listed options of each classifier they belong to.',
      }),
    ),
    userId: Type.Optional({
      ...UserId,
      description: 'Gives the result to this user, as an item instance with exactly these values.',
    }),
    userSpaceId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.idLength,
        description:
          'Places it in this user space of the user. Requires `userId`. If there is no room for the largest item of the pool: 409, before anything is rolled.',
      }),
    ),
    test: Type.Optional(TestRoll),
  },
  { title: 'RollRequest', examples: [{ userId: 'player-1' }] },
);
export type RollRequest = Static<typeof RollRequest>;

export const rollItem = {
  operationId: 'rollItem',
  'x-reason': true,
  summary: 'Roll an item',
  description:
    'Without a body, the pool is every item of the team; the chance of an item is its weight divided by the sum of all weights. With a body, the pool can be narrowed to options, and the item can be given to a user. If there is nothing to roll, the response is 500 without a body and 400 with one, and an issue says so.',
  tags: ['Rolls'],
  body: OptionalBody(RollRequest),
  response: responses('The item that was rolled, with its attribute values.', RollResult, 400, 401, 403, 409, 500),
};

const ItemOdds = Type.Object(
  {
    itemId: Id,
    itemName: Type.String(),
    weight: Type.Number({ description: 'Its `rollNumerator` times the multipliers of its options.' }),
    odds: Type.Number({ description: 'Its weight divided by the sum of all weights, from 0 to 1.' }),
  },
  { title: 'ItemOdds' },
);
export type ItemOdds = Static<typeof ItemOdds>;

export const listItemOdds = {
  operationId: 'listItemOdds',
  summary: 'Get the exact odds of the plain roll',
  description: 'Every item of the team in order of id, with its weight and its chance. Not paged.',
  tags: ['Rolls'],
  response: responses('The odds of every item.', Type.Array(ItemOdds), 400, 401, 403, 500),
};
