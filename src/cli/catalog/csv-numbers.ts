import type { Delimiter } from './csv.ts';

/** How the numbers of a file are written. */
export type Decimals = '.' | ',';

const WITH_POINT = /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?$/i;
const WITH_COMMA = /^[+-]?(?:\d+,\d+|,\d+)(?:e[+-]?\d+)?$/i;
/** A point that could also separate thousands. */
const MAYBE_THOUSANDS = /^[+-]?[1-9]\d{0,2}(?:\.\d{3})+$/;

/**
 * Finds out how the numbers of a file are written, from all of them. With semicolons between cells, a comma may be the
 * decimal separator, and `1.500` may be a thousand and a half or fifteen hundred: if nothing tells, it is undefined.
 */
export const decimalsOf = (numbers: readonly string[], delimiter: Delimiter): Decimals | undefined => {
  if (delimiter === ',') return '.';
  if (numbers.some((number) => WITH_COMMA.test(number))) return ',';
  const hasPoint = numbers.some(
    (number) => number.includes('.') && WITH_POINT.test(number) && !MAYBE_THOUSANDS.test(number),
  );
  if (hasPoint) return '.';
  return numbers.some((number) => MAYBE_THOUSANDS.test(number)) ? undefined : '.';
};

/** Parses a number, or returns undefined. Numbers are written as JavaScript does, so they come back exactly. */
export const parseNumber = (text: string, decimals: Decimals | undefined): number | undefined => {
  if (decimals !== '.' && text.includes('.')) return undefined;
  const plain = decimals === ',' && WITH_COMMA.test(text) ? text.replace(',', '.') : text;
  const value = WITH_POINT.test(plain) ? Number(plain) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
};
