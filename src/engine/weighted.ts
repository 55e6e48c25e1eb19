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

/** Marks a bucket all of whose draws choose the same entry; the rest of the number is that entry. */
const WHOLE = 0x80000000;
const BUCKETS_AN_ENTRY = 2;

/**
 * Finds the entry of `pickLinear` in constant expected time. The draws are cut into buckets of equal width, a few for
 * each entry, and each bucket remembers the entry that its lowest draw chooses. Rounding `u × total` never turns two
 * draws round, so a higher draw never chooses an earlier entry. Where the highest draw chooses the same entry, that is
 * all there is to look up, which spares large pools the way to slow memory; elsewhere a scan begins at the remembered
 * entry and compares the very doubles of the definition. The number of buckets is a power of two, which makes `u ×
 * buckets` exact.
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
  const count = raised.length;
  const running = Float64Array.from(raised);
  // One place more than there are entries: what is left when no running total exceeds the draw.
  const lastResort = weights.findLastIndex((weight) => weight > 0);
  const chosen = Int32Array.from([...indices, lastResort]);
  // Most pools leave nothing out: then an entry is its own index, and one look into memory less.
  const isIndex = count === weights.length;

  const scan = (from: number, t: number): number => {
    let entry = from;
    while (entry < count && !((running[entry] as number) > t)) entry += 1;
    return entry;
  };
  const buckets = leastPowerOfTwoFrom(BUCKETS_AN_ENTRY * count);
  const first = new Uint32Array(buckets);
  let entry = 0;
  for (let bucket = 0; bucket < buckets; bucket += 1) {
    entry = scan(entry, (bucket / buckets) * total);
    const highest = scan(entry, ((bucket + 1) / buckets - 2 ** -53) * total);
    first[bucket] = entry === highest && lastResort >= 0 ? WHOLE + (chosen[entry] as number) : entry;
  }

  const pick = (u: number): number => {
    const found = first[(u * buckets) | 0] as number;
    if (found >= WHOLE) return found - WHOLE;
    const t = u * total;
    let candidate = found;
    while (candidate < count && !((running[candidate] as number) > t)) candidate += 1;
    return isIndex && candidate < count ? candidate : (chosen[candidate] as number);
  };
  return { total, pick };
};
