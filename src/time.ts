/** A moment as the interface writes it: ISO 8601, UTC, milliseconds. */
export const isoTime = (epochMs: number): string => new Date(epochMs).toISOString();

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
