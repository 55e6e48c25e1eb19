import { type Static, Type } from 'typebox';
import {
  answers,
  Empty,
  Id,
  IdList,
  Name,
  OwnId,
  Paging,
  PathId,
  Strict,
  Timestamp,
  UserId,
} from '../../http/schemas.ts';
import { LIMITS } from '../../limits.ts';
import { itemMembers } from '../catalog/catalog.contract.ts';
import { ItemInstanceSpace, Rotated } from '../placements/placements.contract.ts';

const GivenPosition = Type.Integer({
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Of the top-left cell, from 0. X counts columns, Y rows.',
});

const NullableItemInstanceSpace = Type.Union([ItemInstanceSpace, Type.Null()], {
  description: 'Null where it is not placed.',
});

export const GivenInstance = Type.Object(
  {
    id: Id,
    itemId: Id,
    userId: Type.String({ description: 'Its owner.' }),
    teamId: Id,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    itemInstanceSpace: NullableItemInstanceSpace,
  },
  { title: 'GivenItemInstance', description: 'An item instance that was given to a player.' },
);
export type GivenInstance = Static<typeof GivenInstance>;

export const ItemInstance = Type.Object(
  {
    id: Id,
    userId: Type.String({ description: 'Its owner.' }),
    item: Type.Object(itemMembers),
    itemInstanceSpace: NullableItemInstanceSpace,
    classifiers: Type.Array(
      Type.Object({ id: Id, name: Name, classifierOption: Type.Object({ id: Id, name: Name }) }),
      { description: "The item's options; `id` and `name` are the classifier's." },
    ),
    attributes: Type.Array(
      Type.Object({
        id: Id,
        attributeId: Id,
        name: Name,
        value: Type.Number(),
        min: Type.Number(),
        max: Type.Number(),
      }),
      { description: "The values that this one has; `id` is the item attribute's, `min` and `max` its range." },
    ),
  },
  { title: 'ItemInstance', description: 'One particular item that a player owns.' },
);

const OwnerId = (description: string) =>
  Type.String({ minLength: 1, maxLength: LIMITS.idLength, description, examples: ['player-1'] });
const UserSpaceId = (description: string) =>
  Type.String({ minLength: 1, maxLength: LIMITS.idLength, description, examples: ['player-1-backpack'] });

const place = {
  spacePositionX: Type.Optional(GivenPosition),
  spacePositionY: Type.Optional(GivenPosition),
  rotated: Type.Optional(Rotated),
};

export const newItemInstanceMembers = {
  id: Type.Optional(OwnId),
  itemId: Id,
  userId: UserId,
  itemAttributeInstances: Type.Optional(
    Type.Array(Strict({ itemAttributeId: Id, value: Type.Number() }), {
      maxItems: LIMITS.attributesPerItem,
      description: "Values inside the item's ranges. Attributes that are not given are rolled.",
    }),
  ),
  userSpaceId: Type.Optional(UserSpaceId("The owner's user space to place it in.")),
  ...place,
};
const NewItemInstance = Strict(newItemInstanceMembers, {
  title: 'NewItemInstance',
  examples: [{ itemId: 'sword-of-dawn', userId: 'player-1' }],
});
export type NewItemInstance = Static<typeof NewItemInstance>;

export const moveMembers = {
  userId: OwnerId('Its owner.'),
  spacePositionX: GivenPosition,
  spacePositionY: GivenPosition,
  spaceId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LIMITS.idLength,
      description: "Which of the owner's spaces; the present one when left out.",
    }),
  ),
  userSpaceId: Type.Optional(UserSpaceId('Exactly which, where the owner has several of one space.')),
  rotated: Type.Optional(Rotated),
  swap: Type.Optional(
    Type.Boolean({
      description:
        'What lies on the target goes to where this one came from, as it is arranged, if all of it fits there. False when left out.',
    }),
  ),
};
const Move = Strict(moveMembers, {
  title: 'Move',
  examples: [{ userId: 'player-1', spacePositionX: 3, spacePositionY: 0 }],
});
export type Move = Static<typeof Move>;

export const transferMembers = {
  userId: Type.Optional(OwnerId('The present owner. Give it, and no transfer happens twice.')),
  toUserId: OwnerId('Who gets it: a user who exists.'),
  toUserSpaceId: Type.Optional(UserSpaceId("The new owner's user space to place it in; unplaced when left out.")),
  ...place,
};
const Transfer = Strict(transferMembers, {
  title: 'Transfer',
  examples: [{ userId: 'player-1', toUserId: 'player-2' }],
});
export type Transfer = Static<typeof Transfer>;

const tags = ['Item instances'];

export const createItemInstance = {
  operationId: 'createItemInstance',
  summary: 'Give an item to a user',
  description:
    'With a user space and no position it takes the first free place, row by row. Outside the grid, or a cell that is taken: 409. A user who does not exist yet is created.',
  tags,
  body: NewItemInstance,
  response: answers(GivenInstance, 400, 401, 403, 409, 500),
};

const Filter = Type.String({ maxLength: LIMITS.idLength });

export const listItemInstances = {
  operationId: 'listItemInstances',
  summary: 'List item instances',
  tags,
  querystring: Strict({
    userId: Type.Optional({ ...Filter, description: 'Only those of this owner.' }),
    userSpaceId: Type.Optional({ ...Filter, description: 'Only those that lie in this user space.' }),
    itemId: Type.Optional({ ...Filter, description: 'Only those of this item.' }),
    classifierOptionIds: Type.Optional(IdList('Only those whose item has one of these options.')),
    instanceIds: Type.Optional(IdList('Only these.')),
    ...Paging,
  }),
  response: answers(Type.Array(ItemInstance), 400, 401, 403, 404, 500),
};
export type InstanceFilter = Pick<
  Static<typeof listItemInstances.querystring>,
  'userId' | 'userSpaceId' | 'itemId' | 'classifierOptionIds' | 'instanceIds'
>;

export const getItemInstance = {
  operationId: 'getItemInstance',
  summary: 'Show an item instance',
  tags,
  params: PathId,
  response: answers(ItemInstance, 400, 401, 403, 404, 500),
};

export const deleteItemInstance = {
  operationId: 'deleteItemInstance',
  summary: 'Take an item instance away',
  tags,
  params: PathId,
  response: answers(Empty, 400, 401, 403, 404, 500),
};

export const moveItemInstance = {
  operationId: 'moveItemInstance',
  summary: 'Move an item instance',
  description:
    "Within its user space or to another of its owner's. Outside the grid, or a cell that is taken: 409, and nothing changed. It keeps lying as it does unless `rotated` is given. With `swap`, what lies on the target makes room. An owner who is not the present one is answered 404.",
  tags,
  params: PathId,
  body: Move,
  response: answers(GivenInstance, 400, 401, 403, 404, 409, 500),
};

export const transferItemInstance = {
  operationId: 'transferItemInstance',
  summary: 'Give an item instance to another user',
  description:
    'Placed in a user space of theirs, at a position or at the first free place, or unplaced. `userId` names the present owner; one who is not is answered 404, so that a transfer that is repeated does nothing. Its history tells of it.',
  tags,
  params: PathId,
  body: Transfer,
  response: answers(GivenInstance, 400, 401, 403, 404, 409, 500),
};
