import { ask, type Hold, holding } from '../../database/declarations.ts';
import type { Page, Paged } from '../../database/paging.ts';
import { type Finder, holdAll, type Read, type Reader, type Transaction, type Work } from '../../database/work.ts';
import {
  addUnits,
  type Balance,
  type BalanceChange as Change,
  EMPTY_BALANCE,
  type LotChange,
  type PaidLot,
  paidIn,
  plainDecimal,
  type Spending,
  takeBackUnits,
  takeUnits,
  totalOf,
  type UnitPrice,
} from '../../engine/economy/balance.ts';
import type { Context } from '../../shared/context.ts';
import { conflict, type Issue, notFound, throwIfAny } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { isoTime } from '../../shared/time.ts';
import type { Catalogs, TeamCatalog } from '../compiled-catalog/compiled-catalog.service.ts';
import type { Cause } from '../history/history.service.ts';
import { askLockedUser, ensureUser, findKnownUser, getUser, type KnownUser } from '../users/users.service.ts';
import type {
  BalanceChange,
  BalanceEntry,
  BalanceReport,
  Consumed,
  Consumption,
  GivenBalance,
  NewUnits,
  Balance as ShownBalance,
} from './balances.contract.ts';
import * as store from './balances.store.ts';

/** Why a balance changed. */
export type BalanceCause = Cause | 'consumed' | `grant:${string}` | `revoked:${string}` | 'user deleted';

export interface BalanceDeps {
  readonly catalogs: Catalogs;
}

/** Units of a currency. */
export interface Amount {
  readonly itemId: string;
  readonly quantity: number;
}

/** A lot in its stored form, without the names of its members. */
type StoredLot = readonly [quantity: number, sinceMs: number, unitPrice: string, money: string];
type StoredLotChange = readonly [quantity: number, unitPrice: string | null, money: string | null];

/** The lots of a row. */
export const readLots = (lots: string | null): PaidLot[] =>
  lots === null
    ? []
    : (JSON.parse(lots) as StoredLot[]).map(([quantity, sinceMs, unitPrice, money]) => ({
        ...{ quantity, sinceMs, unitPrice, money },
      }));

const lotsText = (lots: readonly PaidLot[]): string | null =>
  lots.length === 0
    ? null
    : JSON.stringify(
        lots.map(({ quantity, sinceMs, unitPrice, money }): StoredLot => [quantity, sinceMs, unitPrice, money]),
      );

const lotChangesText = (lots: readonly LotChange[]): string | null =>
  lots.every(({ price }) => price === null)
    ? null
    : JSON.stringify(
        lots.map(({ quantity, price }): StoredLotChange => [quantity, price?.unitPrice ?? null, price?.money ?? null]),
      );

/** Which units a change concerned: free ones if nothing is said. */
export const readLotChanges = ({ change, lots }: Pick<store.EntryRow, 'change' | 'lots'>) =>
  (lots === null ? [[change, null, null] as StoredLotChange] : (JSON.parse(lots) as StoredLotChange[])).map(
    ([quantity, unitPrice, money]) => ({ quantity, unitPrice, money }),
  );

const balanceIn = ({ quantity, lots }: Pick<store.BalanceRow, 'quantity' | 'lots'>): Balance => ({
  quantity,
  lots: readLots(lots),
});

const shownLots = (lots: readonly LotChange[]) =>
  lots.map(({ quantity, price }) => ({ quantity, unitPrice: price?.unitPrice ?? null, money: price?.money ?? null }));

/** Writes an entry of the ledger, and records its event. */
const writeEntry = (work: Work, user: KnownUser, row: store.EntryRow & { readonly roller_id: string }): void => {
  work.write(store.insertEntry, row);
  const { item_id: itemId, sequence, change, total } = row;
  work.record({
    ...{ type: 'balance.changed', nowMs: row.created_at, requestId: row.request_id, user, cause: row.cause },
    data: () =>
      JSON.stringify({ itemId, sequence, change, before: total - change, after: total, lots: readLotChanges(row) }),
  });
};

