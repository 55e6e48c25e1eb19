import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { LIMITS } from '../limits.ts';

/** No JSON starts like this. */
const COMPRESSED = 'zstd:';
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Compresses a response for storage if that is worthwhile; as base64, since the column is text. */
export const pack = (response: string): string =>
  response.length < LIMITS.compressedResponseLength
    ? response
    : `${COMPRESSED}${zstdCompressSync(response, OPTIONS).toString('base64')}`;

export const unpack = (stored: string): string =>
  stored.startsWith(COMPRESSED)
    ? zstdDecompressSync(Buffer.from(stored.slice(COMPRESSED.length), 'base64')).toString()
    : stored;
