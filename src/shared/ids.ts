import { randomFillSync } from 'node:crypto';

/** Random bytes are fetched in bulk: fetching sixteen costs as much as fetching thousands. */
const pool = Buffer.allocUnsafe(16 * 1024);
let used = pool.length;

const randomBytes = (count: number): Buffer => {
  if (used + count > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += count;
  return pool.subarray(used - count, used);
};

const HIGHEST_COUNT = 0xffffffff;
let lastMs = 0;
let count = 0;

/** A prefix that sorts after every id created before a moment, and before every id created then or later. */
export const earliestId = (epochMs: number): string => {
  const time = Math.max(0, epochMs).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}`;
};

/** When an id was created; 0 if it is not one of ours. */
export const timeOfId = (id: string): number =>
  Number.parseInt(/^([0-9a-f]{8})-([0-9a-f]{4})-/.exec(id)?.slice(1).join('') ?? '0', 16);

/**
 * A version 7 UUID: the time, a counter that starts anywhere in the lower half of its range, and 42 random bits. Ids of
 * one process sort in order of creation, even within a millisecond and when the clock goes back.
 */
export const newId = (): string => {
  const random = randomBytes(10);
  const nowMs = Date.now();
  if (nowMs > lastMs) {
    lastMs = nowMs;
    count = random.readUInt32BE(6) >>> 1;
  } else if (count === HIGHEST_COUNT) {
    lastMs += 1;
    count = random.readUInt32BE(6) >>> 1;
  } else count += 1;
  const time = lastMs.toString(16).padStart(12, '0');
  // The counter fills the 12 bits after the version and 20 bits after the variant.
  const high = (0x7000 | (count >>> 20)).toString(16);
  const middle = (0x8000 | ((count >>> 6) & 0x3fff)).toString(16);
  const low = (((count & 0x3f) << 2) | ((random[5] as number) & 3)).toString(16).padStart(2, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-${high}-${middle}-${low}${random.toString('hex', 0, 5)}`;
};
