import { type Static, Type } from 'typebox';
import { itemMembers } from '../../catalog/shown.ts';
import {
  Empty,
  Id,
  IdList,
  Name,
  Nullable,
  OwnId,
  Paging,
  PathId,
  responses,
  Strict,
  Timestamp,
  UserId,
} from '../../http/schemas.ts';
import { LIMITS } from '../../shared/limits.ts';
import { HistoryEvent } from '../history/history.contract.ts';
import { ItemInstanceSpace, Rotated } from '../placements/placements.contract.ts';

const PositionInput = Type.Integer({
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Of the top-left cell, starting at 0. X is the column, Y the row.',
});

const NullableItemInstanceSpace = Type.Union([ItemInstanceSpace, Type.Null()], {
  description: 'Null if it is not placed.',
});

const Data = Type.Unsafe<Readonly<Record<string, unknown>>>({
  type: 'object',
  additionalProperties: true,
  description: `Whatever your game wants to know about it, as a JSON object of up to ${LIMITS.instanceDataBytes} bytes and ${LIMITS.instanceDataDepth} levels.`,
  examples: [{ durability: 80, sockets: ['ruby'] }],
});

/** Missing from instances that have neither. */
const state = {
  data: Type.Optional(Data),
  locked: Type.Optional(Type.Boolean({ description: 'True if it is locked; missing if not.' })),
};

export const InstanceResult = Type.Object(
  {
    id: Id,
    itemId: Id,
    userId: Type.String({ description: 'The id of its owner.' }),
    teamId: Id,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    itemInstanceSpace: NullableItemInstanceSpace,
    ...state,
  },
  { title: 'ItemInstanceResult', description: 'An item instance as operations that create or change it return it.' },
);
export type InstanceResult = Static<typeof InstanceResult>;

export const ItemInstance = Type.Object(
  {
    id: Id,
    userId: Type.String({ description: 'The id of its owner.' }),
    item: Type.Object(itemMembers),
    itemInstanceSpace: NullableItemInstanceSpace,
    classifiers: Type.Array(
      Type.Object({ id: Id, name: Name, classifierOption: Type.Object({ id: Id, name: Name }) }),
      { description: "The item's options; `id` and `name` are those of the classifier." },
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
      { description: 'Its attribute values; `id` is that of the item attribute, `min` and `max` are its range.' },
    ),
    ...state,
  },
  { title: 'ItemInstance', description: 'An individual item that a user owns.' },
);

const OwnerId = (description: string) =>
  Type.String({ minLength: 1, maxLength: LIMITS.idLength, description, examples: ['player-1'] });
const UserSpaceId = (description: string) =>
  Type.String({ minLength: 1, maxLength: LIMITS.idLength, description, examples: ['player-1-backpack'] });

const place = {
  spacePositionX: Type.Optional(PositionInput),
  spacePositionY: Type.Optional(PositionInput),
  rotated: Type.Optional(Rotated),
};

export const newItemInstanceMembers = {
  id: Type.Optional(OwnId),
  itemId: Id,
  userId: UserId,
  itemAttributeInstances: Type.Optional(
    // Other members are ignored, so that the attributes of a roll result can be sent unchanged.
    Type.Array(Type.Object({ itemAttributeId: Id, value: Type.Number() }), {
      maxItems: LIMITS.attributesPerItem,
      description:
        "Values within the item's ranges; attributes that are left out are rolled. The `itemAttributeInstances` of a roll result can be sent unchanged: members other than `itemAttributeId` and `value` are ignored.",
    }),
  ),
  data: Type.Optional(Data),
  userSpaceId: Type.Optional(UserSpaceId('The user space of the owner to place it in; unplaced if left out.')),
  ...place,
};
const NewItemInstance = Strict(newItemInstanceMembers, {
  title: 'NewItemInstance',
  examples: [{ itemId: 'sword-of-dawn', userId: 'player-1' }],
});
export type NewItemInstance = Static<typeof NewItemInstance>;

