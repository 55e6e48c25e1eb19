import { allAtOnce, ELEMENTS_PER_STEP, type Steps } from '../steps.ts';

/** A weighted choice, compiled once. */
export interface Picker {
  /** The sum of the weights, added from left to right. */
  readonly total: number;
  /** The index that the draw `u` chooses; -1 if no weight is above 0. */
  pick(u: number): number;
}

const MIN_TOTAL = 2 ** -900;
const MAX_TOTAL = 2 ** 1000;

/** Whether sums and products of such a total keep their precision; any other total is a configuration error. */
export const isUsableTotal = (total: number): boolean => total >= MIN_TOTAL && total <= MAX_TOTAL;

export const sumOf = (weights: ArrayLike<number>): number => {
  let total = 0;
  for (let index = 0; index < weights.length; index += 1) total += weights[index] as number;
  return total;
};

/** The definition of a choice. Every faster implementation must agree with it for every draw. */
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

const BUCKETS_PER_ENTRY = 1;
/** Each bucket is divided into parts, so that one word can say where in it the next entry starts. */
const PARTS = 2 ** 13;
/** No boundary in this bucket: all of its draws choose the same entry. */
const WHOLE = PARTS;
/** Several boundaries in this bucket: a scan finds the entry. */
const SCANNED = 2 * PARTS - 1;
const PART_BITS = 14;
const MAX_ENTRIES = 2 ** (32 - PART_BITS);

/**
 * Finds the entry of `pickLinear` in constant expected time. The draws are divided into buckets of equal width, one or
 * two per entry. Each bucket stores, in one word, the entry that its lowest draw chooses and the part of the bucket in
 * which the next entry starts. Rounding `u × total` is monotonic, so a higher draw never chooses an earlier entry:
 * draws in lower parts choose the first entry, those in higher parts the second. Only in the part with the boundary,
 * and in the few buckets with several boundaries, a scan compares exactly the doubles of the definition. So most draws
 * read a single word, which saves large pools cache misses. The numbers of buckets and parts are powers of two, which
 * makes `u × buckets` and everything derived from it exact.
 */
export function* buildPicker(weights: ArrayLike<number>): Steps<Picker> {
  // Entries that do not increase the running total (zeros, and weights lost in rounding) can only be chosen as the last
  // resort, so the scan skips them.
  const running = new Float64Array(weights.length);
  // One more than there are entries: the last is used if no running total exceeds the draw.
  const chosen = new Int32Array(weights.length + 1);
  let count = 0;
  let total = 0;
  let lastResort = -1;
  for (let index = 0; index < weights.length; index += 1) {
    const weight = weights[index] as number;
    const before = total;
    total += weight;
    if (weight > 0) lastResort = index;
    if (!(total > before)) continue;
    running[count] = total;
    chosen[count] = index;
    count += 1;
  }
  if (count >= MAX_ENTRIES) throw new Error(`More than ${MAX_ENTRIES} weights are not supported.`);
  chosen[count] = lastResort;
  // Most pools skip nothing: then an entry is its own index, which saves a memory access.
  const isIndex = count === weights.length;

  const scan = (from: number, t: number): number => {
    let entry = from;
    while (entry < count && !((running[entry] as number) > t)) entry += 1;
    return entry;
  };
  const buckets = leastPowerOfTwoFrom(BUCKETS_PER_ENTRY * count);
  /** The last part of a bucket whose lowest draw still chooses the first of its two entries. */
  const partOfBorder = (bucket: number, entry: number): number => {
    let part = 0;
    for (let step = PARTS / 2; step >= 1; step /= 2) {
      if (scan(entry, ((bucket + (part + step) / PARTS) / buckets) * total) === entry) part += step;
    }
    return part;
  };
  const words = new Uint32Array(buckets);
  let entry = 0;
  for (let bucket = 0; bucket < buckets; bucket += 1) {
    entry = scan(entry, (bucket / buckets) * total);
    const highest = scan(entry, ((bucket + 1) / buckets - 2 ** -53) * total);
    const part = highest === entry ? WHOLE : highest === entry + 1 ? partOfBorder(bucket, entry) : SCANNED;
    words[bucket] = entry * 2 ** PART_BITS + part;
    if (bucket % ELEMENTS_PER_STEP === ELEMENTS_PER_STEP - 1) yield;
  }

  const pick = (u: number): number => {
    const place = u * buckets;
    const bucket = place | 0;
    const word = words[bucket] as number;
    const border = word & (2 ** PART_BITS - 1);
    const part = ((place - bucket) * PARTS) | 0;
    // The sign bit of the difference, 1 after the boundary; a branch would have to wait for the word.
    let found = (word >>> PART_BITS) + ((border - part) >>> 31);
    if (part === border || border === SCANNED) {
      const t = u * total;
      while (found < count && !((running[found] as number) > t)) found += 1;
    }
    return isIndex && found < count ? found : (chosen[found] as number);
  };
  return { total, pick };
}

export const compilePicker = (weights: ArrayLike<number>): Picker => allAtOnce(buildPicker(weights));
