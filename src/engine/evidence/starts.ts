import { logSumExp } from './likelihood.ts';

/**
 * Evidence that begins at several times, the starts: E0 counts everything, E_d what came from the d-th further start on.
 * Half of the weight is on E0, and 1/(d(d + 1)) of the other half on E_d; what is left over waits for starts to come. A
 * mean of e-processes, with weights that were fixed beforehand, is an e-process.
 */

/** Starts whose evidence is frozen: how many, counted from 0, and ln of the weighted sum of their evidence. */
export interface FrozenStarts {
  readonly count: number;
  readonly log: number;
}

export const NOTHING_FROZEN: FrozenStarts = { count: 0, log: Number.NEGATIVE_INFINITY };

/** ln of E_d with its weight, for consecutive starts. E0 is not among them: it is never frozen. */
const weighted = (logs: readonly number[], first: number): number[] =>
  logs.flatMap((log, index) => {
    const d = first + index;
    return d === 0 ? [] : log - Math.log(d * (d + 1));
  });

/** ln of the evidence, from ln E0 and ln E_d of all starts that are not frozen, in order. */
export const mixStarts = (whole: number, logs: readonly number[], frozen: FrozenStarts = NOTHING_FROZEN): number => {
  const starts = Math.max(1, frozen.count + logs.length);
  const later = logSumExp([...weighted(logs, frozen.count), frozen.log, -Math.log(starts)]);
  return logSumExp([whole, later]) - Math.LN2;
};

/** Freezes the next starts at the evidence that they have. Stopped for good, each is still an e-process. */
export const freezeStarts = (logs: readonly number[], { count, log }: FrozenStarts): FrozenStarts => ({
  count: count + logs.length,
  log: logSumExp([...weighted(logs, count), log]),
});

/**
 * ln of the evidence against several streams together, in the order in which they began. A roll changes the evidence of
 * one stream alone, so a product of them is an e-process as well, whatever happens to them in turns.
 */
export const logOfStreams = (logs: readonly number[]): number => {
  let sum = 0;
  const from = logs.toReversed().map((log) => {
    sum += log;
    return sum;
  });
  return mixStarts(sum, from.reverse());
};
