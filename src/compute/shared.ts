import { unavailable } from '../shared/errors.ts';

/** Waits for a shared result, until `signal` aborts. */
export type Shared<T> = (signal?: AbortSignal) => Promise<T>;

/**
 * Does work once for all callers. The result is kept, but a failure is not, so that the next caller retries. The work
 * is aborted once every waiting caller has left.
 */
export const share = <T>(work: (signal: AbortSignal) => Promise<T>): Shared<T> => {
  let known: { readonly value: T } | undefined;
  let current: { readonly promise: Promise<T>; readonly abort: AbortController; waiting: number } | undefined;

  const begin = () => {
    const abort = new AbortController();
    const begun = { promise: work(abort.signal), abort, waiting: 0 };
    begun.promise
      .then((value) => {
        known = { value };
      })
      .catch(() => {})
      .finally(() => {
        if (current === begun) current = undefined;
      });
    return begun;
  };

  return async (signal) => {
    if (known !== undefined) return known.value;
    current ??= begin();
    const waited = current;
    waited.waiting += 1;
    if (signal === undefined) return waited.promise;
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    const onAbort = (): void => leave();
    if (signal.aborted) leave();
    signal.addEventListener('abort', onAbort);
    try {
      return await Promise.race([
        waited.promise,
        left.then(() => {
          throw unavailable(signal.reason);
        }),
      ]);
    } finally {
      signal.removeEventListener('abort', onAbort);
      waited.waiting -= 1;
      if (signal.aborted && waited.waiting === 0) {
        if (current === waited) current = undefined;
        waited.abort.abort(signal.reason);
      }
    }
  };
};
