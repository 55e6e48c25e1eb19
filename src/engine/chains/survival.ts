/** How many rolls the first hit takes from the initial state; null if it never happens, or if there is no limit. */
export interface Timing {
  readonly expectedRolls: number | null;
  readonly medianRolls: number | null;
  readonly worstRolls: number | null;
}

export const NEVER: Timing = { expectedRolls: null, medianRolls: null, worstRolls: null };

/** The median is the first roll by which a hit has a probability of one half, up to rounding. */
const MEDIAN_SURVIVAL = 0.5 + 1e-12;
const LN_MEDIAN_SURVIVAL = Math.log(MEDIAN_SURVIVAL);
/** How much of the initial state may remain when a decay counts as settled. */
const SETTLED = 1e-12;

/** Follows roll after roll without a hit. */
export interface Follower {
  /** The probability that no roll so far was a hit. */
  left(): number;
  advance(): void;
  /** The approximate number of steps that a roll takes; a step takes a few nanoseconds. */
  readonly stepsOfRoll: number;
}

/** Follows new users until the first result of a tier, by its place, or of one of its items, by its index. */
export type Follow = (place: number, item?: number) => Follower;

/** Follows hits whose probability depends on nothing but the number of rolls before. */
export const followRow = (chanceAfter: (rolls: number) => number): Follower => {
  let rolls = 0;
  let left = 1;
  const advance = (): void => {
    left *= 1 - chanceAfter(rolls);
    rolls += 1;
  };
  return { advance, left: () => left, stepsOfRoll: 5 };
};

/**
 * How the probability of no hit decreases asymptotically: after n rolls it is e^(lnScale + n × lnFactor), up to terms
 * that vanish faster.
 */
export interface Decay {
  readonly lnScale: number;
  readonly lnFactor: number;
}

/**
 * The first n at which the probability of no hit is at most one half, if it decays from the first roll on; Infinity if
 * there is none.
 */
export const medianOfDecay = ({ lnScale, lnFactor }: Decay): number => {
  if (lnScale <= LN_MEDIAN_SURVIVAL) return 0;
  return lnFactor < 0 ? Math.ceil((LN_MEDIAN_SURVIVAL - lnScale) / lnFactor) : Number.POSITIVE_INFINITY;
};

/**
 * The first n from 1 to `to` at which the probability of no hit, given as a logarithm, is at most one half; undefined
 * if there is none.
 */
export const medianWithin = (lnSurvival: (n: number) => number, to: number): number | undefined => {
  if (lnSurvival(to) > LN_MEDIAN_SURVIVAL) return undefined;
  let low = 0;
  let high = to;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (lnSurvival(middle) <= LN_MEDIAN_SURVIVAL) high = middle;
    else low = middle;
  }
  return high;
};

/** The median of the remaining rolls, assuming a single decay factor with the known mean. */
export const medianOfRest = (left: number, mean: number): number =>
  medianOfDecay({ lnScale: Math.log(left), lnFactor: Math.log1p(-Math.min(1, left / Math.max(left, mean))) });

/**
 * The median by following every roll. If that takes too long, a single decay factor with the exact mean is assumed for
 * the rest. Infinity if no more hits are possible.
 */
export const medianByFollowing = (follower: Follower, maxRolls: number, exactMean: () => number): number => {
  let sum = 0;
  for (let rolls = 1; rolls <= maxRolls; rolls += 1) {
    sum += follower.left();
    follower.advance();
    if (follower.left() <= MEDIAN_SURVIVAL) return rolls;
  }
  return maxRolls + medianOfRest(follower.left(), exactMean() - sum);
};

/**
 * The roll from which on the probability of no hit follows its decay, confirmed over `window` rolls; follows a limited
 * number of rolls.
 */
export const settlesAfter = (
  follower: Follower,
  { lnScale, lnFactor }: Decay,
  window: number,
  maxRolls: number,
): number => {
  let keptFor = 0;
  for (let rolls = 1; rolls < maxRolls; rolls += 1) {
    follower.advance();
    const deviation = Math.log(follower.left()) - lnScale - rolls * lnFactor;
    keptFor = Math.abs(deviation) <= SETTLED ? keptFor + 1 : 0;
    if (keptFor >= window) return rolls;
  }
  return maxRolls;
};

/** An infinite mean or median is null. */
export const orNull = (rolls: number): number | null => (Number.isFinite(rolls) ? rolls : null);

/**
 * Approximate number of rolls after which a counter no longer depends on its initial state, given its probabilities of
 * resetting, the last of which is 1. The more its gaps vary, the sooner; with constant gaps, never.
 */
export const forgetsAfter = (factors: Float64Array): number => {
  let mean = 0;
  let square = 0;
  let waiting = 1;
  for (const [index, factor] of factors.entries()) {
    const ends = index === factors.length - 1 ? waiting : waiting * factor;
    mean += (index + 1) * ends;
    square += (index + 1) ** 2 * ends;
    waiting -= ends;
  }
  const variance = Math.max(0, square - mean * mean);
  // The number of gaps after which the phase has drifted by a whole gap, to within 1e-12, modeled as a random walk.
  const gaps = (Math.log(1e12) * mean * mean) / (2 * Math.PI ** 2 * variance);
  return mean * (2 + gaps);
};
