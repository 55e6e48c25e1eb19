/** A moment as the interface writes it: ISO 8601, UTC, milliseconds. */
export const isoTime = (epochMs: number): string => new Date(epochMs).toISOString();

/** The day of a moment in UTC, as YYYY-MM-DD. */
export const utcDay = (epochMs: number): string => isoTime(epochMs).slice(0, 10);
