import { insertInto, locking, lookup, rowsOf, updateIn } from '../../database/declarations.ts';
import type { Tables } from '../../database/tables.ts';
import type { Reader, Transaction } from '../../database/work.ts';

export type SeedsRow = Tables['player_seeds'];
export type ReceiptRow = Tables['player_receipts'];

export const seedsOf = lookup({ userId: 'text' }, (queries, teamId, { userId }) =>
  rowsOf('player_seeds', { queries, teamId }, { user_id: userId }).selectAll(),
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

/** Receipts that follow each other; or one, of a rotation. */
export const insertReceipts = insertInto('player_receipts', {
  user_id: 'text',
  epoch: 'integer',
  nonce: 'bigint',
  count: 'integer',
  series: 'text',
  hash: 'text',
  receipts: 'text',
});

export interface ReceiptPosition {
  readonly epoch: number;
  readonly nonce: number;
}

/** The row that begins with a nonce, or the last one before it. */
export const receiptsAt = lookup(
  { userId: 'text', epoch: 'integer', nonce: 'bigint' },
  (queries, teamId, { userId, epoch, nonce }) =>
    rowsOf('player_receipts', { queries, teamId }, { user_id: userId, epoch })
      .selectAll()
      .where('nonce', '<=', nonce)
      .orderBy('nonce', 'desc')
      .limit(1),
);

/** The last receipt of each series in an epoch, before a nonce or in the row with it. */
export const lastOfSeries = lookup(
  { userId: 'text', epoch: 'integer', before: 'bigint' },
  (queries, teamId, { userId, epoch, before }) =>
    rowsOf('player_receipts', { queries, teamId }, { user_id: userId, epoch })
      .select((eb) => ['series', eb.fn.max(eb('nonce', '+', eb('count', '-', 1))).as('nonce')])
      // Not the rotation.
      .where('nonce', '>=', 0)
      .where('nonce', '<', before)
      .groupBy('series'),
);

/** Rows of a user from a position on, by epoch and nonce; each epoch begins with its rotation. */
export const selectReceipts = (
  reader: Reader,
  userId: string,
  { epoch }: { readonly epoch?: number | undefined },
  { from, limit }: { from: ReceiptPosition | undefined; limit: number },
): Promise<ReceiptRow[]> => {
  let query = rowsOf('player_receipts', reader, { user_id: userId })
    .selectAll()
    .orderBy('epoch')
    .orderBy('nonce')
    .limit(limit);
  if (epoch !== undefined) query = query.where('epoch', '=', epoch);
  if (from !== undefined)
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('epoch', 'nonce'), '>=', tuple(from.epoch, from.nonce)),
    );
  return query.execute();
};

export const holdSeedsOf = (tx: Transaction, userId: string) =>
  rowsOf('player_seeds', tx, { user_id: userId }).select('user_id').forUpdate().execute();

export const deleteOf = async ({ queries, teamId }: Transaction, userId: string): Promise<void> => {
  for (const table of ['player_receipts', 'player_seeds'] as const)
    await queries.deleteFrom(table).where('team_id', '=', teamId).where('user_id', '=', userId).execute();
};
