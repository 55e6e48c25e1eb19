import type { Transaction } from './database.ts';

/** Work that commands leave to the end of their transaction, so that it is done once for all that share it. */
export interface Deferred<T> {
  add(tx: Transaction, entry: T): void;
}

interface Entry {
  readonly finish: (tx: Transaction, entries: readonly unknown[]) => void;
  readonly entry: unknown;
}

/** What the commands of one transaction have left to its end. */
export interface Ledger {
  /** Where the ledger stands, to return to if the command that comes now fails. */
  mark(): number;
  rewind(mark: number): void;
  /** Sends all that was left, in passing, and begins anew. */
  finish(tx: Transaction): void;
}

const entriesOf = new WeakMap<object, Entry[]>();

/** Opens the ledger of a connection that transactions use one after another. */
export const openLedger = (tx: object): Ledger => {
  const entries: Entry[] = [];
  entriesOf.set(tx, entries);
  return {
    mark: () => entries.length,
    rewind: (mark) => {
      entries.length = mark;
    },
    finish: (transaction) => {
      if (entries.length === 0) return;
      const byWork = Map.groupBy(entries, ({ finish }) => finish);
      entries.length = 0;
      for (const [finish, left] of byWork) {
        finish(
          transaction,
          left.map(({ entry }) => entry),
        );
      }
    },
  };
};

/** The work may wait for nothing: the commit is sent right behind it. */
export const deferred = <T>(work: (tx: Transaction, entries: readonly T[]) => undefined): Deferred<T> => {
  const finish = work as Entry['finish'];
  return {
    add: (tx, entry) => {
      const entries = entriesOf.get(tx);
      if (entries === undefined) throw new Error('work can be left only to the end of a transaction that writes');
      entries.push({ finish, entry });
    },
  };
};