export const moveMembers = {
  userId: OwnerId('The current owner.'),
  spacePositionX: PositionInput,
  spacePositionY: PositionInput,
  spaceId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LIMITS.idLength,
      description: "One of the owner's spaces; defaults to the current one.",
    }),
  ),
  userSpaceId: Type.Optional(
    UserSpaceId("One of the owner's user spaces; required if the owner has several of the same space."),
  ),
  rotated: Type.Optional(Rotated),
  swap: Type.Optional(
    Type.Boolean({
      description:
        'Whatever is placed at the target moves to where this one came from, keeping its arrangement, if all of it fits there. Defaults to false.',
    }),
  ),
};
const Move = Strict(moveMembers, {
  title: 'Move',
  examples: [{ userId: 'player-1', spacePositionX: 3, spacePositionY: 0 }],
});
export type Move = Static<typeof Move>;

export const takeOutMembers = { userId: OwnerId('The current owner.') };
const TakeOut = Strict(takeOutMembers, { title: 'TakeOut', examples: [{ userId: 'player-1' }] });
export type TakeOut = Static<typeof TakeOut>;

export const transferMembers = {
  userId: Type.Optional(OwnerId('The current owner. If given, a repeated request does not transfer it twice.')),
  toUserId: OwnerId('The new owner, who must exist.'),
  toUserSpaceId: Type.Optional(UserSpaceId('The user space of the new owner to place it in; unplaced if left out.')),
  ...place,
};
const Transfer = Strict(transferMembers, {
  title: 'Transfer',
  examples: [{ userId: 'player-1', toUserId: 'player-2' }],
});
export type Transfer = Static<typeof Transfer>;

const Numbers = (description: string, examples: readonly object[]) =>
  Type.Unsafe<Readonly<Record<string, number>>>({
    type: 'object',
    additionalProperties: { type: 'number' },
    maxProperties: LIMITS.incrementsPerOperation,
    description,
    examples,
  });

export const updateMembers = {
  userId: Type.Optional(OwnerId('The current owner, if it must still be that one.')),
  data: Type.Optional(
    Nullable(Data, {
      description:
        'A JSON merge patch (RFC 7396) for its data: members that are null are removed, objects are merged, and everything else is replaced. Null removes all data.',
      examples: [{ sockets: ['ruby', 'opal'], curse: null }],
    }),
  ),
  increment: Type.Optional(
    Numbers(
      'Numbers to add to members of its data, after `data` is applied. A member that does not exist counts as 0. Increments that arrive together are all applied. 409 if a member is not a number.',
      [{ durability: -1 }],
    ),
  ),
  min: Type.Optional(
    Numbers('The least that an increment may lead to, by member; otherwise 409.', [{ durability: 0 }]),
  ),
  max: Type.Optional(
    Numbers('The most that an increment may lead to, by member; otherwise 409.', [{ durability: 100 }]),
  ),
  locked: Type.Optional(
    Type.Boolean({
      description:
        'Whether to lock it: until it is unlocked, it cannot be moved, taken out, transferred or deleted (409). Its data can be changed.',
    }),
  ),
};
const ItemInstanceUpdate = Strict(updateMembers, {
  title: 'ItemInstanceUpdate',
  examples: [{ increment: { durability: -1 }, min: { durability: 0 } }],
});
export type ItemInstanceUpdate = Static<typeof ItemInstanceUpdate>;

const tags = ['Item instances'];

export const createItemInstance = {
  operationId: 'createItemInstance',
  'x-reason': true,
  summary: 'Give an item to a user',
  description:
    'With a user space and no position, it is placed at the first free position, row by row. A position outside the grid, or on a cell that is taken: 409. A user who does not exist yet is created.',
  tags,
  body: NewItemInstance,
  response: responses('The item instance that was created.', InstanceResult, 400, 401, 403, 409, 500),
};

const Filter = Type.String({ maxLength: LIMITS.idLength });

export const listItemInstances = {
  operationId: 'listItemInstances',
  summary: 'List item instances',
  description:
    'Filters can be combined; an item instance must match all of them. Oldest first, one page at a time; follow the `Link` header for more.',
  tags,
  querystring: Strict({
    userId: Type.Optional({ ...Filter, description: 'Only item instances of this owner.' }),
    userSpaceId: Type.Optional({ ...Filter, description: 'Only item instances placed in this user space.' }),
    itemId: Type.Optional({ ...Filter, description: 'Only instances of this item.' }),
    classifierOptionIds: Type.Optional(IdList('Only instances of items with one of these options.')),
    instanceIds: Type.Optional(IdList('Only these item instances.')),
    ...Paging,
  }),
  response: responses('A page of item instances.', Type.Array(ItemInstance), 400, 401, 403, 404, 500),
};
export type InstanceFilter = Pick<
  Static<typeof listItemInstances.querystring>,
  'userId' | 'userSpaceId' | 'itemId' | 'classifierOptionIds' | 'instanceIds'
