import { decimalsOf, scaledBy } from '../decimal.ts';

/** The values an attribute of an item can take; with `step` null every value, or every whole number. */
export interface ValueRange {
  readonly min: number;
  readonly max: number;
  readonly step: number | null;
}

/**
 * The number of values of a range with a step, in decimals as printed: doubles would lose the last of 0, 0.1, … 0.3.
 */
const countSteps = (min: number, max: number, step: number, decimals: number): number =>
  Number((scaledBy(max, decimals) - scaledBy(min, decimals)) / scaledBy(step, decimals)) + 1;

/** The limit of `Number.prototype.toFixed`; finer steps are far below the precision of any useful bound. */
const MAX_DECIMALS = 100;

/** The index among `count` equally likely values. */
const nthOf = (u: number, count: number): number => Math.min(Math.floor(u * count), count - 1);

/** Adding 0 turns negative zero, which JSON cannot represent, into 0 and changes nothing else. */
const plain = (value: number): number => value + 0;

const decimalsOfSteps = (min: number, max: number, step: number): number =>
  Math.max(decimalsOf(min), decimalsOf(max), decimalsOf(step));

/** Undefined if there are more values than a number can count: then the range is treated as continuous. */
const compileSteps = (min: number, max: number, step: number): ((u: number) => number) | undefined => {
  const decimals = decimalsOfSteps(min, max, step);
  const count = countSteps(min, max, step, decimals);
  if (count === Number.POSITIVE_INFINITY) return undefined;
  if (count === 1) return () => plain(min);
  if (decimals === 0 || decimals > MAX_DECIMALS) {
    return (u) => plain(Math.min(max, min + nthOf(u, count) * step));
  }
  return (u) => plain(Math.min(max, Number((min + nthOf(u, count) * step).toFixed(decimals))));
};

/** Returns the value that a draw chooses, uniform over the range. */
export const compileRange = ({ min, max, step }: ValueRange): ((u: number) => number) => {
  const width = max - min;
  // The difference of the bounds is infinite, so each is weighted separately.
  if (!Number.isFinite(width)) return (u) => plain(min * (1 - u) + max * u);
  if (step !== null) {
    const values = compileSteps(min, max, step);
    if (values !== undefined) return values;
  } else if (Number.isSafeInteger(min) && Number.isSafeInteger(max)) {
    return (u) => plain(Math.min(max, min + nthOf(u, width + 1)));
  }
  return (u) => plain(Math.min(max, min + u * width));
};

/** The number of equally likely values of a range; null if every value between the bounds is possible. */
export const countValues = ({ min, max, step }: ValueRange): number | null => {
  const width = max - min;
  if (!Number.isFinite(width)) return null;
  if (step !== null) {
    const count = countSteps(min, max, step, decimalsOfSteps(min, max, step));
    if (count !== Number.POSITIVE_INFINITY) return count;
  } else if (Number.isSafeInteger(min) && Number.isSafeInteger(max)) return width + 1;
  return width === 0 ? 1 : null;
};
