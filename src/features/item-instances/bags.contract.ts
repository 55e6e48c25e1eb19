import { type Static, Type } from 'typebox';
import { answers, Id, OptionalBody, Strict } from '../../http/schemas.ts';
import { userSpaceWithSpaceMembers } from '../spaces/spaces.contract.ts';
import { ItemInstance } from './item-instances.contract.ts';

const Bag = Type.Object(
  {
    ...userSpaceWithSpaceMembers,
    itemInstances: Type.Array(ItemInstance, { description: 'All that lies in it, oldest first.' }),
  },
  { title: 'UserSpaceWithItemInstances', description: 'A user space with all that it takes to draw it.' },
);
export type Bag = Static<typeof Bag>;

const tags = ['User spaces'];
const params = Strict({ userId: Id, id: Id });

export const getBag = {
  operationId: 'getUserSpace',
  summary: 'Show a user space with what lies in it',
  description: 'Not paged.',
  tags,
  params,
  response: answers(Bag, 400, 401, 403, 404, 500),
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
