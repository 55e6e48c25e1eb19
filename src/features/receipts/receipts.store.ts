import { insertInto, locking, lookup, updateIn } from '../../database/declarations.ts';
import type { Tables } from '../../database/tables.ts';
import type { Reader, Transaction } from '../../database/work.ts';

export type SeedsRow = Tables['player_seeds'];
export type ReceiptRow = Tables['player_receipts'];

export const seedsOf = lookup({ userId: 'text' }, (queries, teamId, { userId }) =>
  queries.selectFrom('player_seeds').selectAll().where('team_id', '=', teamId).where('user_id', '=', userId),
);

export const holdSeeds = locking('player_seeds', seedsOf);

const SEEDS = {
  user_id: 'text',
  epoch: 'integer',
  seed: 'text',
  client_seed: 'text',
  manifest: 'text',
  rotation: 'text',
  next_seed: 'text',
} as const;

export const insertSeeds = insertInto('player_seeds', SEEDS);

export const updateSeeds = updateIn('player_seeds', SEEDS, { key: ['user_id'] });

export const insertReceipt = insertInto('player_receipts', {
  user_id: 'text',
  epoch: 'integer',
  nonce: 'bigint',
  series: 'text',
  hash: 'text',
  receipt: 'text',
});

export interface ReceiptPosition {
  readonly epoch: number;
  readonly nonce: number;
}

export const receiptAt = lookup(
  { userId: 'text', epoch: 'integer', nonce: 'bigint' },
  (queries, teamId, { userId, epoch, nonce }) =>
    queries
      .selectFrom('player_receipts')
      .selectAll()
      .where('team_id', '=', teamId)
      .where('user_id', '=', userId)
      .where('epoch', '=', epoch)
      .where('nonce', '=', nonce),
);

/** The last receipt of each series in an epoch, before a nonce. */
export const lastOfSeries = lookup(
  { userId: 'text', epoch: 'integer', before: 'bigint' },
  (queries, teamId, { userId, epoch, before }) =>
    queries
      .selectFrom('player_receipts')
      .select(({ fn }) => ['series', fn.max('nonce').as('nonce')])
      .where('team_id', '=', teamId)
      .where('user_id', '=', userId)
      .where('epoch', '=', epoch)
      // Not the rotation.
      .where('nonce', '>=', 0)
      .where('nonce', '<', before)
      .groupBy('series'),
);

/** The receipts of a user after a position, by epoch and nonce; each epoch begins with its rotation. */
export const selectReceipts = (
  { queries, teamId }: Reader,
  userId: string,
  { epoch }: { readonly epoch?: number | undefined },
  { after, limit }: { after: ReceiptPosition | undefined; limit: number },
): Promise<ReceiptRow[]> => {
  let query = queries
    .selectFrom('player_receipts')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .orderBy('epoch')
    .orderBy('nonce')
    .limit(limit);
  if (epoch !== undefined) query = query.where('epoch', '=', epoch);
  if (after !== undefined)
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('epoch', 'nonce'), '>', tuple(after.epoch, after.nonce)),
    );
  return query.execute();
};

export const holdSeedsOf = ({ queries, teamId }: Transaction, userId: string) =>
  queries
    .selectFrom('player_seeds')
    .select('user_id')
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .forUpdate()
    .execute();

export const deleteOf = async ({ queries, teamId }: Transaction, userId: string): Promise<void> => {
  for (const table of ['player_receipts', 'player_seeds'] as const)
    await queries.deleteFrom(table).where('team_id', '=', teamId).where('user_id', '=', userId).execute();
};
