import { type Static, Type } from 'typebox';
import { Empty, Id, Nullable, OptionalBody, Paging, responses, Strict } from '../../http/schemas.ts';
import { LIMITS } from '../../shared/limits.ts';
import { ItemInstance } from '../item-instances/item-instances.contract.ts';
import { Space } from '../spaces/spaces.contract.ts';
import { userSpaceMembers } from '../user-spaces/user-spaces.contract.ts';

const userSpaceWithSpaceMembers = { ...userSpaceMembers, space: Space };
const UserSpaceWithSpace = Type.Object(userSpaceWithSpaceMembers, { title: 'UserSpaceWithSpace' });
export type UserSpaceWithSpace = Static<typeof UserSpaceWithSpace>;

const UserSpaceWithItems = Type.Object(
  {
    ...userSpaceWithSpaceMembers,
    itemInstances: Type.Array(ItemInstance, {
      description: `The item instances placed in it, oldest first: at most ${LIMITS.pageRows}, fewer if they are large.`,
    }),
    moreItemInstances: Nullable(Type.String(), {
      description: 'Path of the remaining item instances; null if all of them are included.',
      examples: ['/item-instances?userSpaceId=bag-1&cursor=WzE3MzE1NzY2MDAwMDAsImEiXQ'],
    }),
  },
  { title: 'UserSpaceWithItemInstances', description: 'A user space with everything needed to draw it.' },
);

const tags = ['User spaces'];
const params = Strict({ userId: Id, id: Id });

export const listUserSpaces = {
  operationId: 'listUserSpaces',
  summary: "List a user's spaces",
  description: 'Oldest first, one page at a time; follow the `Link` header for more.',
  tags,
  params: Strict({ userId: Id }),
  querystring: Strict({ ...Paging }),
  response: responses(
    'A page of user spaces, each with its space.',
    Type.Array(UserSpaceWithSpace),
    400,
    401,
    403,
    404,
    500,
  ),
};

export const getUserSpace = {
  operationId: 'getUserSpace',
  summary: 'Get a user space with its contents',
  description: `Contains the oldest ${LIMITS.pageRows} item instances, or fewer if they are large; \`moreItemInstances\` is the path of the rest.`,
  tags,
  params,
  response: responses(
    'The user space, with the item instances placed in it.',
    UserSpaceWithItems,
    400,
    401,
    403,
    404,
    500,
  ),
};

export const deleteUserSpace = {
  operationId: 'deleteUserSpace',
  summary: 'Delete a user space',
  description: 'Item instances that are placed in it are kept, unplaced.',
  tags,
  params,
  response: responses('An empty object.', Empty, 400, 401, 403, 404, 500),
};

export const sortUserSpace = {
  operationId: 'sortUserSpace',
  summary: 'Repack a user space',
  description:
    'Places the largest first, each at the first free position, rotated where that helps. An item instance that stays where it was keeps its `updatedAt`. If no order that is tried fits everything: 409, and nothing is changed.',
  tags,
  params,
  body: OptionalBody(Strict({}, { title: 'SortRequest', examples: [{}] })),
  response: responses(
    'The user space after sorting, with the item instances placed in it.',
    UserSpaceWithItems,
    400,
    401,
    403,
    404,
    409,
    500,
  ),
};
