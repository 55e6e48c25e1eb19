import { type Static, Type } from 'typebox';
import { allOptional, MEMBERS } from '../../catalog/entities.ts';
import { Id, OwnId, Paging, PathId, responses, Strict, Timestamp } from '../../http/schemas.ts';
import { LIMITS } from '../../shared/limits.ts';
import { entityContract } from '../catalog/kinds.contract.ts';
import { UserSpace } from '../user-spaces/user-spaces.contract.ts';

const { name, ...size } = MEMBERS.space;

const spaceMembers = {
  id: Id,
  name,
  teamId: Id,
  ...size,
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const Space = Type.Object(spaceMembers, {
  title: 'Space',
  description: 'A kind of grid container, such as a backpack. Each user can be given one, as a user space.',
});
export type Space = Static<typeof Space>;

const SpaceWithUserSpaces = Type.Object(
  {
    ...spaceMembers,
    userSpaces: Type.Array(Type.Object({ id: Id, userId: Type.String() }), {
      maxItems: LIMITS.userSpacesPerListedSpace,
      description: `User spaces of this space, oldest first. If there are ${LIMITS.userSpacesPerListedSpace}, there may be more: \`GET /spaces/{id}/user-spaces\` lists all of them, and \`GET /users/{userId}/spaces\` those of one user.`,
    }),
  },
  { title: 'SpaceWithUserSpaces' },
);
export type SpaceWithUserSpaces = Static<typeof SpaceWithUserSpaces>;

const NewSpace = Strict(
  { id: Type.Optional(OwnId), ...MEMBERS.space },
  { title: 'NewSpace', examples: [{ name: 'Backpack', cols: 10, rows: 6 }] },
);
export type NewSpace = Static<typeof NewSpace>;

const SpaceChange = Strict(allOptional(MEMBERS.space), { title: 'SpaceChange', examples: [{ rows: 8 }] });
export type SpaceChange = Static<typeof SpaceChange>;

export const contract = entityContract({
  kind: 'space',
  plural: 'spaces',
  shown: Space,
  create: {
    description: 'A kind of grid container, such as a backpack of 6 × 4 cells, that users can be given.',
    body: NewSpace,
  },
  list: {
    summary: 'List spaces with their user spaces',
    description:
      'Oldest first, one page at a time; follow the `Link` header for more. A page ends early when it would contain more than 1000 user spaces.',
    query: {
      userId: Type.Optional(
        Type.String({
          maxLength: LIMITS.idLength,
          description: 'Only spaces of which this user has user spaces, with only those user spaces.',
        }),
      ),
    },
    shown: SpaceWithUserSpaces,
    errors: [404],
  },
  get: { description: 'With its size in cells.' },
  update: {
    description:
      'Only the members you send are changed. A smaller grid that would cut off a placed item instance is rejected with 409.',
    body: SpaceChange,
    errors: [409],
  },
  delete: { description: 'Rejected with 409 while user spaces of it exist.', errors: [409] },
});

export const listUserSpacesOfSpace = {
  operationId: 'listUserSpacesOfSpace',
  summary: 'List the user spaces of a space',
  description:
    "Every user's container of this kind, oldest first, one page at a time; follow the `Link` header for more.",
  tags: ['Spaces'],
  params: PathId,
  querystring: Strict({ ...Paging }),
  response: responses('A page of user spaces.', Type.Array(UserSpace), 400, 401, 403, 404, 500),
};
