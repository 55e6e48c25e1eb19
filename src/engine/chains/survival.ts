/** How long the first hit takes from a fresh state, in rolls; null when it never comes, or when nothing bounds it. */
export interface Timing {
  readonly expectedRolls: number | null;
  readonly medianRolls: number | null;
  readonly worstRolls: number | null;
}

export const NEVER: Timing = { expectedRolls: null, medianRolls: null, worstRolls: null };

/** The median is the first roll by which the chance of a hit is a half, less what rounding may take. */
const MEDIAN_SURVIVAL = 0.5 + 1e-12;
const LN_MEDIAN_SURVIVAL = Math.log(MEDIAN_SURVIVAL);
/** What may be left of the beginning when a decay counts as settled. */
const SETTLED = 1e-12;

/** One roll after another without a hit. */
export interface Follower {
  /** The chance that no roll so far was a hit. */
  left(): number;
  /** Goes on by a roll. */
  advance(): void;
}

/**
 * How the chance of no hit falls in the end: after n rolls it is e^(lnScale + n × lnFactor), to within what has died
 * out by then.
 */
export interface Decay {
  readonly lnScale: number;
  readonly lnFactor: number;
}

/**
 * The first n with a chance of no hit of at most a half, when that decays from the first roll on; Infinity when there
 * is none.
 */
export const medianOfDecay = ({ lnScale, lnFactor }: Decay): number => {
  if (lnScale <= LN_MEDIAN_SURVIVAL) return 0;
  return lnFactor < 0 ? Math.ceil((LN_MEDIAN_SURVIVAL - lnScale) / lnFactor) : Number.POSITIVE_INFINITY;
};

/**
 * The first n from 1 on, up to `to`, at which a chance of no hit, given by its logarithm, is at most a half; undefined when
 * the last is not.
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

/** The median of what is left after some rolls, counted from there, when it decays by one factor and has a known mean. */
export const medianOfRest = (left: number, mean: number): number =>
  medianOfDecay({ lnScale: Math.log(left), lnFactor: Math.log1p(-Math.min(1, left / Math.max(left, mean))) });

/**
 * The median by following every roll. Where that takes too long, the rest is taken to decay by one factor, such that it
 * has its exact mean; Infinity when no hit comes any more.
 */
export const medianByFollowing = (follower: Follower, mostRolls: number, exactMean: () => number): number => {
  let sum = 0;
  for (let rolls = 1; rolls <= mostRolls; rolls += 1) {
    sum += follower.left();
    follower.advance();
    if (follower.left() <= MEDIAN_SURVIVAL) return rolls;
  }
  return mostRolls + medianOfRest(follower.left(), exactMean() - sum);
};

/**
 * The roll from which on the chance of no hit keeps to its decay, and has for `window` rolls; at most so many rolls are
 * followed.
 */
export const settlesAfter = (
  follower: Follower,
  { lnScale, lnFactor }: Decay,
  window: number,
  mostRolls: number,
): number => {
  let keptFor = 0;
  for (let rolls = 1; rolls < mostRolls; rolls += 1) {
    follower.advance();
    const deviation = Math.log(follower.left()) - lnScale - rolls * lnFactor;
    keptFor = Math.abs(deviation) <= SETTLED ? keptFor + 1 : 0;
    if (keptFor >= window) return rolls;
  }
  return mostRolls;
};

/** What takes for ever on average, or with a chance of a half, has no mean or no median. */
export const orNull = (rolls: number): number | null => (Number.isFinite(rolls) ? rolls : null);

/**
 * After about how many rolls a counter no longer tells when it began, given its chances to begin again, the last of which
 * is 1. The more its gaps differ, the sooner; gaps that are all alike never let it forget.
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
  // A phase that is off by a whole gap after so many gaps, to within 1e-12, as a random walk would be.
  const gaps = (Math.log(1e12) * mean * mean) / (2 * Math.PI ** 2 * variance);
  return mean * (2 + gaps);
};
