const ISO_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.(\d{3})Z$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/** Days of all years before this one, counted from the year 0. */
const daysBefore = (year: number): number =>
  365 * year + Math.floor((year + 3) / 4) - Math.floor((year + 99) / 100) + Math.floor((year + 399) / 400);

/** Milliseconds since 1970 of a time as receipts have it, in UTC with milliseconds; undefined for any other text. */
export const timeMsOf = (text: string): number | undefined => {
  const parts = ISO_TIME.exec(text)?.slice(1).map(Number);
  if (parts === undefined) return undefined;
  const [year, month, day, hours, minutes, seconds, ms] = parts as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const daysIn = (DAYS[month - 1] ?? 0) + (month === 2 && isLeap(year) ? 1 : 0);
  if (day < 1 || day > daysIn || hours > 23 || minutes > 59 || seconds > 59) return undefined;
  let days = daysBefore(year) - daysBefore(1970) + day - 1;
  for (let before = 1; before < month; before += 1) days += DAYS[before - 1] as number;
  if (month > 2 && isLeap(year)) days += 1;
  return ((days * 24 + hours) * 60 + minutes) * 60_000 + seconds * 1000 + ms;
};
