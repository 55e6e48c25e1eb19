type Numbers = Float64Array | Uint32Array | Uint16Array;

export interface NumberColumnBuilder<T extends Numbers> {
  readonly length: number;
  add(value: number): void;
  /** The numbers added so far, in an array of exactly their length. */
  finish(): T;
}

const NUMBERS_PER_BLOCK = 4096;

/**
 * Collects a number of values that is not known in advance. An ordinary array would be copied repeatedly as it grows,
 * and the discarded copies would count as memory of the process until collected.
 */
export const buildNumberColumn = <T extends Numbers>(
  NumberArray: new (length: number) => T,
): NumberColumnBuilder<T> => {
  const full: T[] = [];
  let block = new NumberArray(NUMBERS_PER_BLOCK);
  let used = 0;
  return {
    get length() {
      return full.length * NUMBERS_PER_BLOCK + used;
    },
    add: (value) => {
      if (used === NUMBERS_PER_BLOCK) {
        full.push(block);
        block = new NumberArray(NUMBERS_PER_BLOCK);
        used = 0;
      }
      block[used] = value;
      used += 1;
    },
    finish: () => {
      const column = new NumberArray(full.length * NUMBERS_PER_BLOCK + used);
      for (const [index, numbers] of full.entries()) column.set(numbers, index * NUMBERS_PER_BLOCK);
      column.set(block.subarray(0, used), full.length * NUMBERS_PER_BLOCK);
      return column;
    },
  };
};
