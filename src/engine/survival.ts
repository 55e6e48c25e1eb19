import { type Chain, canHit, meanByRestarts, worstCase } from './chain.ts';

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
/** From here on the chance of a hit is the same on every roll. */
const STEADY = 1e-12;
const SPENT = 1e-18;
const MOST_ROLLS_FOLLOWED = 200_000;
const MOST_EDGES_FOLLOWED = 200_000_000;

/** One roll after another without a hit: what is left of the chance, and how much of that the next roll takes. */
export interface Follower {
  /** The chance that the next roll is the first hit. Moves on by that roll. */
  advance(): number;
  /** The chance that no roll so far was a hit. */
  left(): number;
}

/** The chance of no hit by every roll: as far as it was followed, and then falling by the same factor on each. */
export interface Survival {
  readonly expectedRolls: number;
  /** The natural logarithm of the chance that none of the first n rolls is a hit. */
  lnSurvival(n: number): number;
  /** Rolls that were followed one by one. */
  readonly followed: number;
  /** The logarithm of the factor after that. */
  readonly lnFactor: number;
}

export interface FollowOptions {
  /** The share that each roll takes must be steady for so many rolls: more than the counters remember. */
  readonly window: number;
  readonly mostRolls: number;
  /** The mean, worked out in another way, for when the end is not followed. */
  readonly exactMean: () => number;
  /** Whether to stop once the median is known, and leave the mean to `exactMean`. */
  readonly onlyToMedian: boolean;
}

/**
 * Follows rolls until the share that each takes of what is left is steady. Where that takes too long, the rest is taken to fall
 * by the factor that gives it its exact mean.
 */
export const surviveBy = (follower: Follower, options: FollowOptions): Survival => {
  const lns = [0];
  let sum = 0;
  let reference = -1;
  let steadyFor = 0;
  const finish = (expectedRolls: number, lnFactor: number): Survival => {
    const followed = lns.length - 1;
    const atEnd = lns[followed] as number;
    const lnSurvival = (n: number): number => (n <= followed ? (lns[n] as number) : atEnd + (n - followed) * lnFactor);
    return { expectedRolls, lnSurvival, followed, lnFactor };
  };
  for (;;) {
    const before = follower.left();
    if (before < SPENT) return finish(sum, Number.NEGATIVE_INFINITY);
    const share = follower.advance() / before;
    const left = follower.left();
    sum += before;
    lns.push(Math.log(left));
    steadyFor = Math.abs(share - reference) <= STEADY * reference ? steadyFor + 1 : 0;
    if (steadyFor === 0) reference = share;
    // None for longer than the counters remember: whatever could come at first, it never comes again.
    if (steadyFor >= options.window && share === 0) return finish(Number.POSITIVE_INFINITY, 0);
    if (steadyFor >= options.window) return finish(sum + left / share, Math.log1p(-Math.min(1, share)));
    if (lns.length > options.mostRolls || (options.onlyToMedian && left > SPENT && left <= MEDIAN_SURVIVAL)) {
      const mean = options.exactMean();
      return finish(mean, Math.log1p(-Math.min(1, left / Math.max(left, mean - sum))));
    }
  }
};

/** The first n, counted from 1, with a chance of at least a half that one of n rolls was a hit; Infinity when there is none. */
export const medianOf = (lnSurvival: (n: number) => number, followed: number, lnFactor: number): number => {
  const atEnd = lnSurvival(followed);
  if (atEnd > LN_MEDIAN_SURVIVAL && lnFactor >= 0) return Number.POSITIVE_INFINITY;
  if (atEnd > LN_MEDIAN_SURVIVAL) return followed + Math.max(1, Math.ceil((LN_MEDIAN_SURVIVAL - atEnd) / lnFactor));
  let low = 0;
  let high = followed;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (lnSurvival(middle) <= LN_MEDIAN_SURVIVAL) high = middle;
    else low = middle;
  }
  return high;
};

/** Follows a chain in which an edge marked as a hit is one with the chance `part`. */
const followChain = (chain: Chain, part: number): Follower => {
  const { sources, targets, chances, hits } = chain;
  const states = chain.layers * chain.width;
  const kept = chances.map((chance, edge) => (hits[edge] === 1 ? chance * (1 - part) : chance));
  const taking = new Float64Array(states);
  for (const [edge, source] of sources.entries()) {
    if (hits[edge] === 1) taking[source] = (taking[source] as number) + (chances[edge] as number) * part;
  }
  let now = new Float64Array(states);
  let next = new Float64Array(states);
  now[0] = 1;
  let left = 1;
  const advance = (): number => {
    next.fill(0);
    for (let edge = 0; edge < kept.length; edge += 1) {
      const target = targets[edge] as number;
      next[target] = (next[target] as number) + (now[sources[edge] as number] as number) * (kept[edge] as number);
    }
    let taken = 0;
    left = 0;
    for (let state = 0; state < states; state += 1) {
      taken += (now[state] as number) * (taking[state] as number);
      left += next[state] as number;
    }
    [now, next] = [next, now];
    return taken;
  };
  return { advance, left: () => left };
};

