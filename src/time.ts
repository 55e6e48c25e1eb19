let knownMs = Number.NaN;
let knownText = '';

/** A moment as the interface writes it: ISO 8601, UTC, milliseconds. One answer names the same moment many times. */
export const isoTime = (epochMs: number): string => {
  if (epochMs !== knownMs) {
    knownText = new Date(epochMs).toISOString();
    knownMs = epochMs;
  }
  return knownText;
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
