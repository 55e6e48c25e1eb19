const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text that may contain anything, in HTML. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] as string);

/** A name, which may be written in any direction. */
export const nameIn = (name: string): string => `<bdi>${escaped(name)}</bdi>`;

const DIGITS = 4;
const format = (options: Intl.NumberFormatOptions) => new Intl.NumberFormat('en', options);
const significant = format({ maximumSignificantDigits: DIGITS });
const whole = format({ maximumFractionDigits: 0 });
const decimals = format({ minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** As a percentage with four significant digits. Only what is certain is 100 %. */
export const percent = (share: number): string => {
  if (share >= 1) return '100 %';
  const text = significant.format(share * 100);
  return text === '100' ? '&gt; 99.99 %' : `${text} %`;
};

export const count = (value: number): string => whole.format(value);

/** A mean number of rolls. */
export const mean = (value: number | null): string => {
  if (value === null) return 'never';
  return value < 1000 ? decimals.format(value) : whole.format(value);
};

const dates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
const shortDates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** A time, given as ISO 8601. */
export const moment = (iso: string): string => `<time datetime="${iso}">${dates.format(new Date(iso))} UTC</time>`;
export const shortMoment = (iso: string): string =>
  `<time datetime="${iso}">${shortDates.format(new Date(iso))}</time>`;

const ORDINALS: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd', other: 'th' };
const plural = new Intl.PluralRules('en', { type: 'ordinal' });

export const ordinal = (value: number): string => `${count(value)}${ORDINALS[plural.select(value)]}`;

/** One or many of something. */
export const many = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? '' : 's'}`;

export const listed = (texts: readonly string[]): string =>
  texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;
