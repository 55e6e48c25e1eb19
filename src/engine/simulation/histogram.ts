/** How often each whole number from 0 came up. */
export interface Histogram {
  add(value: number): void;
  /** By value, up to the largest that came up. */
  counts(): Uint32Array;
}

const FIRST_LENGTH = 16;

/** Grows as needed: most values are far below what they could be. */
export const createHistogram = (): Histogram => {
  let counts = new Uint32Array(FIRST_LENGTH);
  let length = 0;
  const grow = (value: number): void => {
    const larger = new Uint32Array(Math.max(2 * counts.length, value + 1));
    larger.set(counts);
    counts = larger;
  };
  return {
    add: (value) => {
      if (value >= counts.length) grow(value);
      if (value >= length) length = value + 1;
      counts[value] = (counts[value] as number) + 1;
    },
    counts: () => counts.subarray(0, length),
  };
};

/** The shares at which a distribution is shown, in percent. */
const PERCENTS = [1, 5, 25, 50, 75, 95, 99] as const;

type PercentileName = `p${(typeof PERCENTS)[number]}`;

/** A distribution in a few numbers. Each percentile is the least value that as many percent do not exceed. */
export type Distribution = Readonly<Record<'mean' | PercentileName | 'max', number>>;

/** The distribution of what was counted; null if nothing was. */
export const distributionOf = ({ counts }: Histogram): Distribution | null => {
  const byValue = counts();
  let total = 0;
  let sum = 0;
  for (const [value, count] of byValue.entries()) {
    total += count;
    sum += value * count;
  }
  if (total === 0) return null;
  const shown: Partial<Record<PercentileName, number>> = {};
  let next = 0;
  let reached = 0;
  for (const [value, count] of byValue.entries()) {
    reached += count;
    // Whole numbers, so that a share of exactly N % counts as reached.
    for (let percent = PERCENTS[next]; percent !== undefined && 100 * reached >= percent * total; ) {
      shown[`p${percent}`] = value;
      next += 1;
      percent = PERCENTS[next];
    }
  }
  const { p1, p5, p25, p50, p75, p95, p99 } = shown as Record<PercentileName, number>;
  return { mean: sum / total, p1, p5, p25, p50, p75, p95, p99, max: byValue.length - 1 };
};
