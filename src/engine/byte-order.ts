const FIRST_SURROGATE = 0xd800;
const AFTER_SURROGATES = 0xe000;

/** The order of a code unit in UTF-8: surrogates start four-byte characters, so they sort after all others. */
const rankOf = (unit: number): number => {
  if (unit < FIRST_SURROGATE) return unit;
  return unit >= AFTER_SURROGATES ? unit - (AFTER_SURROGATES - FIRST_SURROGATE) : unit + 0x2000;
};

/**
 * Compares two strings by their UTF-8 bytes. The engine uses no other order: it does not depend on a locale, and both
 * databases can sort the same way.
 */
export const compareBytes = (left: string, right: string): number => {
  const shared = Math.min(left.length, right.length);
  for (let index = 0; index < shared; index += 1) {
    const difference = left.charCodeAt(index) - right.charCodeAt(index);
    if (difference !== 0) return rankOf(left.charCodeAt(index)) - rankOf(right.charCodeAt(index));
  }
  return left.length - right.length;
};

/** A copy sorted by the key in byte order. */
export const sortedBy = <T>(entries: Iterable<T>, key: (entry: T) => string): T[] =>
  [...entries].sort((left, right) => compareBytes(key(left), key(right)));
