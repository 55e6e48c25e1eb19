/** Makes something when it is first asked for, and then gives the same again. */
export const once = <T>(work: () => T): (() => T) => {
  let done: { result: T } | undefined;
  return () => {
    done ??= { result: work() };
    return done.result;
  };
};
