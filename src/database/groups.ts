import type { Database, Transaction } from './database.ts';

/** What became of one of a group: its value, or the refusal that is its own affair. */
export type Outcome<R> = { readonly value: R } | { readonly refusal: unknown };

/** Runs many requests of one key in one transaction; an outcome for each, in order. */
export type RunGroup<T, R> = (tx: Transaction, key: string, requests: readonly T[]) => Promise<Outcome<R>[]>;

interface Waiting<T, R> {
  readonly request: T;
  readonly resolve: (value: R) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Requests that arrive together under one key share a transaction, and each is answered after its commit. Whoever comes
 * until the transaction begins comes along.
 */
export const inGroups = <T, R>(
  database: Pick<Database, 'write'>,
  run: RunGroup<T, R>,
): ((key: string, request: T) => Promise<R>) => {
  const waitingByKey = new Map<string, Waiting<T, R>[]>();

  const take = (key: string): readonly Waiting<T, R>[] => {
    const taken = waitingByKey.get(key) ?? [];
    waitingByKey.delete(key);
    return taken;
  };

  const runGroup = async (key: string): Promise<void> => {
    let group: readonly Waiting<T, R>[] | undefined;
    try {
      const outcomes = await database.write((tx) => {
        // A second run, after a collision, is of the same requests.
        group ??= take(key);
        return run(
          tx,
          key,
          group.map(({ request }) => request),
        );
      });
      for (const [index, { resolve, reject }] of (group ?? []).entries()) {
        const outcome = outcomes[index] as Outcome<R>;
        if ('refusal' in outcome) reject(outcome.refusal);
        else resolve(outcome.value);
      }
    } catch (error) {
      for (const { reject } of group ?? take(key)) reject(error);
    }
  };

  return (key, request) =>
    new Promise((resolve, reject) => {
      const waiting = waitingByKey.get(key);
      const entry = { request, resolve, reject };
      if (waiting !== undefined) {
        waiting.push(entry);
        return;
      }
      waitingByKey.set(key, [entry]);
      runGroup(key);
    });
};
