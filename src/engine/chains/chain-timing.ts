import { type Chain, canHit, meanByRestarts, statesOf, worstCase } from './chain.ts';
import { decayOf, keptChances } from './chain-decay.ts';
import {
  type Decay,
  type Follower,
  medianByFollowing,
  medianOfDecay,
  medianWithin,
  NEVER,
  orNull,
  settlesAfter,
  type Timing,
} from './survival.ts';

const MOST_ROLLS_FOLLOWED = 100_000;
const MOST_EDGES_FOLLOWED = 100_000_000;

/** Follows a chain in which an edge marked as a hit is one with the chance `part`. */
const followChain = (chain: Chain, part: number): Follower => {
  const { sources, targets } = chain;
  const states = statesOf(chain);
  const kept = keptChances(chain, part);
  let now = new Float64Array(states);
  let next = new Float64Array(states);
  now[0] = 1;
  let left = 1;
  const advance = (): void => {
    next.fill(0);
    left = 0;
    for (let edge = 0; edge < kept.length; edge += 1) {
      const target = targets[edge] as number;
      const moved = (now[sources[edge] as number] as number) * (kept[edge] as number);
      next[target] = (next[target] as number) + moved;
      left += moved;
    }
    [now, next] = [next, now];
  };
  return { advance, left: () => left };
};

const mostRollsOf = (chain: Chain): number =>
  Math.min(MOST_ROLLS_FOLLOWED, Math.max(4 * chain.layers, Math.floor(MOST_EDGES_FOLLOWED / chain.sources.length)));

/** Following so much is a matter of some ten milliseconds. */
const AFFORDABLE_EDGES = 20_000_000;

/** Where there is no mean, there is no hit in the end, and what is left of the chance decays no more. */
const decayOfPart = (chain: Chain, part: number, expectedRolls: number): Decay | null => {
  const decay = decayOf(chain, part);
  return decay === null || Number.isFinite(expectedRolls) ? decay : { ...decay, lnFactor: 0 };
};

/** Parts up to this are worked out together when there are many: of greater ones a tier has at most twenty. */
const SMALL_PART = 0.05;
const NODES = 16;

/**
 * A polynomial through the values at sixteen parts up to the greatest, as a function of s = -ln(1 - part). What it is
 * used for, means, decays and chances of no hit, divided or multiplied by s, is so smooth in s that nothing is lost:
 * many items cost little more than few.
 */
const interpolate = <T>(greatest: number, workOut: (part: number) => T) => {
  const most = -Math.log1p(-greatest);
  const nodes = Array.from({ length: NODES }, (_, index) => {
    const angle = ((2 * index + 1) * Math.PI) / (2 * NODES);
    const s = (most * (1 + Math.cos(angle))) / 2;
    return { s, weight: (index % 2 === 0 ? 1 : -1) * Math.sin(angle), known: workOut(-Math.expm1(-s)) };
  });
  const at = (s: number, measure: (known: T, s: number) => number): number => {
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
  return { nodes, at };
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
  const { nodes, at } = interpolate(greatest, workOut);
  if (nodes.some(({ known }) => known.decay === null || !Number.isFinite(known.expectedRolls))) return workOut;
  return (part) => {
    const s = -Math.log1p(-part);
    return {
      expectedRolls: at(s, ({ expectedRolls }, node) => expectedRolls * node) / s,
      decay: {
        lnScale: s * at(s, ({ decay }, node) => (decay?.lnScale ?? 0) / node),
        lnFactor: s * at(s, ({ decay }, node) => (decay?.lnFactor ?? 0) / node),
      },
    };
  };
};

/**
 * Medians of small parts that come before the decay has settled, from the chances of no hit followed for sixteen parts.
 */
const earlyMedians = (chain: Chain, greatest: number, settled: number): ((part: number) => number) => {
  const { at } = interpolate(greatest, (part) => {
    const follower = followChain(chain, part);
    const lns = new Float64Array(settled + 1);
    for (let rolls = 1; rolls <= settled; rolls += 1) {
      follower.advance();
      lns[rolls] = Math.log(follower.left());
    }
    return lns;
  });
  return (part) => {
    const s = -Math.log1p(-part);
    return medianWithin((n) => s * at(s, (lns, node) => (lns[n] as number) / node), settled);
  };
};

/** What is known of a part before its median is. */
interface Worked {
  readonly part: number;
  readonly expectedRolls: number;
  /** Asked for only where rolls are too many to follow. */
  readonly decay: () => Decay | null;
}

/** The medians that are soon found by following: the shortest first, as many as are affordable. */
const followShortest = (chain: Chain, worked: readonly Worked[]): Map<number, number> => {
  const medians = new Map<number, number>();
  let affordable = AFFORDABLE_EDGES / chain.sources.length;
  for (const { part, expectedRolls } of worked.toSorted((left, right) => left.expectedRolls - right.expectedRolls)) {
    affordable -= expectedRolls;
    if (!(affordable > 0)) break;
    medians.set(
      part,
      medianByFollowing(followChain(chain, part), mostRollsOf(chain), () => expectedRolls),
    );
  }
  return medians;
};

/** The other medians: from the decay where it has settled by then, and else by following after all. */
const medianByDecay = (chain: Chain, worked: readonly Worked[]): Map<number, number> => {
  const mostRolls = mostRollsOf(chain);
  const estimated = worked.map(({ decay, ...rest }) => {
    const known = decay();
    return { ...rest, decay: known, median: known === null ? 0 : medianOfDecay(known) };
  });
  // How long the beginning is felt hardly depends on the part; the least, with the fewest hits, feels it longest.
  const least = estimated.findLast(({ decay }) => decay !== null);
  const settled =
    least?.decay == null ? 0 : settlesAfter(followChain(chain, least.part), least.decay, chain.layers, mostRolls);
  const early = estimated.filter(({ part, median }) => part <= SMALL_PART && median <= settled);
  const byTable = early.reduce((rolls, { median }) => rolls + median, 0) > NODES * settled;
  const earlyMedian = byTable ? earlyMedians(chain, early[0]?.part ?? 0, settled) : undefined;
  return new Map(
    estimated.map(({ part, expectedRolls, decay, median }) => {
      if (decay !== null && median > settled) return [part, median];
      if (decay !== null && earlyMedian !== undefined && part <= SMALL_PART) return [part, earlyMedian(part)];
      return [part, medianByFollowing(followChain(chain, part), mostRolls, () => expectedRolls)];
    }),
  );
};

/** The timing of the first hit for every part asked for: an edge marked as a hit is one with that chance. */
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
