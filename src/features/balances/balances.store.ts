import { insertInto, locking, rowByKey, rowsOf, updateIn } from '../../database/declarations.ts';
import type { Tables } from '../../database/tables.ts';
import type { Reader, Transaction } from '../../database/work.ts';

export type BalanceRow = Pick<Tables['balances'], 'item_id' | 'quantity' | 'lots' | 'sequence'>;
export type EntryRow = Omit<Tables['balance_entries'], 'team_id' | 'roller_id'>;

const balanceOf = rowByKey('balances', { user_id: 'text', item_id: 'text' }, [
  'item_id',
  'quantity',
  'lots',
  'sequence',
]);

export const holdBalance = locking('balances', balanceOf);

const columns = { user_id: 'text', item_id: 'text', quantity: 'bigint', lots: 'text', sequence: 'bigint' } as const;

export const insertBalance = insertInto('balances', columns);
export const updateBalance = updateIn('balances', columns, { key: ['user_id', 'item_id'] });

export const insertEntry = insertInto('balance_entries', {
  roller_id: 'text',
  item_id: 'text',
  sequence: 'bigint',
  change: 'bigint',
  total: 'bigint',
  lots: 'text',
  cause: 'text',
  author: 'text',
  reason: 'text',
  request_id: 'text',
  created_at: 'bigint',
});

/** All balances of a user: one per currency. */
export const selectBalancesOf = (reader: Reader, userId: string): Promise<BalanceRow[]> =>
  rowsOf('balances', reader, { user_id: userId })
    .select(['item_id', 'quantity', 'lots', 'sequence'])
    .orderBy('item_id')
    .execute();

export const holdBalancesOf = (tx: Transaction, userId: string): Promise<BalanceRow[]> =>
  rowsOf('balances', tx, { user_id: userId })
    .select(['item_id', 'quantity', 'lots', 'sequence'])
    .orderBy('item_id')
    .forUpdate()
    .execute();

export const deleteBalancesOf = ({ queries, teamId }: Transaction, userId: string) =>
  queries.deleteFrom('balances').where('team_id', '=', teamId).where('user_id', '=', userId).execute();

/** Users who have units of an item, or owe some, up to a number. The index has only these. */
export const selectHoldersOf = (reader: Reader, itemId: string, limit: number) =>
  rowsOf('balances', reader, { item_id: itemId })
    .select('user_id')
    .where(({ eb, or }) => or([eb('quantity', '<>', 0), eb('lots', 'is not', null)]))
    .limit(limit)
    .execute();

const entryColumns = [
  'item_id',
  'sequence',
  'change',
  'total',
  'lots',
  'cause',
  'author',
  'reason',
  'request_id',
  'created_at',
] as const;

/** Entries of one balance, newest first. */
export const selectEntries = (
  reader: Reader,
  rollerId: string,
  itemId: string,
  before: number | undefined,
  limit: number,
): Promise<EntryRow[]> =>
  rowsOf('balance_entries', reader, { roller_id: rollerId, item_id: itemId })
    .select(entryColumns)
    .$if(before !== undefined, (query) => query.where('sequence', '<', before as number))
    .orderBy('sequence', 'desc')
    .limit(limit)
    .execute();

/** Entries of all balances of a user, in key order. */
export const selectAllEntries = (
  reader: Reader,
  rollerId: string,
  after: { readonly itemId: string; readonly sequence: number },
  limit: number,
): Promise<EntryRow[]> =>
  rowsOf('balance_entries', reader, { roller_id: rollerId })
    .select(entryColumns)
    .where(({ eb, refTuple, tuple }) => eb(refTuple('item_id', 'sequence'), '>', tuple(after.itemId, after.sequence)))
    .orderBy('item_id')
    .orderBy('sequence')
    .limit(limit)
    .execute();

/** Where a report continues: after an entry. */
export type ReportPosition = readonly [createdAt: number, rollerId: string, sequence: number];

/** Entries with paid units of a currency up to a moment, in the order of their index. */
export const selectPaidEntries = (reader: Reader, itemId: string, atMs: number, after: ReportPosition, limit: number) =>
  rowsOf('balance_entries', reader, { item_id: itemId })
    .select(['created_at', 'roller_id', 'sequence', 'lots'])
    .where('lots', 'is not', null)
    .where('created_at', '<=', atMs)
    .where(({ eb, refTuple, tuple }) => eb(refTuple('created_at', 'roller_id', 'sequence'), '>', tuple(...after)))
    .orderBy('created_at')
    .orderBy('roller_id')
    .orderBy('sequence')
    .limit(limit)
    .execute();
