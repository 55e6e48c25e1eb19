import { type Chain, canHit, meanByRestarts, statesOf, worstCase } from './chain.ts';
import { decayOf, keptChances, MAX_SWEEPS } from './chain-decay.ts';
import {
  type Decay,
  type Follower,
  medianByFollowing,
  medianOfDecay,
  medianOfRest,
  medianWithin,
  NEVER,
  orNull,
  settlesAfter,
  type Timing,
} from './survival.ts';

/** Cost of a stretch of a single counter, and of everything else in a roll, in steps. */
const STEPS_OF_STRETCH = 4;
const STEPS_OF_ROLL = 40;

const MAX_ROLLS_FOLLOWED = 100_000;
const MAX_STEPS_FOLLOWED = 100_000_000;

/**
 * Follows a chain with one counter. A stretch of states with equal probabilities, such as those before soft pity
 * starts, is represented by one sum: whatever enters it leaves after at most as many rolls as it has states.
 */
const followCounter = (chain: Chain, part: number): Follower => {
  const kept = keptChances(chain, part);
  const stretches = stretchesOf(chain, kept);
  const count = stretches.length;
  const lengths = Int32Array.from(stretches, ({ length }) => length);
  const goingOn = Float64Array.from(stretches, ({ stays }) => stays);
  const returning = Float64Array.from(stretches, ({ returns }) => returns);
  const lasting = Float64Array.from(stretches, ({ stays, length }) => stays ** length);
  // What entered each stretch with each of the last rolls, as many as it has states.
  const entered = stretches.map(({ length }) => new Float64Array(length));
  const sums = new Float64Array(count);
  sums[0] = 1;
  (entered[0] as Float64Array)[0] = 1;
  let rolls = 0;
  let left = 1;
  const advance = (): void => {
    rolls += 1;
    let returned = 0;
    let leaving = 0;
    let sum = 0;
    for (let index = 0; index < count; index += 1) {
      const length = lengths[index] as number;
      const present = sums[index] as number;
      const ring = entered[index] as Float64Array;
      const place = rolls % length;
      returned += present * (returning[index] as number);
      // The very last state keeps whatever does not lead back.
      const passing = index === count - 1 ? 0 : (ring[place] as number) * (lasting[index] as number);
      const now = Math.max(0, present * (goingOn[index] as number) - passing) + leaving;
      ring[place] = leaving;
      leaving = passing;
      sums[index] = now;
      sum += now;
    }
    const first = entered[0] as Float64Array;
    const place = rolls % first.length;
    first[place] = (first[place] as number) + returned;
    sums[0] = (sums[0] as number) + returned;
    left = sum + returned;
  };
  return { advance, left: () => left, stepsOfRoll: stepsByStretches(count) };
};

interface Stretch {
  length: number;
  /**
   * The probabilities of continuing to the next state (or staying in the last one) and of starting over, without a hit.
   */
  readonly stays: number;
  readonly returns: number;
}

/** The states of a chain with one counter, merged if they have the same probabilities. */
const stretchesOf = ({ layers, starts, targets }: Chain, kept: Float64Array): Stretch[] => {
  const stretches: Stretch[] = [];
  for (let state = 0; state < layers; state += 1) {
    let stays = 0;
    let returns = 0;
    for (let edge = starts[state] as number; edge < (starts[state + 1] as number); edge += 1) {
      // A single state is both the first and the last.
      if (targets[edge] === 0 && layers > 1) returns += kept[edge] as number;
      else stays += kept[edge] as number;
    }
    const before = stretches.at(-1);
    if (before?.stays === stays && before.returns === returns && state < layers - 1) before.length += 1;
    else stretches.push({ length: 1, stays, returns });
  }
  return stretches;
};

/** Follows a chain in which an edge marked as a hit is one with probability `part`. */
export const followChain = (chain: Chain, part: number): Follower =>
  statesOf(chain) === chain.layers ? followCounter(chain, part) : followStates(chain, part);

const followStates = (chain: Chain, part: number): Follower => {
  const { sources, targets } = chain;
  const kept = keptChances(chain, part);
  let now = new Float64Array(statesOf(chain));
  let next = new Float64Array(now.length);
  now[0] = 1;
  let left = 1;
  // The loop's variables are local: V8 would allocate a heap number per edge for one that outlives the call.
  const advance = (): void => {
    const before = now;
    const after = next.fill(0);
    let sum = 0;
    for (let edge = 0; edge < kept.length; edge += 1) {
      const target = targets[edge] as number;
      const moved = (before[sources[edge] as number] as number) * (kept[edge] as number);
      after[target] = (after[target] as number) + moved;
      sum += moved;
    }
    left = sum;
    now = after;
    next = before;
  };
  return { advance, left: () => left, stepsOfRoll: stepsByEdges(kept.length) };
};

