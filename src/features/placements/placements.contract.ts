import { type Static, Type } from 'typebox';
import { Id, IdList, Name, Paging, responses, Strict, Timestamp } from '../../http/schemas.ts';
import { LIMITS } from '../../shared/limits.ts';

const Position = Type.Integer({ minimum: 0, maximum: LIMITS.spaceSide - 1 });
export const Rotated = Type.Boolean({ description: 'Whether it is rotated: width and height exchanged.' });

export const ItemInstanceSpace = Type.Object(
  {
    id: Id,
    itemInstanceId: Id,
    teamUserSpaceId: Id,
    spacePositionX: Position,
    spacePositionY: Position,
    rotated: Rotated,
    teamId: Id,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'ItemInstanceSpace', description: 'Where an item instance is placed.' },
);
export type ItemInstanceSpace = Static<typeof ItemInstanceSpace>;

const ListedItemInstanceSpace = Type.Object(
  {
    spacePositionX: Position,
    spacePositionY: Position,
    rotated: Rotated,
    itemInstanceId: Id,
    teamUserSpaceId: Id,
    itemInstance: Type.Object({
      id: Id,
      itemId: Id,
      teamId: Id,
      createdAt: Timestamp,
      updatedAt: Timestamp,
      item: Type.Object({ name: Name }),
    }),
  },
  { title: 'ListedItemInstanceSpace' },
);
export type ListedItemInstanceSpace = Static<typeof ListedItemInstanceSpace>;

export const listItemInstanceSpaces = {
  operationId: 'listItemInstanceSpaces',
  summary: 'List placements',
  description: 'Where item instances are placed, oldest first, one page at a time; follow the `Link` header for more.',
  tags: ['Item instances'],
  querystring: Strict({
    teamUserSpaceId: Type.Optional(IdList('Only placements in these user spaces.')),
    ...Paging,
  }),
  response: responses('A page of placements.', Type.Array(ListedItemInstanceSpace), 400, 401, 403, 404, 500),
};
