/** Number formats. A non-breaking space keeps a number and its unit together. */

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const plain = new Intl.NumberFormat('en', { maximumSignificantDigits: 6 });

export const formatCount = (count: number): string => whole.format(count);

/** A count with its noun: 1 item, 1,200 items. */
export const formatMany = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/** A number, rounded to a number of decimals if that is given. */
export const formatNumber = (value: number, decimals?: number): string =>
  plain.format(decimals === undefined ? value : Number(value.toFixed(decimals)));

const average = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** A mean count in a column, where all have the same number of digits. */
export const formatAverage = (value: number): string => average.format(value);

/** A share as a percentage, with enough digits to tell small ones apart. */
export const formatShare = (share: number, digits = 4): string => {
  if (share === 0) return '0\u00a0%';
  if (share === 1) return '100\u00a0%';
  const percent = share * 100;
  const text = percent < 1e-6 ? percent.toExponential(2) : String(Number(percent.toPrecision(digits)));
  return `${text}\u00a0%`;
};

/** A share in a column, where all have the same number of digits. */
export const formatColumnShare = (share: number): string =>
  share === 0 || share === 1 || share < 1e-8 ? formatShare(share) : `${(share * 100).toPrecision(3)}\u00a0%`;

/** A share as players say it: 1 in N. */
export const formatOneIn = (share: number): string =>
  share <= 0 ? 'never' : `1 in ${share > 0.1 ? Number((1 / share).toFixed(2)) : formatCount(Math.round(1 / share))}`;

/** The difference of two shares, in percentage points. */
export const formatShift = (shift: number): string => {
  const points = shift * 100;
  if (Math.abs(points) < 1e-9) return '±0';
  return `${points > 0 ? '+' : '−'}${Number(Math.abs(points).toPrecision(3))}`;
};

const moments = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
export const formatMoment = (iso: string): string => moments.format(new Date(iso));

const days = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
export const formatDay = (date: string): string => days.format(new Date(`${date}T00:00:00Z`));

const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
/** The day of a moment in UTC, as statistics count them. */
export const formatDate = (iso: string): string => dates.format(new Date(iso));