const maxRollsFor = (layers: number, stepsOfRoll: number): number =>
  Math.min(MAX_ROLLS_FOLLOWED, Math.max(4 * layers, Math.floor(MAX_STEPS_FOLLOWED / stepsOfRoll)));

/** A chain with one counter is followed by stretches, any other by edges. */
const stepsOfRollIn = (chain: Chain): number =>
  statesOf(chain) === chain.layers
    ? stepsByStretches(stretchesOf(chain, keptChances(chain, 0)).length)
    : stepsByEdges(chain.sources.length);

/** The steps of following one roll of a chain with one counter, and of any other. */
export const stepsByStretches = (stretches: number): number => STEPS_OF_ROLL + STEPS_OF_STRETCH * stretches;
export const stepsByEdges = (edges: number): number => STEPS_OF_ROLL + edges;

const maxRollsOf = (chain: Chain): number => maxRollsFor(chain.layers, stepsOfRollIn(chain));

/** Following this many steps takes about ten milliseconds. */
const AFFORDABLE_STEPS = 10_000_000;

/** Without a mean there is eventually no hit, and the remaining probability no longer decays. */
const decayOfPart = (chain: Chain, part: number, expectedRolls: number): Decay | null => {
  const decay = decayOf(chain, part);
  return decay === null || Number.isFinite(expectedRolls) ? decay : { ...decay, lnFactor: 0 };
};

/** Parts up to this are computed together if there are many; a tier has at most twenty larger ones. */
const SMALL_PART = 0.05;
const NODES = 16;

interface Node<T> {
  /** s = -ln(1 - part). */
  readonly s: number;
  readonly weight: number;
  readonly known: T;
}

/** The value at s of the polynomial through the values at the nodes. */
const through = <T>(nodes: readonly Node<T>[], s: number, measure: (known: T, s: number) => number): number => {
  let above = 0;
  let below = 0;
  for (const node of nodes) {
    const value = measure(node.known, node.s);
    if (node.s === s) return value;
    const term = node.weight / (s - node.s);
    above += term * value;
    below += term;
  }
  return above / below;
};

const partOf = (s: number): number => -Math.expm1(-s);

/**
 * A polynomial through the values at sixteen parts up to the greatest, as a function of s = -ln(1 - part). The
 * interpolated values (means, decays and survival probabilities, divided or multiplied by s) are so smooth in s that no
 * precision is lost: many items cost little more than few.
 */
const interpolate = <T>(greatest: number, workOut: (part: number) => T): Node<T>[] => {
  const most = -Math.log1p(-greatest);
  return Array.from({ length: NODES }, (_, index) => {
    const angle = ((2 * index + 1) * Math.PI) / (2 * NODES);
    const s = (most * (1 + Math.cos(angle))) / 2;
    return { s, weight: (index % 2 === 0 ? 1 : -1) * Math.sin(angle), known: workOut(partOf(s)) };
  });
};

/** Mean and decay for any small part. */
const decaysBetween = (
  chain: Chain,
  greatest: number,
): ((part: number) => { expectedRolls: number; decay: Decay | null }) => {
  const workOut = (part: number) => {
    const expectedRolls = meanByRestarts(chain, part);
    return { expectedRolls, decay: decayOfPart(chain, part, expectedRolls) };
  };
  const nodes = interpolate(greatest, workOut);
  const hasMean = nodes.every(({ known }) => Number.isFinite(known.expectedRolls));
  const decays = nodes.every(({ known }) => known.decay !== null);
  return (part) => {
    const s = -Math.log1p(-part);
    if (!hasMean) return { expectedRolls: Number.POSITIVE_INFINITY, decay: null };
    return {
      expectedRolls: through(nodes, s, ({ expectedRolls }, node) => expectedRolls * node) / s,
      decay: decays
        ? {
            lnScale: s * through(nodes, s, ({ decay }, node) => (decay?.lnScale ?? 0) / node),
            lnFactor: s * through(nodes, s, ({ decay }, node) => (decay?.lnFactor ?? 0) / node),
          }
        : null,
    };
  };
};

