/**
 * SHA-256 and HMAC-SHA-256 in plain JavaScript, so that service, command line and browser derive draws and check receipts
 * with the same code, synchronously, and on pages where browsers refuse WebCrypto.
 */
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { hexOf, utf8 } from './bytes.ts';

export { sha256 };

/** The hash of a text in UTF-8, in lower-case hex: how receipts and snapshots are named. */
export const hashOfText = (text: string): string => hexOf(sha256(utf8(text)));

/** What each message is digested in, so that none needs memory of its own. */
const scratch = hmac.create(sha256, new Uint8Array());

/** HMAC-SHA-256 of messages with the same beginning, which is digested once. Writes to `digest` if there is one. */
export const hmacAfter = (
  key: Uint8Array,
  prefix: Uint8Array,
): ((suffix: Uint8Array, digest?: Uint8Array) => Uint8Array) => {
  const start = hmac.create(sha256, key).update(prefix);
  return (suffix, digest = new Uint8Array(start.outputLen)) => {
    start._cloneInto(scratch).update(suffix).digestInto(digest);
    return digest;
  };
};

export const hmacSha256 = (key: Uint8Array, message: Uint8Array): Uint8Array => hmac(sha256, key, message);
