import { type Static, Type } from 'typebox';
import { Id, Paging, responses, Strict } from '../../http/schemas.ts';
import { LIMITS } from '../../limits.ts';

export const Hash = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'SHA-256 in hexadecimal.',
  examples: ['8126b99e6a198c972ba17efa0c6f565e95e70059030df11c73fe1135741b0c65'],
});

export const Epoch = Type.Integer({
  minimum: 0,
  maximum: LIMITS.epochs,
  description: 'Counts the server seeds of a player, from 0.',
});

export const Scope = Type.String({
  description:
    'What a chain of receipts belongs to: `plain`, `template:ID`, or `group:NAME` for templates that share a pity group.',
  examples: ['group:limited'],
});

export const RollFairness = Type.Object(
  {
    epoch: Epoch,
    scope: Scope,
    nonce: Type.Integer({ description: 'Number of the roll in its epoch and scope, from 0.' }),
    receipt: {
      ...Hash,
      description:
        'The hash of the receipt, for the player to keep: with it, any later change of the receipt is noticed.',
    },
  },
  { title: 'RollFairness', description: 'Only for verifiable rolls.' },
);
export type RollFairness = Static<typeof RollFairness>;

/** A receipt is sent as it was written, since its hash is that of its text. */
export const Receipt = Type.Unsafe<object>({
  type: 'object',
  additionalProperties: true,
  description: 'The receipt of a rotation, a roll or an exchange; `kind` says which. See the guide to fairness.',
});

const ListedReceipt = Type.Object({ hash: Hash, receipt: Receipt }, { title: 'Receipt' });

const Proof = Type.Object(
  {
    v: Type.Literal(1),
    receipts: Type.Array(Receipt),
    snapshots: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Hash → canonical text of the manifests, configurations and pools that the receipts refer to.',
    }),
  },
  { title: 'Proof', description: 'Everything that is needed to check rolls without the service.' },
);

const tags = ['Fairness'];
const params = Strict({ userId: Id });
const filter = {
  epoch: Type.Optional(Epoch),
  scope: Type.Optional(
    Type.String({ minLength: 1, maxLength: LIMITS.scopeLength, description: 'Only this chain.', examples: ['plain'] }),
  ),
};

export const listReceipts = {
  operationId: 'listReceipts',
  summary: 'List the receipts of a player',
  description: 'By epoch, scope and nonce, each epoch beginning with its rotation. Follow the `Link` header for more.',
  tags,
  params,
  querystring: Strict({ ...filter, ...Paging }),
  response: responses('A page of receipts with their hashes.', Type.Array(ListedReceipt), 400, 401, 403, 404, 500),
};

export const getProof = {
  operationId: 'getProof',
  summary: 'Get a proof of rolls',
  description: `The receipts of an epoch, with the rotations that began and ended it and all snapshots, as a file that the page at \`/verify\` and the command \`itemwright verify\` check. At most ${LIMITS.proofReceipts} receipts or ${LIMITS.proofLength / 1024 / 1024} MiB; for more, ask for one \`scope\` at a time and follow the \`Link\` header.`,
  tags,
  params,
  querystring: Strict({
    epoch: Type.Optional({ ...Epoch, description: 'The current epoch by default.' }),
    scope: filter.scope,
    from: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The first nonce; 0 by default. Needs `scope`.',
      }),
    ),
  }),
  response: responses('The proof.', Proof, 400, 401, 403, 404, 500),
};
