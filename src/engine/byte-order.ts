const FIRST_SURROGATE = 0xd800;
const AFTER_SURROGATES = 0xe000;

/** Where a code unit stands in UTF-8: surrogates begin four-byte characters, so they follow all of the rest. */
const rankOf = (unit: number): number => {
  if (unit < FIRST_SURROGATE) return unit;
  return unit >= AFTER_SURROGATES ? unit - (AFTER_SURROGATES - FIRST_SURROGATE) : unit + 0x2000;
};

/**
 * Compares two strings by the bytes of their UTF-8 form. Every order in the engine is this one: it does not depend on
 * a locale, and both databases can sort the same way.
 */
export const compareBytes = (left: string, right: string): number => {
  const shared = Math.min(left.length, right.length);
  for (let index = 0; index < shared; index += 1) {
    const difference = left.charCodeAt(index) - right.charCodeAt(index);
    if (difference !== 0) return rankOf(left.charCodeAt(index)) - rankOf(right.charCodeAt(index));
  }
  return left.length - right.length;
};

/** A sorted copy, in byte order of the key. */
export const sortedBy = <T>(entries: Iterable<T>, key: (entry: T) => string): T[] =>
  [...entries].sort((left, right) => compareBytes(key(left), key(right)));
