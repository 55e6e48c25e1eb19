const DAY_MS = 86_400_000;

const dayOf = (epochMs: number): string => new Date(epochMs).toISOString().slice(0, 10);

/** The day `count` days earlier, in UTC, as `YYYY-MM-DD`. */
export const dayBefore = (day: string, count: number): string => dayOf(Date.parse(day) - count * DAY_MS);

interface DayCount {
  readonly date: string;
  readonly count: number;
}

/** Every day of a period; the API lists only those with rolls. */
export const everyDay = (days: readonly DayCount[], from: string, to: string): DayCount[] => {
  const counts = new Map(days.map(({ date, count }) => [date, count]));
  const all: DayCount[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS)
    all.push({ date: dayOf(at), count: counts.get(dayOf(at)) ?? 0 });
  return all;
};
