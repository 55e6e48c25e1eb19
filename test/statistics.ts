import type { Draws } from '../src/engine/random.ts';

/**
 * A cheap seeded source of 53-bit draws for large statistical tests: sfc32 by Chris Doty-Humphrey, warmed up from the
 * seed. It is predictable, and must not be used outside tests and benchmarks.
 */
export const cheapDraws = (seed: number): Draws => {
  let a = 0;
  let b = 0;
  let c = seed | 0;
  let counter = 1;
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return sum >>> 0;
  };
  for (let round = 0; round < 15; round += 1) next();
  return () => ((next() >>> 5) * 0x4000000 + (next() >>> 6)) * 2 ** -53;
};

/** Draws from a list; running out of draws is a bug in the test. */
export const listedDraws = (...draws: readonly number[]): Draws => {
  let next = 0;
  return () => {
    const draw = draws[next];
    if (draw === undefined) throw new Error(`Only ${draws.length} draws were listed.`);
    next += 1;
    return draw;
  };
};

/** Counts the draws taken from a source. */
export const countedDraws = (draws: Draws): { draws: Draws; count: () => number } => {
  let count = 0;
  return {
    draws: () => {
      count += 1;
      return draws();
    },
    count: () => count,
  };
};

const lnGamma = (x: number): number => {
  // Stirling's series, after shifting the argument to where it is exact to about 1e-13.
  let shift = 0;
  let z = x;
  while (z < 15) {
    shift += Math.log(z);
    z += 1;
  }
  const series = 1 / (12 * z) - 1 / (360 * z ** 3) + 1 / (1260 * z ** 5) - 1 / (1680 * z ** 7);
  return (z - 0.5) * Math.log(z) - z + 0.5 * Math.log(2 * Math.PI) + series - shift;
};

/** The probability that a chi-square variable with this many degrees of freedom exceeds the statistic. */
export const chiSquareTail = (statistic: number, degrees: number): number => {
  const a = degrees / 2;
  const x = statistic / 2;
  if (x <= 0) return 1;
  const front = Math.exp(-x + a * Math.log(x) - lnGamma(a));
  if (x < a + 1) {
    let term = 1 / a;
    let sum = term;
    for (let n = 1; term > sum * 1e-16; n += 1) {
      term *= x / (a + n);
      sum += term;
    }
    return 1 - sum * front;
  }
  // Lentz's continued fraction for the upper tail.
  let b = x + 1 - a;
  let c = 1e300;
  let d = 1 / b;
  let fraction = d;
  for (let n = 1; n < 10_000; n += 1) {
    const an = -n * (n - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    fraction *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return front * fraction;
};

/** The value that a chi-square variable exceeds with probability `level`. */
export const chiSquareCritical = (degrees: number, level: number): number => {
  let low = 0;
  let high = degrees + 10;
  while (chiSquareTail(high, degrees) > level) high *= 2;
  while (high - low > 1e-9 * high) {
    const middle = (low + high) / 2;
    if (chiSquareTail(middle, degrees) > level) low = middle;
    else high = middle;
  }
  return high;
};

/** The chi-square statistic of counts against exact shares. Observing an impossible outcome gives Infinity. */
export const chiSquare = (
  counts: readonly number[],
  shares: readonly number[],
): { statistic: number; degrees: number } => {
  const total = counts.reduce((sum, count) => sum + count, 0);
  let statistic = 0;
  let cells = 0;
  for (const [index, share] of shares.entries()) {
    const count = counts[index] ?? 0;
    const expected = share * total;
    if (share === 0) {
      if (count > 0) statistic = Number.POSITIVE_INFINITY;
      continue;
    }
    cells += 1;
    statistic += (count - expected) ** 2 / expected;
  }
  return { statistic, degrees: cells - 1 };
};

/** Whether counts agree with exact shares: false for a correct implementation in one of 1/level seeds. */
export const agrees = (counts: readonly number[], shares: readonly number[], level: number): boolean => {
  const { statistic, degrees } = chiSquare(counts, shares);
  return degrees === 0 ? Number.isFinite(statistic) : statistic < chiSquareCritical(degrees, level);
};
