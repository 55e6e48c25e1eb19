import { type Static, Type } from 'typebox';
import { Hash, Id, Nullable, responses, Strict, UserId } from '../../http/schemas.ts';
import { Epoch, Receipt } from '../receipts/receipts.contract.ts';

/** Like the id of a user, it comes from elsewhere. */
const ClientSeed = {
  ...UserId,
  description:
    "Chosen on the player's side, and different from the last one: 1 to 191 characters other than control characters, used exactly as given.",
  examples: ['lucky ☘'],
};

const members = {
  userId: Id,
  epoch: Nullable(Epoch, { description: 'The current epoch; null before the first rotation.' }),
  commitment: Nullable(Hash, {
    description: 'The hash of the server seed of this epoch. The seed stays hidden until the epoch ends.',
  }),
  clientSeed: Nullable(Type.String(), { description: "The player's part of every draw." }),
  manifest: Nullable(Hash, { description: 'The hash of the list of configurations that this epoch is for.' }),
  nextCommitment: {
    ...Hash,
    description: 'The hash of the next server seed. Show it to the player before they choose a client seed.',
  },
  nextManifest: {
    ...Hash,
    description:
      'The hash of the list of configurations that a rotation would fix now. Show it to the player together with the commitment.',
  },
  rotation: Nullable(Hash, { description: 'The hash of the receipt with which the epoch began.' }),
  nonce: Nullable(Type.Integer(), {
    description: 'The nonce of the next roll: the number of rolls in this epoch so far.',
  }),
  head: Nullable(Hash, { description: 'The hash of the last receipt.' }),
  mustRotate: Type.Boolean({
    description: 'Whether some verifiable rolls are rejected until the player chooses another client seed.',
  }),
};

const PlayerFairness = Type.Object(members, {
  title: 'PlayerFairness',
  description: 'What a player needs to know to verify rolls.',
});
export type PlayerFairness = Static<typeof PlayerFairness>;

const Rotated = Type.Object({ ...members, receipt: Receipt }, { title: 'Rotated' });
export type Rotated = Static<typeof Rotated>;

const RotateRequest = Strict(
  {
    clientSeed: ClientSeed,
    commitment: { ...Hash, description: 'The `nextCommitment` that was shown to whoever chose the client seed.' },
    manifest: { ...Hash, description: 'The `nextManifest` that was shown to whoever chose the client seed.' },
  },
  {
    title: 'RotateRequest',
    examples: [
      {
        clientSeed: 'lucky ☘',
        commitment: '630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd',
        manifest: '07ad0e99ac3661bbb5c20ee9c90bd1899f6fff6cdb6fee8cd2d97c1021afc421',
      },
    ],
  },
);
export type RotateRequest = Static<typeof RotateRequest>;

const tags = ['Fairness'];
const known = Strict({ userId: Id });

export const startFairness = {
  operationId: 'startFairness',
  summary: 'Commit to a server seed for a player',
  description:
    'Creates the player and the first server seed if they do not exist, and otherwise changes nothing. Show `nextCommitment` and `nextManifest` to the player, then rotate with the client seed that they choose.',
  tags,
  params: Strict({ userId: UserId }),
  response: responses('The state of the player.', PlayerFairness, 400, 401, 403, 500),
};

export const getFairness = {
  operationId: 'getFairness',
  summary: 'Get the seeds of a player',
  description: 'The hidden server seeds are left out.',
  tags,
  params: known,
  response: responses('The state of the player.', PlayerFairness, 400, 401, 403, 404, 500),
};

export const rotateFairness = {
  operationId: 'rotateFairness',
  summary: "Begin a new epoch with the player's client seed",
  description:
    'Reveals the server seed of the epoch that ends, so that all its rolls can be verified. Begins the next epoch with the server seed that was committed to and the configurations that are in force now, and commits to another seed. 409 if `commitment` is not the `nextCommitment`, or `manifest` not the `nextManifest`: then show the player the new ones, and let them choose another client seed, since this one is known.',
  tags,
  params: known,
  body: RotateRequest,
  response: responses('The state of the player, and the receipt.', Rotated, 400, 401, 403, 404, 409, 500),
};
