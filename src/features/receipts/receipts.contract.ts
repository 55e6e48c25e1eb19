import { type Static, Type } from 'typebox';
import { Hash, Id, Nullable, Paging, responses, Strict } from '../../http/schemas.ts';
import { LIMITS } from '../../shared/limits.ts';
import { Consistency, Inclusion, LogHead } from '../log/public-log.contract.ts';

export const Epoch = Type.Integer({
  minimum: 0,
  maximum: LIMITS.epochs,
  description: 'Counts the server seeds of a player, from 0.',
});

export const RollFairness = Type.Object(
  {
    epoch: Epoch,
    nonce: Type.Integer({ description: "Number of the roll among all of the player's in the epoch, from 0." }),
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

export const ListedReceipt = Type.Object({ hash: Hash, receipt: Receipt }, { title: 'Receipt' });

const ProofLog = Type.Object(
  {
    head: Type.Union([LogHead, Type.Null()], { description: 'Null as long as the log is empty, as are the next two.' }),
    signature: Nullable(Type.String()),
    publicKey: Nullable(Type.String()),
    inclusions: Type.Array(Inclusion),
    pending: Type.Array(Hash, { description: 'Leaves that are not in the log yet; it takes about a second.' }),
    consistency: Type.Optional(Consistency),
  },
  { title: 'ProofLog', description: 'Shows that the rotations and manifests are in the public log of the team.' },
);

const Proof = Type.Object(
  {
    v: Type.Literal(2),
    epoch: Type.Union([Epoch, Type.Literal('all')], {
      description: 'What it has completely: this epoch, or all of them,',
    }),
    from: Type.Integer({ description: 'from this nonce on.' }),
    receipts: Type.Array(Receipt),
    snapshots: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Hash → canonical text of the manifests, configurations and pools that the receipts refer to.',
    }),
    log: ProofLog,
  },
  { title: 'Proof', description: 'Everything that is needed to check rolls without the service.' },
);

const tags = ['Fairness'];
const params = Strict({ userId: Id });
export const listReceipts = {
  operationId: 'listReceipts',
  summary: 'List the receipts of a player',
  description: 'By epoch and nonce, each epoch beginning with its rotation. Follow the `Link` header for more.',
  tags,
  params,
  querystring: Strict({ epoch: Type.Optional(Epoch), ...Paging }),
  response: responses('A page of receipts with their hashes.', Type.Array(ListedReceipt), 400, 401, 403, 404, 500),
};

export const getProof = {
  operationId: 'getProof',
  summary: 'Get a proof of rolls',
  description: `The receipts of an epoch, with the rotations that began and ended it, what came right before it, and all snapshots, as a file that the page at \`/verify\` and the command \`itemwright verify\` check. At most ${LIMITS.proofReceipts} receipts or ${LIMITS.proofLength / 1024 / 1024} MiB; for more, follow the \`Link\` header. With \`epoch=all\`, everything in one file, however long it is.`,
  tags,
  params,
  querystring: Strict({
    epoch: Type.Optional(
      Type.Union([Epoch, Type.Literal('all')], { description: 'The current epoch by default; `all` for every epoch.' }),
    ),
    from: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The first nonce; 0 by default. Not with `epoch=all`.',
      }),
    ),
    logFrom: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          'The size of a head of the public log that the player kept: then `log.consistency` shows that the log only grew since.',
      }),
    ),
  }),
  response: responses('The proof.', Proof, 400, 401, 403, 404, 500),
};