/** A balance that a command has locked, and what it does to it. */
interface Account {
  readonly row: store.BalanceRow | undefined;
  balance: Balance;
  sequence: number;
}

/**
 * Some balances of a user, locked by a command. What it does to them is written when it is saved, each balance once, however
 * often it changed.
 */
export class Wallet {
  readonly #work: Work;
  readonly #context: Context;
  readonly #userId: string;
  readonly #currencies: ReadonlyMap<string, Spending>;
  readonly #accounts = new Map<string, Account>();
  readonly #entries: Omit<store.EntryRow, 'author' | 'reason' | 'request_id' | 'created_at'>[] = [];

  constructor(
    work: Work,
    context: Context,
    userId: string,
    { catalog }: Pick<TeamCatalog, 'catalog'>,
    rows: ReadonlyMap<string, store.BalanceRow | undefined>,
  ) {
    this.#work = work;
    this.#context = context;
    this.#userId = userId;
    this.#currencies = catalog.currencies;
    for (const [itemId, row] of rows)
      this.#accounts.set(itemId, {
        row,
        balance: row === undefined ? EMPTY_BALANCE : balanceIn(row),
        sequence: row?.sequence ?? 0,
      });
  }

  total(itemId: string): number {
    return totalOf(this.#account(itemId).balance);
  }

  /** At how many prices the user has units. */
  lotCount(itemId: string): number {
    return this.#account(itemId).balance.lots.length;
  }

  /** Whether so many units could be added. */
  hasRoomFor(itemId: string, quantity: number): boolean {
    return this.total(itemId) + quantity <= LIMITS.balance;
  }

  add({ itemId, quantity }: Amount, price: UnitPrice | null, cause: BalanceCause): BalanceChange {
    if (!this.hasRoomFor(itemId, quantity)) throw new Error('A balance would be larger than any may be.');
    return this.#change(
      itemId,
      quantity,
      addUnits(this.#account(itemId).balance, quantity, price, this.#context.nowMs),
      cause,
    );
  }

  /** Takes units, of which there must be enough. */
  take({ itemId, quantity }: Amount, cause: BalanceCause): BalanceChange {
    const spending = this.#currencies.get(itemId) ?? 'freeFirst';
    return this.#change(itemId, -quantity, takeUnits(this.#account(itemId).balance, quantity, spending), cause);
  }

  /** Takes units back, of which there may be fewer: the rest is owed. Returns also how many of them are. */
  takeBack(
    { itemId, quantity }: Amount,
    price: UnitPrice | null,
    cause: BalanceCause,
  ): BalanceChange & { owed: number } {
    const { balance } = this.#account(itemId);
    const owed = Math.min(quantity, Math.max(0, quantity - Math.max(0, totalOf(balance))));
    return { ...this.#change(itemId, -quantity, takeBackUnits(balance, quantity, price), cause), owed };
  }

  /** Writes what was done; must be called once, at the end. */
  save({ roller_id }: Pick<KnownUser, 'roller_id'>): void {
    const { author, reason, requestId, nowMs } = this.#context;
    for (const [itemId, { row, balance, sequence }] of this.#accounts) {
      if (sequence === (row?.sequence ?? 0)) continue;
      const { quantity, lots } = balance;
      const next = { user_id: this.#userId, item_id: itemId, quantity, lots: lotsText(lots), sequence };
      this.#work.write(row === undefined ? store.insertBalance : store.updateBalance, next);
    }
    const by = { author: author.name, reason, request_id: requestId, created_at: nowMs };
    const user = { id: this.#userId, roller_id };
    for (const entry of this.#entries) writeEntry(this.#work, user, { roller_id, ...entry, ...by });
  }

  #account(itemId: string): Account {
    const account = this.#accounts.get(itemId);
    if (account === undefined) throw new Error(`The balance of ${itemId} is not locked.`);
    return account;
  }

  #change(itemId: string, change: number, { balance, lots }: Change, cause: BalanceCause): BalanceChange {
    const account = this.#account(itemId);
    account.balance = balance;
    account.sequence += 1;
    const total = totalOf(balance);
    const { sequence } = account;
    this.#entries.push({ item_id: itemId, sequence, change, total, lots: lotChangesText(lots), cause });
    return { itemId, change, total, lots: shownLots(lots) };
  }
}

/** What stands where an item instance would. */
export const givenBalance = ({ itemId, change, total }: BalanceChange): GivenBalance => ({
  itemId,
  quantity: change,
  total,
});

/** A wallet, and its user; undefined if there is none with that id. */
export interface HeldWallet {
  readonly wallet: Wallet;
  readonly user: KnownUser | undefined;
}

/**
 * Balances of a user, until the end of the transaction. The user is locked as well, since balances do not refer to users: one
 * that is added while the user is deleted would stay.
 */
export const holdWallet = (
  work: Work,
  context: Context,
  userId: string,
  itemIds: readonly string[],
  team: TeamCatalog,
): Hold<HeldWallet> =>
  holding(
    [askLockedUser(userId), ...itemIds.map((itemId) => ask(store.holdBalance, { user_id: userId, item_id: itemId }))],
    ([user], ...balances) => {
      const rows = (balances as (readonly store.BalanceRow[])[]).map(([row]) => row);
      return {
        wallet: new Wallet(work, context, userId, team, new Map(itemIds.map((itemId, index) => [itemId, rows[index]]))),
        user: user as KnownUser | undefined,
      };
    },
  );

const currencyFault = ({ catalog }: TeamCatalog, itemId: string, path: string): Issue[] =>
  catalog.currencies.has(itemId) ? [] : [{ path, message: 'is not a currency of this team' }];

/** What is wrong with a price of which only a part is given. */
const priceFaults = ({ unitPrice, money }: Partial<UnitPrice>, path: string): Issue[] =>
  (unitPrice === undefined) === (money === undefined)
    ? []
    : [
        {
          path: `${path}/${unitPrice === undefined ? 'unitPrice' : 'money'}`,
          message: 'is required: a price needs both a number and its money',
        },
      ];

/** What is wrong with units that are to be added. */
export const unitsFaults = (team: TeamCatalog, units: NewUnits, path: string): Issue[] => [
  ...currencyFault(team, units.itemId, `${path}/itemId`),
  ...priceFaults(units, path),
];

/** What units cost; null for free ones. */
export const priceOf = ({ unitPrice, money }: Partial<UnitPrice>): UnitPrice | null =>
  unitPrice === undefined || money === undefined ? null : { unitPrice: plainDecimal(unitPrice), money };

/** Adds units; 409 if the balance cannot have them. */
export const addTo = (wallet: Wallet, units: NewUnits, cause: BalanceCause, path: string): BalanceChange => {
  const { itemId, quantity } = units;
  if (!wallet.hasRoomFor(itemId, quantity))
    throw conflict({ path: `${path}/quantity`, message: `would make more than ${LIMITS.balance} units` });
  const change = wallet.add({ itemId, quantity }, priceOf(units), cause);
  if (wallet.lotCount(itemId) > LIMITS.lotsPerBalance)
    throw conflict({
      path: `${path}/unitPrice`,
      message: `would be one of more than ${LIMITS.lotsPerBalance} prices at which the user has units`,
    });
  return change;
};

export const addToBalance = async (
  work: Work,
  context: Context,
  userId: string,
  units: NewUnits,
  { catalogs }: BalanceDeps,
): Promise<BalanceChange> => {
  const team = await catalogs.currentForPlacing(work);
  throwIfAny(unitsFaults(team, units, '/body'));
  const [{ wallet, user }] = await holdAll(work, holdWallet(work, context, userId, [units.itemId], team));
  const change = addTo(wallet, units, 'request', '/body');
  wallet.save(ensureUser(work, context, userId, user === undefined ? [] : [user]));
  return change;
};

/** What a user lacks of some amounts. */
export const missingUnits = (wallet: Wallet, amounts: readonly Amount[], pathOf: (index: number) => string): Issue[] =>
  amounts.flatMap(({ itemId, quantity }, index) => {
    const total = wallet.total(itemId);
    const missing = quantity - total;
    return missing <= 0
      ? []
      : [
          {
            path: pathOf(index),
            message: `needs ${quantity} of ${itemId}, and the user has ${total}: ${missing} are missing`,
          },
        ];
  });

export const consumeUnits = async (
  work: Work,
  context: Context,
  userId: string,
  { units }: Consumption,
  { catalogs }: BalanceDeps,
): Promise<Consumed> => {
  const team = await catalogs.currentForPlacing(work);
  const itemIds = units.map(({ itemId }) => itemId);
  throwIfAny(
    itemIds.flatMap((itemId, index) => {
      const path = `/body/units/${index}/itemId`;
      const earlier = itemIds.indexOf(itemId);
      if (earlier < index) return [{ path, message: `duplicates the entry at ${earlier}` }];
      return currencyFault(team, itemId, path);
    }),
  );
  const [{ wallet, user }] = await holdAll(work, holdWallet(work, context, userId, itemIds, team));
  if (user === undefined) throw notFound();
  throwIfAny(
    missingUnits(wallet, units, (index) => `/body/units/${index}/quantity`),
    'CONFLICT',
  );
  const consumed = units.map((amount) => wallet.take(amount, 'consumed'));
  wallet.save(user);
  return { consumed };
};

export const listBalances = async (
  reader: Reader,
  userId: string,
  { lots: withLots = false }: { readonly lots?: boolean },
): Promise<ShownBalance[]> => {
  await getUser(reader, userId);
  const rows = await store.selectBalancesOf(reader, userId);
  return rows.flatMap((row): ShownBalance[] => {
    if (row.quantity === 0 && row.lots === null) return [];
    const balance = balanceIn(row);
    const free = { quantity: balance.quantity, unitPrice: null, money: null, since: null };
    const paid = balance.lots.map(({ sinceMs, ...lot }) => ({ ...lot, since: isoTime(sinceMs) }));
    return [
      {
        ...{ itemId: row.item_id, quantity: totalOf(balance), paid: paidIn(balance), free: balance.quantity },
        ...(withLots && { lots: [...(balance.quantity === 0 ? [] : [free]), ...paid] }),
      },
    ];
  });
};

const toEntry = (row: store.EntryRow): BalanceEntry => ({
  sequence: row.sequence,
  itemId: row.item_id,
  change: row.change,
  before: row.total - row.change,
  after: row.total,
  lots: readLotChanges(row),
  cause: row.cause,
  author: row.author,
  reason: row.reason,
  requestId: row.request_id,
  createdAt: isoTime(row.created_at),
});

const getKnownUser = async (finder: Finder, userId: string): Promise<KnownUser> => {
  const user = await findKnownUser(finder, userId);
  if (user === undefined) throw notFound();
  return user;
};

/** The changes of one balance, newest first. They are numbered, so the number serves as the cursor. */
export const listBalanceHistory = async (
  reader: Reader,
  { userId, itemId }: { readonly userId: string; readonly itemId: string },
  { limit, after }: Page,
): Promise<Paged<BalanceEntry>> => {
  const { roller_id } = await getKnownUser(reader, userId);
  const found = await store.selectEntries(reader, roller_id, itemId, after?.createdAtMs, limit + 1);
  const rows = found.slice(0, limit).map(toEntry);
  const last = rows.at(-1);
  return found.length > limit && last ? { rows, next: { createdAtMs: last.sequence, id: itemId } } : { rows };
};

/** The changes of all balances of a user, for an export. */
export const listAllBalanceHistory = async (
  reader: Reader,
  userId: string,
  { limit, after }: Page,
): Promise<Paged<BalanceEntry>> => {
  const { roller_id } = await getKnownUser(reader, userId);
  const position = { itemId: after?.id ?? '', sequence: after?.createdAtMs ?? 0 };
  const found = await store.selectAllEntries(reader, roller_id, position, limit + 1);
  const rows = found.slice(0, limit).map(toEntry);
  const last = rows.at(-1);
  return found.length > limit && last ? { rows, next: { createdAtMs: last.sequence, id: last.itemId } } : { rows };
};

/** Adds up what each price has left, a part of the ledger at a time, so that no snapshot is held meanwhile. */
export const reportBalances = async (
  read: Read,
  { teamId, nowMs }: Context,
  { itemId, at }: { readonly itemId: string; readonly at?: string },
  { catalogs }: BalanceDeps,
): Promise<BalanceReport> => {
  const atMs = at === undefined ? nowMs : Date.parse(at);
  await read(teamId, async (reader) => {
    throwIfAny(currencyFault(await catalogs.current(reader), itemId, '/query/itemId'));
  });
  const sums = new Map<string, number>();
  let after: store.ReportPosition | undefined = [-1, '', 0];
  while (after !== undefined) {
    const from: store.ReportPosition = after;
    const rows = await read(teamId, (reader) =>
      store.selectPaidEntries(reader, itemId, atMs, from, LIMITS.reportedEntries),
    );
    for (const { lots } of rows)
      for (const [quantity, unitPrice, money] of JSON.parse(lots as string) as StoredLotChange[])
        if (unitPrice !== null) {
          const key = JSON.stringify([money, unitPrice]);
          sums.set(key, (sums.get(key) ?? 0) + quantity);
        }
    const last = rows.at(-1);
    after =
      last === undefined || rows.length < LIMITS.reportedEntries
        ? undefined
        : [last.created_at, last.roller_id, last.sequence];
  }
  const prices = [...sums]
    .filter(([, quantity]) => quantity !== 0)
    .map(([key, quantity]) => {
      const [money, unitPrice] = JSON.parse(key) as [string, string];
      return { unitPrice, money, quantity };
    })
    .sort((one, other) =>
      one.money < other.money ? -1 : one.money > other.money ? 1 : Number(one.unitPrice) - Number(other.unitPrice),
    );
  return { itemId, at: isoTime(atMs), quantity: prices.reduce((sum, { quantity }) => sum + quantity, 0), prices };
};

/** Somebody who has units of an item, if anybody has. */
export const findHolderOf = async (reader: Reader, itemId: string): Promise<string | undefined> =>
  (await store.selectHoldersOf(reader, itemId, 1))[0]?.user_id;

/** How many users have units of an item; counts up to a number. */
export const countHoldersOf = async (reader: Reader, itemId: string, most: number): Promise<number> =>
  (await store.selectHoldersOf(reader, itemId, most)).length;

/** Keeps balances of a user who is being deleted from changing. */
export const holdBalancesOf = async (tx: Transaction, userId: string): Promise<void> => {
  await store.holdBalancesOf(tx, userId);
};

/** Takes what a user who is being deleted has left, so that the ledger adds up. The user must be locked. */
export const deleteBalancesOf = async (
  tx: Transaction,
  { nowMs, requestId, author, reason }: Context,
  { userId, rollerId }: { readonly userId: string; readonly rollerId: string },
): Promise<void> => {
  for (const row of await store.holdBalancesOf(tx, userId)) {
    const { quantity, lots } = balanceIn(row);
    const total = totalOf({ quantity, lots });
    if (quantity === 0 && lots.length === 0) continue;
    const taken: LotChange[] = [
      ...(quantity === 0 ? [] : [{ quantity: -quantity, price: null }]),
      ...lots.map(({ quantity, unitPrice, money }) => ({ quantity: -quantity, price: { unitPrice, money } })),
    ];
    writeEntry(
      tx,
      { id: userId, roller_id: rollerId },
      {
        ...{ roller_id: rollerId, item_id: row.item_id, sequence: row.sequence + 1, change: -total, total: 0 },
        ...{ lots: lotChangesText(taken), cause: 'user deleted', author: author.name, reason },
        ...{ request_id: requestId, created_at: nowMs },
      },
    );
  }
  await store.deleteBalancesOf(tx, userId);
};
