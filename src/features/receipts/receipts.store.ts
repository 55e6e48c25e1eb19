import { sql } from 'kysely';
import { insertInto, lockingLookup, lookup, updateIn } from '../../database/declarations.ts';
import type { Tables } from '../../database/tables.ts';
import type { Reader, Transaction } from '../../database/work.ts';

export type SeedsRow = Tables['fairness_seeds'];
export type ReceiptRow = Tables['receipts'];

/** Stands for no scope, in the rows of rotations. */
export const NO_SCOPE = '';

export const seedsOf = lookup({ userId: 'text' }, (queries, teamId, { userId }) =>
  queries.selectFrom('fairness_seeds').selectAll().where('team_id', '=', teamId).where('user_id', '=', userId),
);

export const holdSeeds = lockingLookup('fairness_seeds', seedsOf.keys, (queries, teamId, { userId }) =>
  queries
    .selectFrom('fairness_seeds')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .forUpdate(),
);

const SEEDS = {
  user_id: 'text',
  epoch: 'integer',
  seed: 'text',
  client_seed: 'text',
  manifest: 'text',
  rotation: 'text',
  next_seed: 'text',
} as const;

export const insertSeeds = insertInto('fairness_seeds', SEEDS);

export const updateSeeds = updateIn('fairness_seeds', SEEDS, { key: ['user_id'] });

export const insertReceipt = insertInto('receipts', {
  user_id: 'text',
  epoch: 'integer',
  scope: 'text',
  nonce: 'bigint',
  hash: 'text',
  receipt: 'text',
});

/** The last receipt of a scope in the user's current epoch. */
export const lastReceipt = lookup({ userId: 'text', scope: 'text' }, (queries, teamId, { userId, scope }) =>
  queries
    .selectFrom('receipts')
    .select(['nonce', 'hash'])
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .where('epoch', '=', (eb) =>
      eb
        .selectFrom('fairness_seeds')
        .select('epoch')
        .where('fairness_seeds.team_id', '=', teamId)
        .where('fairness_seeds.user_id', '=', userId),
    )
    .where('scope', '=', scope)
    .orderBy('nonce', 'desc')
    .limit(1),
);

/** The last receipt of each scope in an epoch. */
export const chainsOf = lookup({ userId: 'text', epoch: 'integer' }, (queries, teamId, { userId, epoch }) =>
  queries
    .selectFrom('receipts')
    .innerJoin(
      (eb) =>
        eb
          .selectFrom('receipts as every')
          .select((every) => ['every.scope as last_scope', every.fn.max('every.nonce').as('last_nonce')])
          .where('every.team_id', '=', teamId)
          .where('every.user_id', '=', userId)
          .where('every.epoch', '=', epoch)
          .where('every.scope', '<>', NO_SCOPE)
          .groupBy('every.scope')
          .as('last'),
      (join) => join.onRef('receipts.scope', '=', 'last.last_scope').onRef('receipts.nonce', '=', 'last.last_nonce'),
    )
    .select(['receipts.scope', 'receipts.nonce', 'receipts.hash'])
    .where('receipts.team_id', '=', teamId)
    .where('receipts.user_id', '=', userId)
    .where('receipts.epoch', '=', epoch),
);

export interface ReceiptPosition {
  readonly epoch: number;
  readonly scope: string;
  readonly nonce: number;
}

export interface ReceiptFilter {
  readonly epoch?: number;
  readonly scope?: string;
}

/** The receipts of a user after a position, by epoch, scope and nonce; each epoch begins with its rotation. */
export const selectReceipts = (
  reader: Reader,
  userId: string,
  { epoch, scope }: ReceiptFilter,
  { after, limit }: { after: ReceiptPosition | undefined; limit: number },
): Promise<ReceiptRow[]> => {
  let query = reader.queries
    .selectFrom('receipts')
    .selectAll()
    .where('team_id', '=', reader.teamId)
    .where('user_id', '=', userId)
    .orderBy('epoch')
    .orderBy('scope')
    .orderBy('nonce')
    .limit(limit);
  if (epoch !== undefined) query = query.where('epoch', '=', epoch);
  if (scope !== undefined) query = query.where('scope', '=', scope);
  if (after !== undefined)
    query = query.where(sql<boolean>`(epoch, scope, nonce) > (${after.epoch}, ${after.scope}, ${after.nonce})`);
  return query.execute();
};

export const holdSeedsOf = ({ queries, teamId }: Transaction, userId: string) =>
  queries
    .selectFrom('fairness_seeds')
    .select('user_id')
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .forUpdate()
    .execute();

export const deleteOf = async ({ queries, teamId }: Transaction, userId: string): Promise<void> => {
  for (const table of ['receipts', 'fairness_seeds'] as const)
    await queries.deleteFrom(table).where('team_id', '=', teamId).where('user_id', '=', userId).execute();
};
