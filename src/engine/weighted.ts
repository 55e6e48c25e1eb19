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

const BUCKETS_AN_ENTRY = 2;
/** So many buckets share the entry that the lowest draw of the first of them chooses; each keeps how far it is on. */
const BLOCK_BITS = 5;
const BUCKETS_A_BLOCK = 2 ** BLOCK_BITS;
/** Each bucket is cut into parts once more, so that a word can tell where in it the next entry begins. */
const PARTS = 64;
/** No border in this bucket: all of its draws choose the same entry. */
const WHOLE = PARTS;
/** Several borders in this bucket, or too many before it in its block: a scan finds the entry. */
const SCANNED = 127;
const BORDER_BITS = 7;
const FARTHEST = 2 ** (16 - BORDER_BITS) - 1;

/**
 * Finds the entry of `pickLinear` in constant expected time. The draws are cut into buckets of equal width, a few for
 * each entry, and each bucket remembers the entry that its lowest draw chooses and the part of the bucket in which the
 * next entry begins. Rounding `u × total` never turns two draws round, so a higher draw never chooses an earlier entry:
 * draws of lower parts choose the one, those of higher parts the other. Only in the part with the border, and in the few
 * buckets with several, a scan compares the very doubles of the definition. Buckets and parts are powers of two, which
 * makes `u × buckets` and all that follows from it exact.
 *
 * A bucket takes 16 bits: with many items it is the way to slow memory that costs, and small tables stay near.
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
  /** The last part of a bucket whose lowest draw still chooses the first of its two entries. */
  const partOfBorder = (bucket: number, entry: number): number => {
    let part = 0;
    for (let step = PARTS / 2; step >= 1; step /= 2) {
      if (scan(entry, ((bucket + (part + step) / PARTS) / buckets) * total) === entry) part += step;
    }
    return part;
  };
  const words = new Uint16Array(buckets);
  const starts = new Uint32Array(Math.ceil(buckets / BUCKETS_A_BLOCK));
  let entry = 0;
  for (let bucket = 0; bucket < buckets; bucket += 1) {
    entry = scan(entry, (bucket / buckets) * total);
    const block = Math.floor(bucket / BUCKETS_A_BLOCK);
    if (bucket % BUCKETS_A_BLOCK === 0) starts[block] = entry;
    const far = entry - (starts[block] as number);
    const highest = scan(entry, ((bucket + 1) / buckets - 2 ** -53) * total);
    const border = highest === entry ? WHOLE : highest === entry + 1 ? partOfBorder(bucket, entry) : SCANNED;
    words[bucket] = far <= FARTHEST ? far * 2 ** BORDER_BITS + border : FARTHEST * 2 ** BORDER_BITS + SCANNED;
  }

  const pick = (u: number): number => {
    const place = u * buckets;
    const bucket = place | 0;
    const word = words[bucket] as number;
    const border = word & (2 ** BORDER_BITS - 1);
    const part = ((place - bucket) * PARTS) | 0;
    // The sign of the difference, without a branch that would wait for the word: 1 behind the border.
    let found = (starts[bucket >>> BLOCK_BITS] as number) + (word >>> BORDER_BITS) + ((border - part) >>> 31);
    if (part === border || border === SCANNED) {
      const t = u * total;
      while (found < count && !((running[found] as number) > t)) found += 1;
    }
    return isIndex && found < count ? found : (chosen[found] as number);
  };
  return { total, pick };
};
