import { type Static, Type } from 'typebox';
import { answers, Empty, Id, Name, OwnId, Paging, PathId, Strict, Timestamp } from '../../http/schemas.ts';
import { LIMITS } from '../../limits.ts';
import { UserSpace } from '../user-spaces/user-spaces.contract.ts';

const side = (what: string) =>
  Type.Integer({
    minimum: 1,
    maximum: LIMITS.spaceSide,
    description: `${what}, 1 to ${LIMITS.spaceSide}.`,
    examples: [10],
  });
const Cols = side('Columns of the grid');
const Rows = side('Rows of the grid');

const spaceMembers = {
  id: Id,
  name: Name,
  teamId: Id,
  cols: Cols,
  rows: Rows,
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const Space = Type.Object(spaceMembers, {
  title: 'Space',
  description: 'A kind of grid container, such as a backpack; players get one each as a user space.',
});
export type Space = Static<typeof Space>;

const SpaceWithUserSpaces = Type.Object(
  {
    ...spaceMembers,
    userSpaces: Type.Array(Type.Object({ id: Id, userId: Type.String() }), {
      maxItems: LIMITS.userSpacesPerListedSpace,
      description: `Who has one of it, oldest first. ${LIMITS.userSpacesPerListedSpace} of them may not be all: \`GET /spaces/{id}/user-spaces\` lists every one, and \`GET /users/{userId}/spaces\` those of one user.`,
    }),
  },
  { title: 'SpaceWithUserSpaces' },
);
export type SpaceWithUserSpaces = Static<typeof SpaceWithUserSpaces>;

const NewSpace = Strict(
  { id: Type.Optional(OwnId), name: Name, cols: Cols, rows: Rows },
  { title: 'NewSpace', examples: [{ name: 'Backpack', cols: 10, rows: 6 }] },
);
export type NewSpace = Static<typeof NewSpace>;

const SpaceChange = Strict(
  { name: Type.Optional(Name), cols: Type.Optional(Cols), rows: Type.Optional(Rows) },
  { title: 'SpaceChange', examples: [{ rows: 8 }] },
);
export type SpaceChange = Static<typeof SpaceChange>;

const tags = ['Spaces'];

export const createSpace = {
  operationId: 'createSpace',
  summary: 'Create a space',
  tags,
  body: NewSpace,
  response: answers(Space, 400, 401, 403, 500),
};

export const listSpaces = {
  operationId: 'listSpaces',
  summary: 'List spaces with their user spaces',
  description: `A page that would hold more than ${LIMITS.listedUserSpaces} user spaces altogether ends before, with a link to the next.`,
  tags,
  querystring: Strict({
    userId: Type.Optional(
      Type.String({
        maxLength: LIMITS.idLength,
        description: 'Only spaces of which this user has a user space, with those alone.',
      }),
    ),
    ...Paging,
  }),
  response: answers(Type.Array(SpaceWithUserSpaces), 400, 401, 403, 404, 500),
};

export const listUserSpacesOfSpace = {
  operationId: 'listUserSpacesOfSpace',
  summary: 'List the user spaces of a space',
  description: 'Who has one of it, oldest first.',
  tags,
  params: PathId,
  querystring: Strict({ ...Paging }),
  response: answers(Type.Array(UserSpace), 400, 401, 403, 404, 500),
};

export const getSpace = {
  operationId: 'getSpace',
  summary: 'Show a space',
  tags,
  params: PathId,
  response: answers(Space, 400, 401, 403, 404, 500),
};

export const updateSpace = {
  operationId: 'updateSpace',
  summary: 'Change a space',
  description: 'A smaller grid that would cut off an item that lies in it is refused with 409.',
  tags,
  params: PathId,
  body: SpaceChange,
  response: answers(Space, 400, 401, 403, 404, 409, 500),
};

export const deleteSpace = {
  operationId: 'deleteSpace',
  summary: 'Delete a space',
  description: 'Refused with 409 while user spaces of it exist.',
  tags,
  params: PathId,
  response: answers(Empty, 400, 401, 403, 404, 409, 500),
};
