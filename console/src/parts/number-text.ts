/** How numbers are typed: as they are written everywhere in the console, or without commas, or as 1e3. */

export interface Limits {
  readonly min?: number;
  readonly max?: number;
  readonly isWhole?: boolean;
}

const NUMBER = /^[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d*)?(?:e[-+]?\d+)?$/i;

/** The number that a text stands for; undefined if it stands for none. */
export const parseNumber = (text: string): number | undefined => {
  const bare = text.trim().replace('−', '-');
  if (!NUMBER.test(bare) || !/\d/.test(bare)) return undefined;
  const value = Number(bare.replaceAll(',', ''));
  return Number.isFinite(value) ? value : undefined;
};

const plain = new Intl.NumberFormat('en', { maximumSignificantDigits: 15 });

const rangeWords = ({ min, max }: Limits): string => {
  if (min !== undefined && max !== undefined) return ` from ${plain.format(min)} to ${plain.format(max)}`;
  if (min !== undefined) return ` of at least ${plain.format(min)}`;
  return max === undefined ? '' : ` of at most ${plain.format(max)}`;
};

/** What is wrong with a form value: the text as it was typed, or a number. Nothing is wrong with an empty field. */
export const numberFault = (value: number | string, limits: Limits): string | undefined => {
  if (value === '') return undefined;
  const number = typeof value === 'number' ? value : parseNumber(value);
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, isWhole = false } = limits;
  const isFine = number !== undefined && number >= min && number <= max && !(isWhole && !Number.isInteger(number));
  return isFine ? undefined : `Enter a ${isWhole ? 'whole ' : ''}number${rangeWords(limits)}`;
};
