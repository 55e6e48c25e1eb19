/** Work that may be interrupted wherever it yields, so that a large catalog need not be gone through in one go. */
export type Steps<T> = Generator<void, T, void>;

/** Does it in one go after all. */
export const finish = <T>(steps: Steps<T>): T => {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
};
