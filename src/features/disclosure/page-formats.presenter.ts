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

/** Numbers and times as they are written in a language. Times are given as ISO 8601. */
export interface Formats {
  /** A percentage with four significant digits. Only what is certain is 100 %. */
  percent(share: number): string;
  count(value: number): string;
  /** A number with as many digits as it has. */
  exact(value: number): string;
  /** A mean number of rolls. */
  mean(value: number): string;
  moment(iso: string): string;
  /** Without the time zone, for tables whose title names it. */
  shortMoment(iso: string): string;
  listed(texts: readonly string[]): string;
}

/** Formats of a locale; the space before the percent sign is a matter of language as well. */
export const createFormats = (locale: string, percentSign: '%' | ' %'): Formats => {
  const format = (options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options);
  const significant = format({ maximumSignificantDigits: DIGITS });
  const whole = format({ maximumFractionDigits: 0 });
  const decimals = format({ minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const exact = format({ maximumFractionDigits: 20 });
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  const shortDates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
  const list = new Intl.ListFormat(locale, { type: 'conjunction' });
  const hundred = significant.format(100);
  return {
    percent: (share) => {
      if (share >= 1) return `${hundred}${percentSign}`;
      const text = significant.format(share * 100);
      return text === hundred ? `&gt; ${significant.format(99.99)}${percentSign}` : `${text}${percentSign}`;
    },
    count: (value) => whole.format(value),
    exact: (value) => exact.format(value),
    mean: (value) => (value < 1000 ? decimals.format(value) : whole.format(value)),
    moment: (iso) => `<time datetime="${iso}">${dates.format(new Date(iso))} UTC</time>`,
    shortMoment: (iso) => `<time datetime="${iso}">${shortDates.format(new Date(iso))}</time>`,
    listed: (texts) => list.format(texts),
  };
};
