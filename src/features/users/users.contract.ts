import { type Static, Type } from 'typebox';
import { answers, Id, Nullable, Paging, Strict, Timestamp, UserId } from '../../http/schemas.ts';
import { LIMITS } from '../../limits.ts';

const ExternalId = Nullable(UserId, {
  description: 'The id of the player elsewhere, such as in your accounts; unique in the team when present.',
  examples: ['auth0|5f7c8ec7'],
});

const User = Type.Object(
  {
    id: Type.String({ description: "The player's id." }),
    externalId: ExternalId,
    teamId: Id,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'User', description: 'A player.' },
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
  description: 'Not needed before the first roll or user space: those create a player they have not seen.',
  tags,
  body: NewUser,
  response: answers(User, 400, 401, 403, 409, 500),
};

export const listUsers = {
  operationId: 'listUsers',
  summary: 'List users',
  tags,
  querystring: Strict({
    externalId: Type.Optional(
      Type.String({ maxLength: LIMITS.idLength, description: 'Only the user with this external id.' }),
    ),
    ...Paging,
  }),
  response: answers(Type.Array(User), 400, 401, 403, 500),
};

export const getUser = {
  operationId: 'getUser',
  summary: 'Show a user',
  tags,
  params: PathUserId,
  response: answers(User, 400, 401, 403, 404, 500),
};
