import { type Static, Type } from 'typebox';
import { ROLES } from '../../context.ts';
import { answers, Empty, Id, Name, OneOf, PathId, Strict, Timestamp } from '../../http/schemas.ts';

const RoleName = OneOf(ROLES, {
  description: '`read`: every GET but secrets. `write`: all but secrets. `admin`: also secrets.',
  examples: ['write'],
});

const Team = Type.Object(
  { id: Id, name: Name, role: RoleName, createdAt: Timestamp, updatedAt: Timestamp },
  { title: 'Team', description: 'The team that the caller belongs to, and the role of the secret that was used.' },
);
export type Team = Static<typeof Team>;

const secretMembers = { id: Id, name: Name, role: RoleName, createdAt: Timestamp };
const Secret = Type.Object(secretMembers, { title: 'Secret', description: 'One of the secrets of a team.' });
export type Secret = Static<typeof Secret>;

const CreatedSecret = Type.Object(
  {
    ...secretMembers,
    secret: Type.String({ description: 'The secret itself. It is shown this once and kept only as a digest.' }),
  },
  { title: 'CreatedSecret' },
);
export type CreatedSecret = Static<typeof CreatedSecret>;

const NewSecret = Strict(
  { name: Name, role: RoleName },
  { title: 'NewSecret', examples: [{ name: 'game server', role: 'write' }] },
);
export type NewSecret = Static<typeof NewSecret>;

const tags = ['Team'];

export const getTeam = {
  operationId: 'getTeam',
  summary: 'Show the team and the role of the caller',
  tags,
  response: answers(Team, 400, 401, 403, 500),
};

export const createSecret = {
  operationId: 'createSecret',
  summary: 'Make a secret',
  description:
    'The answer shows the secret, this once. Several secrets may live at a time, so that they can be rotated.',
  tags,
  body: NewSecret,
  response: answers(CreatedSecret, 400, 401, 403, 409, 500),
};

export const listSecrets = {
  operationId: 'listSecrets',
  summary: 'List secrets, without the secrets themselves',
  tags,
  response: answers(Type.Array(Secret), 400, 401, 403, 500),
};

export const revokeSecret = {
  operationId: 'revokeSecret',
  summary: 'Revoke a secret',
  description: 'It is refused from now on, on other nodes within a second. The last `admin` secret cannot be revoked.',
  tags,
  params: PathId,
  response: answers(Empty, 400, 401, 403, 404, 409, 500),
};
