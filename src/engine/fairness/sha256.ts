/**
 * SHA-256 and HMAC-SHA-256 (FIPS 180-4, RFC 2104) without a platform, so that service, command line and browser derive
 * draws and check receipts with the same code, at once, and on pages that browsers refuse WebCrypto.
 */
import { hexOf, utf8 } from './bytes.ts';

const BLOCK = 64;
const HASH_WORDS = 8;

const isPrime = (number: number): boolean => {
  for (let divisor = 2; divisor * divisor <= number; divisor += 1) if (number % divisor === 0) return false;
  return true;
};

const primes = (count: number): number[] => {
  const found: number[] = [];
  for (let number = 2; found.length < count; number += 1) if (isPrime(number)) found.push(number);
  return found;
};

/** The largest whole number whose power is at most the value. */
const wholeRoot = (value: bigint, power: bigint): bigint => {
  let [low, high] = [0n, 1n << 40n];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (middle ** power <= value) low = middle;
    else high = middle;
  }
  return low;
};

/** The first 32 bits of the fractional part of a root. Floating point would not do for all of them. */
const rootBits = (prime: number, power: bigint): number =>
  Number(BigInt.asIntN(32, wholeRoot(BigInt(prime) << (32n * power), power)));

/** The constants of the standard: cube roots of the first 64 primes, and square roots of the first 8. */
const ROUND_CONSTANTS = Int32Array.from(primes(BLOCK), (prime) => rootBits(prime, 3n));
const INITIAL_STATE = Int32Array.from(primes(HASH_WORDS), (prime) => rootBits(prime, 2n));

/** The message schedule of the block at hand. Nothing here is asynchronous, so one is enough. */
const schedule = new Int32Array(64);

/** Digests the block at an offset into the state, in place. */
const compress = (state: Int32Array, bytes: Uint8Array, offset: number): void => {
  for (let index = 0, at = offset; index < 16; index += 1, at += 4) {
    schedule[index] =
      ((bytes[at] as number) << 24) |
      ((bytes[at + 1] as number) << 16) |
      ((bytes[at + 2] as number) << 8) |
      (bytes[at + 3] as number);
  }
  for (let index = 16; index < 64; index += 1) {
    const early = schedule[index - 15] as number;
    const late = schedule[index - 2] as number;
    const sigma0 = ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3);
    const sigma1 = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10);
    schedule[index] = ((schedule[index - 16] as number) + sigma0 + (schedule[index - 7] as number) + sigma1) | 0;
  }
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  let f = state[5] as number;
  let g = state[6] as number;
  let h = state[7] as number;
  for (let round = 0; round < 64; round += 1) {
    const sum1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const chosen = (e & f) ^ (~e & g);
    const first = (h + sum1 + chosen + (ROUND_CONSTANTS[round] as number) + (schedule[round] as number)) | 0;
    const sum0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + sum0 + majority) | 0;
  }
  state[0] = (state[0] as number) + a;
  state[1] = (state[1] as number) + b;
  state[2] = (state[2] as number) + c;
  state[3] = (state[3] as number) + d;
  state[4] = (state[4] as number) + e;
  state[5] = (state[5] as number) + f;
  state[6] = (state[6] as number) + g;
  state[7] = (state[7] as number) + h;
};

/** Digests all whole blocks, and returns how many bytes they have. */
const compressWhole = (state: Int32Array, bytes: Uint8Array): number => {
  const end = bytes.length - (bytes.length % BLOCK);
  for (let offset = 0; offset < end; offset += BLOCK) compress(state, bytes, offset);
  return end;
};

/** The end of a message: room for what is left of it, then the padding with the length of the whole, in whole blocks. */
const paddedEnd = (endLength: number, totalLength: number): Uint8Array => {
  const end = new Uint8Array(Math.ceil((endLength + 9) / BLOCK) * BLOCK);
  end[endLength] = 0x80;
  // In bits, big-endian.
  let bits = totalLength * 8;
  for (let at = end.length - 1; bits > 0; at -= 1) {
    end[at] = bits % 256;
    bits = Math.floor(bits / 256);
  }
  return end;
};

const writeWords = (words: Int32Array, bytes: Uint8Array): void => {
  for (let index = 0; index < HASH_WORDS; index += 1) {
    const word = words[index] as number;
    bytes[4 * index] = word >>> 24;
    bytes[4 * index + 1] = word >>> 16;
    bytes[4 * index + 2] = word >>> 8;
    bytes[4 * index + 3] = word;
  }
};

const bytesOfWords = (words: Int32Array): Uint8Array => {
  const bytes = new Uint8Array(4 * HASH_WORDS);
  writeWords(words, bytes);
  return bytes;
};

export const sha256 = (message: Uint8Array): Uint8Array => {
  const state = INITIAL_STATE.slice();
  const whole = compressWhole(state, message);
  const end = paddedEnd(message.length - whole, message.length);
  end.set(message.subarray(whole));
  compressWhole(state, end);
  return bytesOfWords(state);
};

/** The hash of a text in UTF-8, in lower-case hex: how receipts and snapshots are named. */
export const hashOfText = (text: string): string => hexOf(sha256(utf8(text)));

/** The state after the key, which HMAC combines with a constant and pads to a block. */
const keyedState = (key: Uint8Array, constant: number): Int32Array => {
  const block = new Uint8Array(BLOCK).fill(constant);
  for (let index = 0; index < key.length; index += 1) block[index] = (key[index] as number) ^ constant;
  const state = INITIAL_STATE.slice();
  compress(state, block, 0);
  return state;
};

/** What the outer hash of an HMAC digests after the key: the inner hash, written anew each time. */
const outerEnd = paddedEnd(4 * HASH_WORDS, BLOCK + 4 * HASH_WORDS);

/**
 * HMAC-SHA-256 of messages with the same beginning and an end of the same length. The beginning is digested once, so that
 * each message costs two or three blocks however long it is. The eight words returned are valid until the next call.
 */
export const hmacAfter = (
  key: Uint8Array,
  prefix: Uint8Array,
  suffixLength: number,
): ((suffix: Uint8Array) => Int32Array) => {
  const blockKey = key.length > BLOCK ? sha256(key) : key;
  const innerStart = keyedState(blockKey, 0x36);
  const outerStart = keyedState(blockKey, 0x5c);
  const whole = compressWhole(innerStart, prefix);
  const rest = prefix.subarray(whole);
  const end = paddedEnd(rest.length + suffixLength, BLOCK + prefix.length + suffixLength);
  end.set(rest);
  const inner = new Int32Array(HASH_WORDS);
  const outer = new Int32Array(HASH_WORDS);
  return (suffix) => {
    if (suffix.length !== suffixLength) throw new Error(`A suffix of ${suffixLength} bytes was agreed on.`);
    inner.set(innerStart);
    end.set(suffix, rest.length);
    compressWhole(inner, end);
    writeWords(inner, outerEnd);
    outer.set(outerStart);
    compress(outer, outerEnd, 0);
    return outer;
  };
};

export const hmacSha256 = (key: Uint8Array, message: Uint8Array): Uint8Array =>
  bytesOfWords(hmacAfter(key, message, 0)(new Uint8Array(0)));
