import type { Draws } from '../random.ts';

/** A generator whose state can be set again and again, which is cheaper than a new one per player. */
export interface Xoshiro {
  /** Sets the state: four 32-bit words, not all of them 0. */
  seed(words: readonly [number, number, number, number]): void;
  readonly draws: Draws;
}

const rotateLeft = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));

/**
 * xoshiro128** 1.1 by Blackman and Vigna: fast, and far better than any simulation can tell. It is not for real rolls,
 * since its outputs can be predicted from earlier ones. Two outputs make one draw of 53 bits.
 */
export const createXoshiro = (): Xoshiro => {
  let [s0, s1, s2, s3] = [1, 0, 0, 0];
  const next = (): number => {
    const output = Math.imul(rotateLeft(Math.imul(s1, 5), 7), 9);
    const shifted = s1 << 9;
    s2 ^= s0;
    s3 ^= s1;
    s1 ^= s2;
    s0 ^= s3;
    s2 ^= shifted;
    s3 = rotateLeft(s3, 11);
    return output;
  };
  return {
    seed: (words) => {
      [s0, s1, s2, s3] = [words[0] | 0, words[1] | 0, words[2] | 0, words[3] | 0];
    },
    draws: () => {
      const high = next() >>> 5;
      const low = next() >>> 6;
      return (high * 2 ** 26 + low) / 2 ** 53;
    },
  };
};
