import { Type } from 'typebox';
import { Hash, Id, responses, Strict, Timestamp } from '../../http/schemas.ts';
import { LIMITS } from '../../shared/limits.ts';

const Size = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'A number of leaves.' });
const Path = Type.Unsafe<readonly string[]>(Type.Array(Hash, { description: 'Hashes as in RFC 9162.' }));

export const LogHead = Type.Object(
  { v: Type.Literal(1), teamId: Id, size: Size, root: Hash, at: Timestamp },
  { title: 'LogHead', description: 'The whole log at a moment: how many leaves it has, and the root of their tree.' },
);

export const Inclusion = Type.Object(
  { leaf: Hash, index: Type.Integer({ minimum: 0 }), path: Path },
  { title: 'LogInclusion', description: 'Shows that a leaf is in the log.' },
);

export const Consistency = Type.Object(
  { from: Size, to: Size, path: Path },
  { title: 'LogConsistency', description: 'Shows that the log of one size begins with that of another.' },
);

const SignedHead = Type.Object(
  {
    head: LogHead,
    signature: Type.String({ description: 'Ed25519, over the canonical JSON of `head` (RFC 8785), in hexadecimal.' }),
    publicKey: Type.String({ description: 'The key of the team, in hexadecimal. It never changes.' }),
  },
  { title: 'SignedLogHead' },
);

const Leaves = Type.Object(
  {
    size: { ...Size, description: 'How many leaves the log has now.' },
    leaves: Type.Array(
      Type.Object({
        index: Type.Integer(),
        hash: { ...Hash, description: 'SHA-256 of a zero byte and `data`.' },
        data: Type.String({
          description: 'What the leaf is about, as canonical JSON: the hash of a receipt or manifest.',
        }),
      }),
    ),
  },
  { title: 'LogLeaves' },
);

const shared = { tags: ['Public'], security: [] };
const params = Strict({ teamId: Id });
const errors = [400, 404, 429, 500, 503] as const;

export const getLog = {
  operationId: 'getPublicLog',
  summary: 'Get the newest head of the public log',
  description:
    'Every rotation of a player and every manifest of the team is in the log, to which leaves are only added. Keep the response: any later head must be consistent with it, for you and for everybody else.',
  ...shared,
  params,
  response: responses('The signed head.', SignedHead, ...errors),
};

export const getConsistency = {
  operationId: 'getPublicLogConsistency',
  summary: 'Show that the log only grew',
  description: 'The hashes that show that the log with `to` leaves begins with the log with `from` leaves.',
  ...shared,
  params,
  querystring: Strict({ from: Size, to: Type.Optional({ ...Size, description: 'All leaves by default.' }) }),
  response: responses('The proof.', Consistency, ...errors),
};

export const getInclusion = {
  operationId: 'getPublicLogInclusion',
  summary: 'Show that a leaf is in the log',
  description: 'The hashes that show that the log with `size` leaves has this one. 404 if it does not have it.',
  ...shared,
  params,
  querystring: Strict({
    leaf: { ...Hash, description: 'The hash of the leaf.' },
    size: Type.Optional({ ...Size, description: 'All leaves by default.' }),
  }),
  response: responses('The proof.', Inclusion, ...errors),
};

export const listLeaves = {
  operationId: 'listPublicLogLeaves',
  summary: 'List the leaves of the log',
  description: 'For monitors that compute the root themselves. No leaf names a player.',
  ...shared,
  params,
  querystring: Strict({
    from: Type.Optional(
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'The first index; 0 by default.' }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: LIMITS.pageRows, description: 'How many at most; 100 by default.' }),
    ),
  }),
  response: responses('The leaves.', Leaves, ...errors),
};
