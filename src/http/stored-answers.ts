import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { LIMITS } from '../limits.ts';

/** No JSON begins like this. */
const COMPRESSED = 'zstd:';
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** An answer as it is stored: what is long enough to be worth it is compressed, into text, since the column is text. */
export const pack = (answer: string): string =>
  answer.length < LIMITS.compressedAnswerLength
    ? answer
    : `${COMPRESSED}${zstdCompressSync(answer, OPTIONS).toString('base64')}`;

export const unpack = (stored: string): string =>
  stored.startsWith(COMPRESSED)
    ? zstdDecompressSync(Buffer.from(stored.slice(COMPRESSED.length), 'base64')).toString()
    : stored;