interface Unsettled {
  readonly part: number;
  readonly expectedRolls: number;
}

/** Parts that differ by no more than this factor are followed together, at this number of nodes. */
const RANGE = 4;
const NODES_OF_RANGE = 8;

/**
 * The logarithm of the survival probability after each of `rolls` rolls, and the sum of the probabilities before the
 * last.
 */
const followLns = (chain: Chain, part: number, rolls: number): { lns: Float64Array; sum: number } => {
  const follower = followChain(chain, part);
  const lns = new Float64Array(rolls + 1);
  let sum = 0;
  for (let roll = 1; roll <= rolls; roll += 1) {
    sum += follower.left();
    follower.advance();
    lns[roll] = Math.log(follower.left());
  }
  return { lns, sum };
};

/**
 * Medians of the parts of one range, greatest first, from the survival probabilities of eight of them, including both
 * ends, after up to `rolls` rolls. Beyond that, a single decay factor is assumed that gives the exact mean.
 */
const mediansOfRange = (chain: Chain, range: readonly Unsettled[], rolls: number): [number, number][] => {
  const sOf = ({ part }: Unsettled): number => -Math.log1p(-part);
  const [most, least] = [sOf(range[0] as Unsettled), sOf(range.at(-1) as Unsettled)];
  const nodes = Array.from({ length: NODES_OF_RANGE }, (_, index): Node<ReturnType<typeof followLns>> => {
    const s = least + ((most - least) * (1 + Math.cos((index * Math.PI) / (NODES_OF_RANGE - 1)))) / 2;
    const isEnd = index === 0 || index === NODES_OF_RANGE - 1;
    const weight = (index % 2 === 0 ? 1 : -1) * (isEnd ? 0.5 : 1);
    return { s, weight, known: followLns(chain, partOf(s), rolls) };
  });
  return range.map((one) => {
    const s = sOf(one);
    const lnLeft = (n: number): number => s * through(nodes, s, ({ lns }, node) => (lns[n] as number) / node);
    const rest = (): number =>
      rolls + medianOfRest(Math.exp(lnLeft(rolls)), one.expectedRolls - through(nodes, s, ({ sum }) => sum));
    return [one.part, medianWithin(lnLeft, rolls) ?? rest()];
  });
};

/**
 * Medians reached before the decay has settled. The parts of a range are computed together if that is faster than
 * following each of them.
 */
const earlyMedians = (chain: Chain, early: readonly Unsettled[], maxRolls: number): Map<number, number> => {
  const medianOf = ({ part, expectedRolls }: Unsettled): number =>
    medianByFollowing(followChain(chain, part), maxRolls, () => expectedRolls);
  const medians = new Map<number, number>();
  for (let from = 0; from < early.length; ) {
    const { part: greatest } = early[from] as Unsettled;
    const next = early.findIndex(
      ({ part }, index) => index > from && (part < greatest / RANGE || greatest > SMALL_PART),
    );
    const range = early.slice(from, next === -1 ? undefined : next);
    from += range.length;
    const rarest = range.at(-1) as Unsettled;
    const last = medianOf(rarest);
    const others = range.slice(0, -1);
    const found =
      range.length > NODES_OF_RANGE
        ? mediansOfRange(chain, range, Math.min(last, maxRolls))
        : others.map((one): [number, number] => [one.part, medianOf(one)]);
    for (const [part, median] of found) medians.set(part, median);
    medians.set(rarest.part, last);
  }
  return medians;
};

/** What is known about a part before its median. */
interface Worked extends Unsettled {
  /** Computed only if there are too many rolls to follow. */
  readonly decay: () => Decay | null;
}

/** The medians that are quick to find by following: the shortest first, as many as are affordable. */
const followShortest = (chain: Chain, worked: readonly Worked[]): Map<number, number> => {
  const medians = new Map<number, number>();
  const maxRolls = maxRollsOf(chain);
  let affordable = AFFORDABLE_STEPS / stepsOfRollIn(chain);
  for (const { part, expectedRolls } of worked.toSorted((left, right) => left.expectedRolls - right.expectedRolls)) {
    affordable -= expectedRolls;
    if (!(affordable > 0)) break;
    medians.set(
      part,
      medianByFollowing(followChain(chain, part), maxRolls, () => expectedRolls),
    );
  }
  return medians;
};

