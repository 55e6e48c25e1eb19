import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from './limits.ts';

/** Waits for a promise, but at most `ms` milliseconds. */
export const waitUpTo = async (ms: number, promise: Promise<unknown>): Promise<void> => {
  const over = new AbortController();
  const tooLong = delay(ms, undefined, { signal: over.signal }).catch(() => {});
  try {
    await Promise.race([promise, tooLong]);
  } finally {
    over.abort();
  }
};

/** Recently formatted times: a response contains the same ones many times. */
const texts = new Map<number, string>();

/** Formats a time for the API: ISO 8601, UTC, milliseconds. */
export const isoTime = (epochMs: number): string => {
  let text = texts.get(epochMs);
  if (text === undefined) {
    text = new Date(epochMs).toISOString();
    if (texts.size >= LIMITS.cachedTimeTexts) texts.clear();
    texts.set(epochMs, text);
  }
  return text;
};

const MS_PER_DAY = 86_400_000;
let knownDay = Number.NaN;
let knownDayText = '';

/** The UTC day of a time, as YYYY-MM-DD. Caches the last day, since most calls are for the same one. */
export const utcDay = (epochMs: number): string => {
  const day = Math.floor(epochMs / MS_PER_DAY);
  if (day !== knownDay) {
    knownDay = day;
    knownDayText = isoTime(day * MS_PER_DAY).slice(0, 10);
  }
  return knownDayText;
};
