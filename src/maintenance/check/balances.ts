import { paidIn } from '../../engine/economy/balance.ts';
import { readLotChanges, readLots } from '../../features/balances/balances.service.ts';
import * as store from './queries.ts';
import { type Check, forEachRow } from './rows.ts';

interface Row {
  readonly team_id: string;
  readonly roller_id: string;
  readonly item_id: string;
  readonly sequence: number;
  readonly change: number;
  readonly total: number;
  readonly lots: string | null;
  readonly user_id: string | null;
  readonly quantity: number | null;
  readonly balance_lots: string | null;
  readonly balance_sequence: number | null;
}

/** What a ledger adds up to. */
interface Ledger {
  readonly last: Row;
  readonly paid: ReadonlyMap<string, number>;
}

const keyOf = (unitPrice: string | null, money: string | null): string => `${unitPrice} ${money}`;

/** What is wrong with an entry, given the one before it. */
const entryFault = (row: Row, last: Row | undefined): string | undefined => {
  const expected = (last?.sequence ?? 0) + 1;
  if (row.sequence !== expected) return `has change ${row.sequence} where change ${expected} should be`;
  if (row.total !== (last?.total ?? 0) + row.change)
    return `had ${last?.total ?? 0} units before change ${row.sequence} of ${row.change}, but ${row.total} afterwards`;
  const sum = readLotChanges(row).reduce((total, { quantity }) => total + quantity, 0);
  return sum === row.change ? undefined : `has change ${row.sequence} of ${row.change}, of which the units are ${sum}`;
};

/** The paid units of each price after an entry. */
const paidAfter = (row: Row, before: ReadonlyMap<string, number>): ReadonlyMap<string, number> => {
  if (row.lots === null) return before;
  const paid = new Map(before);
  for (const { quantity, unitPrice, money } of readLotChanges(row))
    if (unitPrice !== null) paid.set(keyOf(unitPrice, money), (paid.get(keyOf(unitPrice, money)) ?? 0) + quantity);
  return paid;
};

/** What is wrong with a balance, given all of its ledger. */
const endFault = ({ last, paid }: Ledger): string | undefined => {
  const { user_id, quantity, balance_lots, balance_sequence, sequence, total } = last;
  if (user_id === null) return total === 0 ? undefined : `belongs to nobody, but its ledger has ${total} units left`;
  if (quantity === null) return total === 0 ? undefined : `is missing, but its ledger has ${total} units`;
  if (balance_sequence !== sequence)
    return `says that it had ${balance_sequence} changes, but its ledger has ${sequence}`;
  const lots = readLots(balance_lots);
  const there = quantity + paidIn({ quantity, lots });
  if (there !== total) return `is ${there}, but its ledger adds up to ${total}`;
  const known = new Map(lots.map((lot) => [keyOf(lot.unitPrice, lot.money), lot.quantity]));
  for (const [key, units] of paid)
    if ((known.get(key) ?? 0) !== units)
      return `has ${known.get(key) ?? 0} units bought for ${key}, but its ledger has ${units}`;
  if (lots.some((lot) => lot.quantity <= 0)) return 'has a lot without units';
  return quantity < 0 && lots.length > 0 ? 'has paid units although some are owed' : undefined;
};

/** Balances must be what their ledgers add up to. */
export const checkBalances: Check = async (snapshot, report) => {
  let open: Ledger | undefined;
  const say = ({ team_id, item_id, user_id }: Row, fault: string | undefined): void => {
    if (fault !== undefined) report(team_id, `the balance of ${item_id} of ${user_id ?? 'a deleted user'} ${fault}`);
  };
  const close = (): void => {
    if (open !== undefined) say(open.last, endFault(open));
  };
  const entries = await forEachRow<Row>(snapshot, store.selectBalanceEntries(snapshot.queries), (row) => {
    const last = open?.last;
    const isSame = last?.team_id === row.team_id && last.roller_id === row.roller_id && last.item_id === row.item_id;
    if (!isSame) close();
    const before = isSame ? open : undefined;
    say(row, entryFault(row, before?.last));
    open = { last: row, paid: paidAfter(row, before?.paid ?? new Map()) };
  });
  close();
  const unfounded = store.selectUnfoundedBalances(snapshot.queries);
  await forEachRow(snapshot, unfounded, ({ team_id, user_id, item_id, owner }) =>
    report(
      team_id,
      owner === null
        ? `the balance of ${item_id} belongs to user ${user_id}, who does not exist`
        : `the balance of ${item_id} of ${user_id} has a last change that its ledger does not have`,
    ),
  );
  return entries;
};
