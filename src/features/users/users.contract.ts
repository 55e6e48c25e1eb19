import { type Static, Type } from 'typebox';
import { Id, Nullable, OptionalBody, Paging, responses, Strict, Timestamp, UserId } from '../../http/schemas.ts';
import { LIMITS } from '../../shared/limits.ts';

const ExternalId = Nullable(UserId, {
  description: "The user's id elsewhere, such as in your accounts; unique in the team unless null.",
  examples: ['auth0|5f7c8ec7'],
});

export const User = Type.Object(
  {
    id: Type.String({ description: "The user's id." }),
    externalId: ExternalId,
    teamId: Id,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'User', description: 'A user of your game.' },
);
export type User = Static<typeof User>;

const NewUser = Strict(
  { id: Type.Optional(UserId), externalId: Type.Optional(ExternalId) },
  { title: 'NewUser', examples: [{ id: 'player-1', externalId: 'auth0|5f7c8ec7' }] },
);
export type NewUser = Static<typeof NewUser>;

export const PathUserId = Strict({ userId: Id });

const tags = ['Users'];

export const createUser = {
  operationId: 'createUser',
  summary: 'Create a user',
  description: 'Optional: a roll or a user space creates users who do not exist yet. The body may be left out.',
  tags,
  body: OptionalBody(NewUser),
  response: responses('The user that was created.', User, 400, 401, 403, 409, 500),
};

export const listUsers = {
  operationId: 'listUsers',
  summary: 'List users',
  description: 'Oldest first unless `prefix` is given, one page at a time; follow the `Link` header for more.',
  tags,
  querystring: Strict({
    externalId: Type.Optional(
      Type.String({ maxLength: LIMITS.idLength, description: 'Only the user with this external id.' }),
    ),
    prefix: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.idLength,
        description:
          'Only users whose id or external id begins with this; upper and lower case differ. First those with such an id, by id, then the others, by external id. A page may have fewer users than `limit` although more follow.',
      }),
    ),
    ...Paging,
  }),
  response: responses('A page of users.', Type.Array(User), 400, 401, 403, 500),
};

export const getUser = {
  operationId: 'getUser',
  summary: 'Get a user',
  description: 'By the id that your game uses for the user.',
  tags,
  params: PathUserId,
  response: responses('The user.', User, 400, 401, 403, 404, 500),
};
