import { type Static, Type } from 'typebox';
import { Id, Nullable, OwnId, responses, Strict, Timestamp, UserId } from '../../http/schemas.ts';
import { LIMITS } from '../../shared/limits.ts';

const ExternalId = Nullable(Type.String({ maxLength: LIMITS.idLength }), {
  description: 'Free text of your choice, not unique.',
});

export const userSpaceMembers = {
  id: Id,
  teamId: Id,
  userId: Type.String({ description: "The user's id." }),
  externalId: ExternalId,
  spaceId: Id,
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const UserSpace = Type.Object(userSpaceMembers, {
  title: 'UserSpace',
  description: 'A space that a user has, in which item instances can be placed.',
});
export type UserSpace = Static<typeof UserSpace>;

const NewUserSpace = Strict(
  { id: Type.Optional(OwnId), spaceId: Id, externalId: Type.Optional(ExternalId) },
  { title: 'NewUserSpace', examples: [{ spaceId: 'backpack' }] },
);
export type NewUserSpace = Static<typeof NewUserSpace>;

const tags = ['User spaces'];

export const createUserSpace = {
  operationId: 'createUserSpace',
  summary: 'Give a user a space',
  description:
    "Creates a container in which the user's item instances can be placed. A user who does not exist yet is created.",
  tags,
  params: Strict({ userId: UserId }),
  body: NewUserSpace,
  response: responses('The user space that was created.', UserSpace, 400, 401, 403, 500),
};
