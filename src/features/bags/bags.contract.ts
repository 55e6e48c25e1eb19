import { type Static, Type } from 'typebox';
import { answers, Empty, Id, Nullable, OptionalBody, Paging, Strict } from '../../http/schemas.ts';
import { LIMITS } from '../../limits.ts';
import { ItemInstance } from '../item-instances/item-instances.contract.ts';
import { Space } from '../spaces/spaces.contract.ts';
import { userSpaceMembers } from '../user-spaces/user-spaces.contract.ts';

const userSpaceWithSpaceMembers = { ...userSpaceMembers, space: Space };
const UserSpaceWithSpace = Type.Object(userSpaceWithSpaceMembers, { title: 'UserSpaceWithSpace' });
export type UserSpaceWithSpace = Static<typeof UserSpaceWithSpace>;

const Bag = Type.Object(
  {
    ...userSpaceWithSpaceMembers,
    itemInstances: Type.Array(ItemInstance, {
      description: `What lies in it, oldest first: ${LIMITS.pageRows} at most, and fewer where they are large.`,
    }),
    moreItemInstances: Nullable(Type.String(), {
      description: 'Where the list of the rest begins; null where all that lies in it is shown.',
      examples: ['/item-instances?userSpaceId=bag-1&cursor=WzE3MzE1NzY2MDAwMDAsImEiXQ'],
    }),
  },
  { title: 'UserSpaceWithItemInstances', description: 'A user space with all that it takes to draw it.' },
);

const tags = ['User spaces'];
const params = Strict({ userId: Id, id: Id });

export const listUserSpaces = {
  operationId: 'listUserSpaces',
  summary: "List a user's spaces",
  tags,
  params: Strict({ userId: Id }),
  querystring: Strict({ ...Paging }),
  response: answers(Type.Array(UserSpaceWithSpace), 400, 401, 403, 404, 500),
};

export const getBag = {
  operationId: 'getUserSpace',
  summary: 'Show a user space with what lies in it',
  description: `Shows the oldest ${LIMITS.pageRows} item instances, or fewer where they are large; \`moreItemInstances\` leads to the rest.`,
  tags,
  params,
  response: answers(Bag, 400, 401, 403, 404, 500),
};

export const deleteBag = {
  operationId: 'deleteUserSpace',
  summary: 'Take a space from a user',
  description: 'The item instances that lie in it are kept, unplaced.',
  tags,
  params,
  response: answers(Empty, 400, 401, 403, 404, 500),
};

export const sortBag = {
  operationId: 'sortUserSpace',
  summary: 'Repack a user space',
  description:
    'Largest first, each at the first free place, rotated where that helps. What stays in its place keeps its `updatedAt`. Where no order that is tried takes everything: 409, and nothing changed.',
  tags,
  params,
  body: OptionalBody(Strict({}, { title: 'SortRequest', examples: [{}] })),
  response: answers(Bag, 400, 401, 403, 404, 409, 500),
};
