/** A choice among weights, compiled once and made as often as wanted. */
export interface Picker {
  /** The sum of the weights, left to right. */
  readonly total: number;
  /** The index that the draw `u` chooses; -1 when no weight is above 0. */
  pick(u: number): number;
}

const LEAST_TOTAL = 2 ** -900;
const GREATEST_TOTAL = 2 ** 1000;

/** Whether sums and products of such a total keep their precision; any other total is a fault of configuration. */
export const isUsableTotal = (total: number): boolean => total >= LEAST_TOTAL && total <= GREATEST_TOTAL;

export const sumOf = (weights: ArrayLike<number>): number => {
  let total = 0;
  for (let index = 0; index < weights.length; index += 1) total += weights[index] as number;
  return total;
};

/** The definition of a choice. Everything faster must agree with it for every draw. */
export const pickLinear = (weights: ArrayLike<number>, u: number): number => {
  const t = u * sumOf(weights);
  let running = 0;
  let last = -1;
  for (let index = 0; index < weights.length; index += 1) {
    const weight = weights[index] as number;
    running += weight;
    if (running > t) return index;
    if (weight > 0) last = index;
  }
  return last;
};

const leastPowerOfTwoFrom = (count: number): number => {
  let power = 1;
  while (power < count) power *= 2;
  return power;
};

/**
 * Finds the entry of `pickLinear` in constant expected time. The draws are cut into buckets of equal width, about one
 * for each entry, and each bucket remembers the entry that its lowest draw chooses. Rounding `u × total` never
 * turns two draws round, so a higher draw never chooses an earlier entry: the scan may begin at the remembered one and
 * compares the very doubles of the definition. The number of buckets is a power of two, which makes `u × buckets` exact.
 */
export const compilePicker = (weights: readonly number[]): Picker => {
  // Entries that do not raise the running total (zeros, and weights lost in rounding) can only be chosen as
  // the last resort, so the scan leaves them out.
  const raised: number[] = [];
  const indices: number[] = [];
  let total = 0;
  for (const [index, weight] of weights.entries()) {
    const before = total;
    total += weight;
    if (total > before) {
      raised.push(total);
      indices.push(index);
    }
  }
  const lastResort = weights.findLastIndex((weight) => weight > 0);
  const count = raised.length;
  const running = Float64Array.from(raised);
  // One place more than there are entries: what is left when no running total exceeds the draw.
  const chosen = Int32Array.from([...indices, lastResort]);

  const buckets = leastPowerOfTwoFrom(count);
  const first = new Uint32Array(buckets);
  let entry = 0;
  for (let bucket = 0; bucket < buckets; bucket += 1) {
    const t = (bucket / buckets) * total;
    while (entry < count && !((running[entry] as number) > t)) entry += 1;
    first[bucket] = entry;
  }

  const pick = (u: number): number => {
    const t = u * total;
    let candidate = first[(u * buckets) | 0] as number;
    while (candidate < count && !((running[candidate] as number) > t)) candidate += 1;
    return chosen[candidate] as number;
  };
  return { total, pick };
};
