import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from './limits.ts';

/** Waits for a promise, but not for ever. */
export const waitAtMost = async (ms: number, promise: Promise<unknown>): Promise<void> => {
  const over = new AbortController();
  const tooLong = delay(ms, undefined, { signal: over.signal }).catch(() => {});
  try {
    await Promise.race([promise, tooLong]);
  } finally {
    over.abort();
  }
};

/** Texts of moments lately named: an answer names the same ones many times. */
const texts = new Map<number, string>();

/** A moment as the interface writes it: ISO 8601, UTC, milliseconds. */
export const isoTime = (epochMs: number): string => {
  let text = texts.get(epochMs);
  if (text === undefined) {
    text = new Date(epochMs).toISOString();
    if (texts.size >= LIMITS.cachedTimeTexts) texts.clear();
    texts.set(epochMs, text);
  }
  return text;
};

const MS_A_DAY = 86_400_000;
let knownDay = Number.NaN;
let knownDayText = '';

/** The day of a moment in UTC, as YYYY-MM-DD. Most moments fall on the day of the one before, whose text is kept. */
export const utcDay = (epochMs: number): string => {
  const day = Math.floor(epochMs / MS_A_DAY);
  if (day !== knownDay) {
    knownDay = day;
    knownDayText = isoTime(day * MS_A_DAY).slice(0, 10);
  }
  return knownDayText;
};
