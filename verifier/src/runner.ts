/** The longest that the page may stand still. */
const SLICE_MS = 24;

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** Runs steps to their end without freezing the page; undefined if it was told to stop. */
export const runInSlices = async <T>(
  steps: Generator<number, T>,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<T | undefined> => {
  for (;;) {
    const until = performance.now() + SLICE_MS;
    let share = 0;
    do {
      const { done, value } = steps.next();
      if (done) return value;
      share = value;
    } while (performance.now() < until);
    onProgress(share);
    await pause();
    if (signal.aborted) return undefined;
  }
};
