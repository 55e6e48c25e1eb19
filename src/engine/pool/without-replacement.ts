import { isUsableTotal, sumOf } from './weighted.ts';

/** Weighted choices in which earlier results have weight 0. */
export interface Remainder {
  /** The index that the draw `u` chooses when those in `taken` are gone; -1 if nothing is left. */
  pick(u: number, taken: readonly number[]): number;
}

const UNITS_PER_WHOLE = 2 ** 20;
const EXACT_BELOW = 2 ** 53;

/**
 * Whether every sum of these weights is exact, so that weights can be subtracted again: multiples of 2^-20, not too
 * large.
 */
const sumsAreExact = (weights: readonly number[]): boolean =>
  sumOf(weights) * UNITS_PER_WHOLE <= EXACT_BELOW &&
  weights.every((weight) => Number.isInteger(weight * UNITS_PER_WHOLE));

/** The definition: the remaining weights, added from left to right. */
export const pickRemainingLinear = (weights: readonly number[], u: number, taken: readonly number[]): number => {
  let total = 0;
  for (let index = 0; index < weights.length; index += 1) if (!taken.includes(index)) total += weights[index] as number;
  const t = u * total;
  let running = 0;
  let last = -1;
  for (let index = 0; index < weights.length; index += 1) {
    const weight = taken.includes(index) ? 0 : (weights[index] as number);
    running += weight;
    if (running > t) return index;
    if (weight > 0) last = index;
  }
  return last;
};

/**
 * A running total without the taken weights is a difference, so the index is found by bisection. With exact sums it is
 * that of the definition. Otherwise, if a running total is closer to the draw than `slack`, rounding would decide, and
 * the result is undefined.
 */
const pickByHalving = (
  running: Float64Array,
  weights: readonly number[],
  u: number,
  taken: readonly number[],
  slack: number,
): number | undefined => {
  const gone = [...taken].sort((left, right) => left - right);
  let removed = 0;
  for (const index of gone) removed += weights[index] as number;
  const t = u * ((running[running.length - 1] ?? 0) - removed);
  let before = 0;
  let from = 0;
  for (let stretch = 0; stretch <= gone.length; stretch += 1) {
    // Between two taken entries, every running total has lost the same weight.
    let to = gone[stretch] ?? running.length;
    if (to > from && (running[to - 1] as number) - before > t) {
      while (from < to) {
        const middle = (from + to) >>> 1;
        if ((running[middle] as number) - before > t) to = middle;
        else from = middle + 1;
      }
      const above = (running[from] as number) - before - t;
      const below = t - ((running[from - 1] ?? 0) - before);
      return above < slack || (from > 0 && below < slack) ? undefined : from;
    }
    before += weights[gone[stretch] ?? -1] ?? 0;
    from = to + 1;
  }
  return slack > 0 ? undefined : -1;
};

/** Upper bound of the relative error of a sum of `terms` terms, added in any order; with some margin. */
const roundingOf = (terms: number): number => (terms + 64) * 2 ** -50;

/**
 * Compiles choices without replacement. A choice takes logarithmic time. If sums are not exact, one draw in many
 * millions is so close to a boundary that only the linear definition can decide it.
 */
export const compileRemainder = (weights: readonly number[]): Remainder => {
  const running = new Float64Array(weights.length);
  let total = 0;
  for (const [index, weight] of weights.entries()) {
    total += weight;
    running[index] = total;
  }
  // Totals out of bounds have no known error.
  const rounding = isUsableTotal(total) ? total * roundingOf(weights.length) : Number.POSITIVE_INFINITY;
  const slack = sumsAreExact(weights) ? 0 : rounding;
  return {
    pick: (u, taken) => pickByHalving(running, weights, u, taken, slack) ?? pickRemainingLinear(weights, u, taken),
  };
};
