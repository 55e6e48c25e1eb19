const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** The first Monday of the epoch; weeks start on Monday, in UTC. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** The start of the week of a moment. */
export const weekOf = (epochMs: number): number =>
  Math.floor((epochMs - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS;

export const nextWeek = (epochMs: number): number => weekOf(epochMs) + WEEK_MS;
