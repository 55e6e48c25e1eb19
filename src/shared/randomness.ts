import { createHmac, randomBytes, randomFillSync } from 'node:crypto';
import type { Draws } from '../engine/random.ts';

const DRAWS_PER_BLOCK = 2048;
const SCALE = 2 ** -53;

/** Draws from the operating system's generator. One call fills a block of draws, each of which is used once. */
export const systemDraws = (): Draws => {
  const words = new Uint32Array(2 * DRAWS_PER_BLOCK);
  let next = words.length;
  return () => {
    if (next === words.length) {
      randomFillSync(words);
      next = 0;
    }
    const high = (words[next] as number) >>> 5;
    const low = (words[next + 1] as number) >>> 6;
    next += 2;
    return (high * 0x4000000 + low) * SCALE;
  };
};

const SEED_BYTES = 32;

/** A new server seed, in hex. */
export const newSeed = (): string => randomBytes(SEED_BYTES).toString('hex');

const DRAWS_PER_DIGEST = 4;

/**
 * Draws of one offer of a seeded run. Draw n is read from HMAC-SHA-256(seed, "templateId\ndepth\noffer\nB") with
 * B = ⌊n/4⌋: the top 53 bits of its eight bytes, big-endian, at 8 × (n mod 4). Anyone who knows the seed can repeat it.
 */
export const seededDraws = (seed: string, templateId: string, depth: number, offer: number): Draws => {
  let digest = Buffer.alloc(0);
  let drawn = 0;
  return () => {
    const place = drawn % DRAWS_PER_DIGEST;
    if (place === 0) {
      const message = `${templateId}\n${depth}\n${offer}\n${drawn / DRAWS_PER_DIGEST}`;
      digest = createHmac('sha256', Buffer.from(seed, 'utf8')).update(message, 'utf8').digest();
    }
    drawn += 1;
    const high = digest.readUInt32BE(8 * place);
    const low = digest.readUInt32BE(8 * place + 4);
    return (high * 0x200000 + (low >>> 11)) * SCALE;
  };
};