/** Wider chains take longer to solve for their mean than to follow. */
const GREATEST_WIDTH_SOLVED = 64;

const surviveChain = (chain: Chain, part: number, toTheEnd: boolean): Survival => {
  const states = chain.layers * chain.width;
  const affordable = Math.max(4 * states, Math.floor(MOST_EDGES_FOLLOWED / chain.sources.length));
  return surviveBy(followChain(chain, part), {
    window: states + 16,
    mostRolls: Math.min(MOST_ROLLS_FOLLOWED, affordable),
    exactMean: () => meanByRestarts(chain, part),
    onlyToMedian: !toTheEnd && chain.width <= GREATEST_WIDTH_SOLVED,
  });
};

/** Parts above this are followed each by itself: there are at most twenty of them in a tier. */
const SMALL_PART = 0.05;
const NODES = 16;

/**
 * Mean and median for many small parts at once. With s = -ln(1 - part), both mean × s and ln survival / s are smooth in s, so that a polynomial
 * through sixteen followed parts gives all of the others: many items cost little more than few.
 */
const interpolateParts = (
  chain: Chain,
  parts: readonly number[],
): ((part: number) => { expectedRolls: number; medianRolls: number }) => {
  const greatest = -Math.log1p(-(parts[0] ?? 0));
  const nodes = Array.from({ length: NODES }, (_, index) => {
    const angle = ((2 * index + 1) * Math.PI) / (2 * NODES);
    const s = (greatest * (1 + Math.cos(angle))) / 2;
    return {
      s,
      weight: (index % 2 === 0 ? 1 : -1) * Math.sin(angle),
      survival: surviveChain(chain, -Math.expm1(-s), true),
    };
  });
  const followed = Math.max(...nodes.map(({ survival }) => survival.followed));
  const at = (s: number, measure: (survival: Survival, s: number) => number): number => {
    let above = 0;
    let below = 0;
    for (const node of nodes) {
      const value = measure(node.survival, node.s);
      if (node.s === s) return value;
      const term = node.weight / (s - node.s);
      above += term * value;
      below += term;
    }
    return above / below;
  };
  return (part) => {
    const s = -Math.log1p(-part);
    return {
      expectedRolls: at(s, ({ expectedRolls }, node) => expectedRolls * node) / s,
      medianRolls: medianOf(
        (n) => s * at(s, ({ lnSurvival }, node) => lnSurvival(n) / node),
        followed,
        s * at(s, ({ lnFactor }, node) => lnFactor / node),
      ),
    };
  };
};

/** What takes for ever on average, or with a chance of a half, has no mean or no median. */
const orNull = (rolls: number): number | null => (Number.isFinite(rolls) ? rolls : null);

/** The timing of the first hit for every part asked for: an edge marked as a hit is one with that chance. */
export const timingsOf = (chain: Chain, parts: Iterable<number>): ReadonlyMap<number, Timing> => {
  const distinct = [...new Set(parts)].sort((left, right) => right - left);
  const timings = new Map<number, Timing>();
  const neverHits = !canHit(chain);
  const worstRolls = neverHits ? null : worstCase(chain, false);
  const small = distinct.filter((part) => part > 0 && part <= SMALL_PART);
  const interpolated = !neverHits && small.length > NODES ? interpolateParts(chain, small) : undefined;
  const alone = (part: number): { expectedRolls: number; medianRolls: number } => {
    const { expectedRolls, lnSurvival, followed, lnFactor } = surviveChain(chain, part, false);
    return { expectedRolls, medianRolls: medianOf(lnSurvival, followed, lnFactor) };
  };
  for (const part of distinct) {
    if (neverHits || part <= 0) {
      timings.set(part, NEVER);
      continue;
    }
    const { expectedRolls, medianRolls } = part <= SMALL_PART && interpolated ? interpolated(part) : alone(part);
    timings.set(part, {
      expectedRolls: orNull(expectedRolls),
      medianRolls: orNull(medianRolls),
      worstRolls: part === 1 ? worstCase(chain, true) : worstRolls,
    });
  }
  return timings;
};