/** The other medians: from the decay if it has settled by then, otherwise by following after all. */
const medianByDecay = (chain: Chain, worked: readonly Worked[]): Map<number, number> => {
  const maxRolls = maxRollsOf(chain);
  const estimated = worked.map(({ part, expectedRolls, decay: workOut }) => {
    const decay = workOut();
    return { part, expectedRolls, decay, median: decay === null ? 0 : medianOfDecay(decay) };
  });
  // How long the initial state matters hardly depends on the part; for the smallest part, with the fewest hits, it
  // matters longest.
  const least = estimated.findLast(({ decay }) => decay !== null);
  const settled =
    least?.decay == null ? 0 : settlesAfter(followChain(chain, least.part), least.decay, chain.layers, maxRolls);
  const isEarly = ({ decay, median }: (typeof estimated)[number]): boolean => decay === null || median <= settled;
  const early = earlyMedians(chain, estimated.filter(isEarly), maxRolls);
  return new Map(estimated.map(({ part, median }) => [part, early.get(part) ?? median]));
};

/** The timing of the first hit for every given part: an edge marked as a hit is one with that probability. */
export const timingsOf = (chain: Chain, parts: Iterable<number>): ReadonlyMap<number, Timing> => {
  const distinct = [...new Set(parts)].sort((left, right) => right - left);
  const timings = new Map<number, Timing>(distinct.map((part) => [part, NEVER]));
  const possible = canHit(chain) ? distinct.filter((part) => part > 0) : [];
  if (possible.length === 0) return timings;

  const small = possible.filter((part) => part <= SMALL_PART);
  const between = small.length > NODES ? decaysBetween(chain, small[0] ?? 0) : undefined;
  const worked = possible.map((part): Worked => {
    if (between !== undefined && part <= SMALL_PART) {
      const { expectedRolls, decay } = between(part);
      return { part, expectedRolls, decay: () => decay };
    }
    const expectedRolls = meanByRestarts(chain, part);
    return { part, expectedRolls, decay: () => decayOfPart(chain, part, expectedRolls) };
  });
  const followed = followShortest(chain, worked);
  const others = worked.filter(({ part }) => !followed.has(part));
  const decayed = others.length > 0 ? medianByDecay(chain, others) : followed;
  const worstRolls = worstCase(chain, false);
  for (const { part, expectedRolls } of worked) {
    timings.set(part, {
      expectedRolls: orNull(expectedRolls),
      medianRolls: orNull(followed.get(part) ?? decayed.get(part) ?? Number.POSITIVE_INFINITY),
      worstRolls: part === 1 ? worstCase(chain, true) : worstRolls,
    });
  }
  return timings;
};

/** What determines the cost of a chain's timings. */
export interface ChainShape {
  readonly layers: number;
  readonly edges: number;
  /** The states of layer 0 and, if it can lead to itself, of the last layer: the size of the dense system to solve. */
  readonly size: number;
  /** The steps of following one roll: the edges, or the stretches of a single counter. */
  readonly stepsOfRoll: number;
}

/** Cost of each additional part, in steps: interpolations, and a median looked up in a table. */
const STEPS_OF_PART = 4000;
/** A multiply-add in a tight loop takes about a third of an edge, which is one step. */
const STEPS_OF_PRODUCT = 1 / 3;
/** Number of parts above the small ones, which are computed individually. */
const LARGE_PARTS = 8;

/**
 * The approximate number of steps that the timings of this many different parts take, a step being one edge. `settles` is
 * the number of rolls after which the initial state no longer matters.
 */
export const stepsOfTimings = (shape: ChainShape, parts: number, settles: number): number => {
  const { layers, edges, size, stepsOfRoll } = shape;
  const rolls = Math.min(settles, maxRollsFor(layers, stepsOfRoll));
  const mean = edges + STEPS_OF_PRODUCT * (edges * size + size ** 3);
  const followed = Math.min(parts * 2 * layers * stepsOfRoll, AFFORDABLE_STEPS);
  if (parts <= 1) return mean + followed;
  const decay = Math.min(2 * Math.ceil(settles / layers), MAX_SWEEPS) * edges;
  const alone = Math.min(parts, NODES + LARGE_PARTS);
  const ranges = Math.min(parts, (NODES_OF_RANGE * RANGE) / (RANGE - 1) + LARGE_PARTS / 2);
  return alone * (mean + decay) + followed + (1 + ranges) * rolls * stepsOfRoll + parts * STEPS_OF_PART;
};
