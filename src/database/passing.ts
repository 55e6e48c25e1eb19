import type { Transaction } from './database.ts';

const sentOn = new WeakMap<object, Promise<unknown>[]>();

/**
 * Lets a statement that was sent go its way: the command goes on without waiting for it, since nothing depends on what
 * it answers. Statements of a transaction run in the order in which they were sent, so whatever comes later sees what it
 * did, and its failure is a failure of the command.
 */
export const inPassing = (tx: Transaction, sent: Promise<unknown>): void => {
  const all = sentOn.get(tx);
  if (all === undefined) throw new Error('a statement can go in passing only in a transaction that writes');
  all.push(sent);
  // Whoever ends the transaction hears of it.
  sent.catch(() => {});
};

/** Keeps what goes in passing on a connection that transactions use one after another. */
export const openPassing = (tx: object) => {
  const all: Promise<unknown>[] = [];
  sentOn.set(tx, all);
  return {
    /** Waits for all that was sent; fails with the first that failed. */
    settle: async (): Promise<void> => {
      if (all.length === 0) return;
      const outcomes = await Promise.allSettled(all.splice(0));
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    },
  };
};
