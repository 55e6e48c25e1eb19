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

const OFFSET_TIME = /^(\d{4}-\d\d-\d\dT)(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d\d):(\d\d))$/;
const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;

/** The same of a time as configurations have it: with an offset, perhaps without seconds; hour 24 ends a day. */
export const offsetTimeMsOf = (text: string): number | undefined => {
  const [, date, hours, minutes, seconds = '00', fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] =
    OFFSET_TIME.exec(text) ?? [];
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return undefined;
  const isEnd = hours === '24' && `${minutes}${seconds}` === '0000' && /^0*$/.test(fraction);
  const inUtc = timeMsOf(
    `${date}${isEnd ? '00' : hours}:${minutes}:${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}Z`,
  );
  if (inUtc === undefined) return undefined;
  const offset = (60 * Number(offsetHours) + Number(offsetMinutes)) * MINUTE_MS * (sign === '-' ? -1 : 1);
  return inUtc + (isEnd ? DAY_MS : 0) - offset;
};
