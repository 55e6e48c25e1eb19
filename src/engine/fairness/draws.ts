import type { Draws } from '../random.ts';
import { BYTES_PER_UNIT, writeUtf8 } from './bytes.ts';
import { hmacAfter } from './sha256.ts';

/**
 * What the draws of one call are derived from. Nothing that whoever runs the service can still choose once the client
 * seed is known: neither the template nor its configuration.
 */
export interface DrawsSource {
  /** The key: 32 bytes, hidden until the epoch ends. */
  readonly serverSeed: Uint8Array;
  readonly teamId: string;
  readonly userId: string;
  readonly clientSeed: string;
  /** Counts all calls of the player in the epoch. */
  readonly nonce: number;
}

export interface VerifiableDraws {
  readonly draws: Draws;
  /** How many draws were made. */
  used(): number;
}

/** Keeps these messages apart from all others that the same key might ever sign. */
const DOMAIN = 'itemwright/draws/2';

const LENGTH_BYTES = 4;
const NONCE_BYTES = 8;
const BLOCK_NUMBER_BYTES = 4;
const DRAWS_PER_BLOCK = 4;
const DIGEST_BYTES = 32;
const SCALE = 2 ** -53;

/** What the draws of all calls of a player in an epoch are derived from. */
export type DrawsStart = Omit<DrawsSource, 'nonce'>;

/** All of a message up to the nonce, whose length is already there. */
const messagePrefix = ({ teamId, userId, clientSeed }: Omit<DrawsStart, 'serverSeed'>): Uint8Array => {
  const texts = [DOMAIN, teamId, userId, clientSeed];
  const units = texts.reduce((sum, { length }) => sum + length, 0);
  const message = new Uint8Array((texts.length + 1) * LENGTH_BYTES + BYTES_PER_UNIT * units);
  const view = new DataView(message.buffer);
  let at = 0;
  const addLength = (length: number): void => {
    view.setUint32(at, length);
    at += LENGTH_BYTES;
  };
  for (const text of texts) {
    const written = writeUtf8(text, message, at + LENGTH_BYTES);
    addLength(written);
    at += written;
  }
  addLength(NONCE_BYTES);
  return message.subarray(0, at);
};

/** The rest of a message: the nonce, and the number of the block behind its length. */
const SUFFIX_BYTES = NONCE_BYTES + LENGTH_BYTES + BLOCK_NUMBER_BYTES;

/** Written and read at once, again and again: memory of its own for every roll would cost more than the digest. */
const suffix = new Uint8Array(SUFFIX_BYTES);
const suffixView = new DataView(suffix.buffer);
const digest = new Uint8Array(DIGEST_BYTES);
const digestView = new DataView(digest.buffer);

/** Only valid until the next call. */
const messageSuffix = (nonce: number, block: number): Uint8Array => {
  suffixView.setUint32(0, Math.floor(nonce / 2 ** 32));
  suffixView.setUint32(4, nonce % 2 ** 32);
  suffixView.setUint32(NONCE_BYTES, BLOCK_NUMBER_BYTES);
  suffixView.setUint32(NONCE_BYTES + LENGTH_BYTES, block);
  return suffix;
};

const drawAt = (place: number): number => {
  const high = digestView.getUint32(8 * place);
  const low = digestView.getUint32(8 * place + 4) >>> 11;
  return (high * 0x200000 + low) * SCALE;
};

/**
 * The message whose HMAC gives the draws from 4 × block on: six fields, each behind its length in four bytes, all
 * integers big-endian.
 */
export const drawsMessage = (source: Omit<DrawsSource, 'serverSeed'>, block: number): Uint8Array => {
  const prefix = messagePrefix(source);
  const message = new Uint8Array(prefix.length + SUFFIX_BYTES);
  message.set(prefix);
  message.set(messageSuffix(source.nonce, block), prefix.length);
  return message;
};

/**
 * The draws of one call, by its nonce. Draw n is read from the HMAC-SHA-256 of the message of block ⌊n/4⌋ under the server
 * seed: the top 53 bits of its eight bytes, big-endian, at 8 × (n mod 4). All strings must be well-formed. What all calls
 * have in common is digested once.
 */
export const drawsByNonce = (start: DrawsStart): ((nonce: number) => VerifiableDraws) => {
  const hmac = hmacAfter(start.serverSeed, messagePrefix(start));
  return (nonce) => {
    let block: readonly number[] = [];
    let drawn = 0;
    return {
      draws: () => {
        const place = drawn % DRAWS_PER_BLOCK;
        if (place === 0) {
          hmac(messageSuffix(nonce, drawn / DRAWS_PER_BLOCK), digest);
          block = [drawAt(0), drawAt(1), drawAt(2), drawAt(3)];
        }
        drawn += 1;
        return block[place] as number;
      },
      used: () => drawn,
    };
  };
};

/** The draws of one call. */
export const verifiableDraws = (source: DrawsSource): VerifiableDraws => drawsByNonce(source)(source.nonce);
