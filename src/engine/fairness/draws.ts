import type { Draws } from '../random.ts';
import { bytesOfHex, utf8 } from './bytes.ts';
import { hmacAfter } from './sha256.ts';

/** What the draws of one call are derived from. */
export interface DrawsSource {
  /** The key: 32 bytes, hidden until the epoch ends. */
  readonly serverSeed: Uint8Array;
  readonly teamId: string;
  readonly userId: string;
  /** Empty for plain rolls. */
  readonly templateId: string;
  /** The hash of the configuration's snapshot, in hex. */
  readonly config: string;
  readonly clientSeed: string;
  readonly nonce: number;
}

export interface VerifiableDraws {
  readonly draws: Draws;
  /** How many draws were made. */
  used(): number;
}

/** Keeps these messages apart from all others that the same key might ever sign. */
const DOMAIN = utf8('itemwright/draws/1');

const LENGTH_BYTES = 4;
const BLOCK_NUMBER_BYTES = 4;
const DRAWS_PER_BLOCK = 4;
const SCALE = 2 ** -53;

const uint32 = (value: number): Uint8Array => {
  const bytes = new Uint8Array(BLOCK_NUMBER_BYTES);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
};

const uint64 = (value: number): Uint8Array => {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, Math.floor(value / 2 ** 32));
  view.setUint32(4, value % 2 ** 32);
  return bytes;
};

/** All of a message except its last field, the number of the block, whose length is already there. */
const messagePrefix = ({ teamId, userId, templateId, config, clientSeed, nonce }: Omit<DrawsSource, 'serverSeed'>) => {
  const fields = [
    DOMAIN,
    utf8(teamId),
    utf8(userId),
    utf8(templateId),
    bytesOfHex(config),
    utf8(clientSeed),
    uint64(nonce),
  ];
  const length = fields.reduce((sum, field) => sum + LENGTH_BYTES + field.length, LENGTH_BYTES);
  const message = new Uint8Array(length);
  const view = new DataView(message.buffer);
  let at = 0;
  for (const field of fields) {
    view.setUint32(at, field.length);
    message.set(field, at + LENGTH_BYTES);
    at += LENGTH_BYTES + field.length;
  }
  view.setUint32(at, BLOCK_NUMBER_BYTES);
  return message;
};

/**
 * The message whose HMAC gives the draws from 4 × block on: eight fields, each behind its length in four bytes, all
 * integers big-endian.
 */
export const drawsMessage = (source: Omit<DrawsSource, 'serverSeed'>, block: number): Uint8Array => {
  const prefix = messagePrefix(source);
  const message = new Uint8Array(prefix.length + BLOCK_NUMBER_BYTES);
  message.set(prefix);
  message.set(uint32(block), prefix.length);
  return message;
};

/**
 * The draws of one call. Draw n is read from the HMAC-SHA-256 of the message of block ⌊n/4⌋ under the server seed: the
 * top 53 bits of its eight bytes, big-endian, at 8 × (n mod 4). All strings must be well-formed.
 */
export const verifiableDraws = (source: DrawsSource): VerifiableDraws => {
  const hmac = hmacAfter(source.serverSeed, messagePrefix(source), BLOCK_NUMBER_BYTES);
  let words = new Int32Array(0);
  let drawn = 0;
  return {
    draws: () => {
      const place = drawn % DRAWS_PER_BLOCK;
      if (place === 0) words = hmac(uint32(drawn / DRAWS_PER_BLOCK)) as Int32Array<ArrayBuffer>;
      drawn += 1;
      const high = (words[2 * place] as number) >>> 0;
      const low = (words[2 * place + 1] as number) >>> 11;
      return (high * 0x200000 + low) * SCALE;
    },
    used: () => drawn,
  };
};
