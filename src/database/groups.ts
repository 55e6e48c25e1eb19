/** What became of one of a group: its value, or the refusal that is its own affair. */
export type Outcome<R> = { readonly value: R } | { readonly refusal: unknown };

/**
 * Runs many requests of one key together; an outcome for each, in order. `take` gives those that have come until it is
 * called first, and the same again afterwards.
 */
export type RunGroup<T, R> = (key: string, take: () => readonly T[]) => Promise<Outcome<R>[]>;

interface Waiting<T, R> {
  readonly request: T;
  readonly resolve: (value: R) => void;
  readonly reject: (error: unknown) => void;
}

/** One group is written while the next one is made; more at once would only be smaller, and cost as much each. */
const GROUPS_UNDER_WAY = 2;

interface Queue<T, R> {
  waiting: Waiting<T, R>[];
  underWay: number;
  /** How many the last group had. */
  lastSize: number;
}

/**
 * Requests that arrive together under one key share a transaction, and each is answered after its commit. Whoever comes
 * until the transaction begins comes along.
 */
export const inGroups = <T, R>(run: RunGroup<T, R>): ((key: string, request: T) => Promise<R>) => {
  const queues = new Map<string, Queue<T, R>>();

  const take = (queue: Queue<T, R>): readonly Waiting<T, R>[] => {
    const taken = queue.waiting;
    queue.waiting = [];
    queue.lastSize = taken.length;
    return taken;
  };

  const runGroup = async (key: string, queue: Queue<T, R>): Promise<void> => {
    let group: readonly Waiting<T, R>[] | undefined;
    try {
      const outcomes = await run(key, () => {
        group ??= take(queue);
        return group.map(({ request }) => request);
      });
      for (const [index, { resolve, reject }] of (group ?? []).entries()) {
        const outcome = outcomes[index] as Outcome<R>;
        if ('refusal' in outcome) reject(outcome.refusal);
        else resolve(outcome.value);
      }
    } catch (error) {
      for (const { reject } of group ?? take(queue)) reject(error);
    }
  };

  const start = (key: string, queue: Queue<T, R>): void => {
    queue.underWay += 1;
    queue.lastSize = Number.POSITIVE_INFINITY;
    runGroup(key, queue).then(() => {
      queue.underWay -= 1;
      if (queue.waiting.length > 0) start(key, queue);
      else if (queue.underWay === 0) queues.delete(key);
    });
  };

  return (key, request) =>
    new Promise((resolve, reject) => {
      let queue = queues.get(key);
      if (queue === undefined) {
        queue = { waiting: [], underWay: 0, lastSize: 0 };
        queues.set(key, queue);
      }
      queue.waiting.push({ request, resolve, reject });
      // Beside a group that is being written another starts once as many wait for it; else it starts when that one ends.
      const { waiting, underWay, lastSize } = queue;
      if (underWay === 0 || (underWay < GROUPS_UNDER_WAY && waiting.length >= lastSize)) start(key, queue);
    });
};
