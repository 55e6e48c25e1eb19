import type { SoftPitySegment } from '../config.ts';
import type { FaultList } from '../faults.ts';

/** Configurations with more states are rejected, so that exact odds can always be computed quickly. */
export const MAX_STATES = 4000;

/**
 * A factor this close to 1 is 1: otherwise rounding would leave a certain tier a chance of 1e-16 of not being rolled.
 */
const CERTAIN = 1 - 1e-12;

/** How a tier's chance grows until it is rolled. */
export interface Counter {
  /** The rank of its tier. */
  readonly rank: number;
  readonly optionId: string | null;
  /** The tier is due from this roll on; Infinity without a threshold. */
  readonly threshold: number;
  readonly higherResets: boolean;
  /** The factor without pity. */
  readonly baseFactor: number;
  /**
   * The fraction that the tier takes of what rarer ones leave, by the rolls since it was last rolled. The last entry
   * applies to all later rolls too, so it is 1 if there is any pity.
   */
  readonly factors: Float64Array;
}

/** What soft pity adds to a share at the k-th roll since the tier was last rolled. */
export const softPityAt = (segments: readonly SoftPitySegment[], k: number): number => {
  let sum = 0;
  for (const [index, { from, add }] of segments.entries()) {
    const until = Math.min(k, (segments[index + 1]?.from ?? Number.POSITIVE_INFINITY) - 1);
    if (until >= from) sum += add * (until - from + 1);
  }
  return sum;
};

/** The factor of a tier with base share `share`, if its own and less rare ranks have `left` of the base shares. */
const factorOf = (share: number, soft: number, left: number): number => {
  const factor = left > 0 ? Math.min(1, (share + soft) / left) : 0;
  return factor >= CERTAIN ? 1 : factor;
};

export interface CounterSource {
  readonly rank: number;
  readonly optionId: string | null;
  readonly share: number;
  /** 1 minus the base shares of rarer ranks. */
  readonly left: number;
  readonly threshold: number;
  readonly softPity: readonly SoftPitySegment[];
  readonly higherResets: boolean;
}

/** Truncated after one state too many: the caller rejects those. */
export const compileCounter = (source: CounterSource): Counter => {
  const { rank, optionId, share, left, softPity, higherResets } = source;
  const threshold = source.threshold > 0 ? source.threshold : Number.POSITIVE_INFINITY;
  const factors: number[] = [];
  const grows = threshold < Number.POSITIVE_INFINITY || softPity.length > 0;
  for (let k = 1; k <= MAX_STATES + 1; k += 1) {
    const factor = k >= threshold ? 1 : factorOf(share, softPityAt(softPity, k), left);
    factors.push(factor);
    if (factor === 1 || !grows) break;
  }
  const baseFactor = factorOf(share, 0, left);
  return { rank, optionId, threshold, higherResets, baseFactor, factors: Float64Array.from(factors) };
};

/** The number of states of a counter that count towards the limit. */
export const statesOf = ({ threshold, factors }: Counter): number =>
  threshold < Number.POSITIVE_INFINITY ? threshold : factors.length;

export const isDue = ({ threshold }: Counter, since: number): boolean => since + 1 >= threshold;

export const factorAt = ({ factors }: Counter, since: number): number =>
  factors[since < factors.length ? since : factors.length - 1] as number;

/** Segments must be in ascending order. */
export const checkSegments = (
  segments: readonly SoftPitySegment[] | undefined,
  path: readonly (string | number)[],
  faults: FaultList,
): void => {
  let before = 0;
  for (const [index, { from }] of (segments ?? []).entries()) {
    if (from <= before)
      faults.add([...path, index, 'from'], `must be greater than ${before}, where the previous segment starts`);
    before = from;
  }
};
