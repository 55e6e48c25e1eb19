import { type Static, Type } from 'typebox';
import { Empty, Id, Name, OneOf, PathId, responses, Strict, Timestamp } from '../../http/schemas.ts';
import { ROLES } from '../../shared/context.ts';

const RoleName = OneOf(ROLES, {
  description:
    '`read`: every GET except secrets. `support`: also act on users and what they own, and roll. `design`: read, and change the catalog. `write`: everything except secrets. `admin`: everything.',
  examples: ['write'],
});

const VerifiableRolls = Type.Boolean({
  description: 'Whether plain rolls for a user leave a receipt that the player can verify.',
});

const TeamChange = Strict(
  { verifiableRolls: Type.Optional(VerifiableRolls) },
  { title: 'TeamChange', examples: [{ verifiableRolls: true }] },
);
export type TeamChange = Static<typeof TeamChange>;

const Team = Type.Object(
  { id: Id, name: Name, role: RoleName, verifiableRolls: VerifiableRolls, createdAt: Timestamp, updatedAt: Timestamp },
  { title: 'Team', description: "The caller's team, and the role of the secret that was used." },
);
export type Team = Static<typeof Team>;

const secretMembers = { id: Id, name: Name, role: RoleName, createdAt: Timestamp };
const Secret = Type.Object(secretMembers, {
  title: 'Secret',
  description: 'A secret of a team, without the secret itself.',
});
export type Secret = Static<typeof Secret>;

const CreatedSecret = Type.Object(
  {
    ...secretMembers,
    secret: Type.String({ description: 'The secret itself. It is returned only once; the service stores a digest.' }),
  },
  { title: 'CreatedSecret' },
);
export type CreatedSecret = Static<typeof CreatedSecret>;

const NewSecret = Strict(
  { name: Name, role: RoleName },
  { title: 'NewSecret', examples: [{ name: 'game server', role: 'support' }] },
);
export type NewSecret = Static<typeof NewSecret>;

const tags = ['Team'];

export const getTeam = {
  operationId: 'getTeam',
  summary: 'Get the team and the role of the caller',
  description: 'Useful to check credentials: any valid secret may call it.',
  tags,
  response: responses('The team, and the role of the secret that was used.', Team, 400, 401, 403, 500),
};

export const updateTeam = {
  operationId: 'updateTeam',
  summary: 'Change settings of the team',
  description:
    'With `verifiableRolls`, plain rolls for a user are rejected until the player has chosen a client seed; rolls without a user are not affected.',
  tags,
  body: TeamChange,
  response: responses('The team after the change.', Team, 400, 401, 403, 500),
};

export const createSecret = {
  operationId: 'createSecret',
  summary: 'Create a secret',
  description:
    'The response contains the secret itself, this once only. A team can have several secrets at a time, so they can be rotated without downtime.',
  tags,
  body: NewSecret,
  response: responses('The secret, including its value.', CreatedSecret, 400, 401, 403, 409, 500),
};

export const listSecrets = {
  operationId: 'listSecrets',
  summary: 'List secrets',
  description: 'Names, roles and dates, oldest first; never the secrets themselves.',
  tags,
  response: responses('A page of secrets, without their values.', Type.Array(Secret), 400, 401, 403, 500),
};

export const revokeSecret = {
  operationId: 'revokeSecret',
  summary: 'Revoke a secret',
  description:
    'Requests with it are rejected from now on; other nodes follow within a second. The last `admin` secret cannot be revoked.',
  tags,
  params: PathId,
  response: responses('An empty object.', Empty, 400, 401, 403, 404, 409, 500),
};
