import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** The unit of `/proc/stat`. */
const TICK_MS = 10;
const KEPT_SAMPLES = 10_000;

/** How long the host of a virtual machine has kept it waiting since it started, per CPU; 0 where nobody knows. */
const stolenSoFarMs = (): number => {
  try {
    const [, ...times] = (readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] as string).split(/\s+/);
    return (Number(times[7]) * TICK_MS) / availableParallelism();
  } catch {
    return 0;
  }
};

/** Time that the host took from this machine, which nothing on it can use. */
export const watchStolenTime = () => {
  const samples: { readonly atMs: number; readonly stolenMs: number }[] = [];
  return {
    /** To be called all the time. */
    look: (): void => {
      samples.push({ atMs: performance.now(), stolenMs: stolenSoFarMs() });
      if (samples.length > KEPT_SAMPLES) samples.shift();
    },
    /** How much was taken since a moment, from the first look after it on. */
    sinceMs: (momentMs: number): number => {
      const first = samples.find(({ atMs }) => atMs >= momentMs);
      return first === undefined ? 0 : (samples.at(-1) as typeof first).stolenMs - first.stolenMs;
    },
  };
};