>;

export const getItemInstance = {
  operationId: 'getItemInstance',
  'x-etag': true,
  summary: 'Get an item instance',
  description: 'With its item, attribute values and placement.',
  tags,
  params: PathId,
  response: responses('The item instance.', ItemInstance, 400, 401, 403, 404, 500),
};

export const updateItemInstance = {
  operationId: 'updateItemInstance',
  'x-reason': true,
  'x-etag': true,
  summary: 'Change the data of an item instance, or lock it',
  description:
    'All of it at once or nothing. 409 if the data would become too large, and if an increment would leave its bounds. What changed is in the history. If nothing does, `updatedAt` stays as it is.',
  tags,
  params: PathId,
  body: ItemInstanceUpdate,
  response: responses('The item instance after the change.', InstanceResult, 400, 401, 403, 404, 409, 412, 500),
};

export const deleteItemInstance = {
  operationId: 'deleteItemInstance',
  'x-reason': true,
  summary: 'Delete an item instance',
  description: 'Takes it away from its owner and out of its user space. Its history is kept. 409 if it is locked.',
  tags,
  params: PathId,
  response: responses('An empty object.', Empty, 400, 401, 403, 404, 409, 500),
};

export const listDeleted = {
  operationId: 'listDeletedItemInstances',
  summary: 'List what can be restored to a user',
  description: `The deletions, in the last ${LIMITS.restoreDays} days, of item instances that the user owned and that do not exist now, in order of their ids. A page may have fewer than \`limit\` although more follow.`,
  tags,
  params: Strict({ userId: Id }),
  querystring: Strict({ ...Paging }),
  response: responses('A page of deletions.', Type.Array(HistoryEvent), 400, 401, 403, 404, 500),
};

export const restoreItemInstance = {
  operationId: 'restoreItemInstance',
  'x-reason': true,
  summary: 'Restore a deleted item instance',
  description: `Gives it back to whoever owned it last: unplaced, with the same id, attribute values and data. Possible for ${LIMITS.restoreDays} days, while the history is kept. 409 if it is later than that, if it exists, if its owner or its item was deleted, and if it was deleted before the service kept what this takes. 404 if it never existed.`,
  tags,
  params: PathId,
  response: responses('The item instance.', InstanceResult, 400, 401, 403, 404, 409, 500),
};

export const moveItemInstance = {
  operationId: 'moveItemInstance',
  summary: 'Move an item instance',
  description:
    'Within its user space or to another one of its owner. A position outside the grid, or on a cell that is taken: 409, and nothing is changed. It keeps its rotation unless `rotated` is given. With `swap`, what is placed at the target makes room. 409 also if it is locked, or what would make room. If `userId` is not the current owner: 404.',
  tags,
  params: PathId,
  body: Move,
  response: responses('The item instance at its new position.', InstanceResult, 400, 401, 403, 404, 409, 500),
};

export const takeOutItemInstance = {
  operationId: 'takeOutItemInstance',
  summary: 'Take an item instance out of its user space',
  description:
    'Its owner keeps it, unplaced; a move with `spaceId` or `userSpaceId` places it again. Nothing changes if it is not placed. 409 if it is locked. If `userId` is not the current owner: 404.',
  tags,
  params: PathId,
  body: TakeOut,
  response: responses('The item instance, unplaced.', InstanceResult, 400, 401, 403, 404, 409, 500),
};

export const transferItemInstance = {
  operationId: 'transferItemInstance',
  'x-reason': true,
  summary: 'Transfer an item instance to another user',
  description:
    "Places it in one of the new owner's user spaces, at a position or at the first free one, or leaves it unplaced. `userId` must be the current owner, otherwise 404, so a repeated transfer does nothing. 409 if it is locked. The history records it.",
  tags,
  params: PathId,
  body: Transfer,
  response: responses('The item instance with its new owner.', InstanceResult, 400, 401, 403, 404, 409, 500),
};
