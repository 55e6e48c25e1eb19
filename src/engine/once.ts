/** Computes a value on first use, then returns the same value. */
export const once = <T>(work: () => T): (() => T) => {
  let done: { result: T } | undefined;
  return () => {
    done ??= { result: work() };
    return done.result;
  };
};
