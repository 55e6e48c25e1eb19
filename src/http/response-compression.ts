import zlib from 'node:zlib';
import { LIMITS } from '../shared/limits.ts';

/** No JSON starts like this. */
const ZSTD = 'zstd:';
const DEFLATED = 'deflate:';

/** Node has Zstandard from 22.15 on. */
const hasZstd = zlib.zstdCompressSync !== undefined;
const OPTIONS = { params: { [zlib.constants.ZSTD_c_compressionLevel]: 1 } };

const compress = (response: string): string =>
  hasZstd
    ? `${ZSTD}${zlib.zstdCompressSync(response, OPTIONS).toString('base64')}`
    : `${DEFLATED}${zlib.deflateSync(response, { level: 1 }).toString('base64')}`;

/** Compresses a response for storage if that is worthwhile; as base64, since the column is text. */
export const pack = (response: string): string =>
  response.length < LIMITS.compressedResponseLength ? response : compress(response);

export const unpack = (stored: string): string => {
  const bytes = (mark: string): Buffer => Buffer.from(stored.slice(mark.length), 'base64');
  if (stored.startsWith(DEFLATED)) return zlib.inflateSync(bytes(DEFLATED)).toString();
  if (!stored.startsWith(ZSTD)) return stored;
  if (!hasZstd) throw new Error('a response that was stored by a later version of Node needs Node 22.15 to be read');
  return zlib.zstdDecompressSync(bytes(ZSTD)).toString();
};
