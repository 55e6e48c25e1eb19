import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LIMITS } from './limits.ts';
import { createQueues } from './turns.ts';

/** Best first. */
export const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** Fast rather than thorough: this happens while a visitor waits. Files are compressed better, when they are built. */
const COMPRESS: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes) => deflate(bytes),
};

/** One at a time: they use the same threads as syncs of the database. */
const inTurn = createQueues();
let compressing = 0;

const compress = async (encoding: Encoding, bytes: Buffer): Promise<Buffer> => {
  compressing += 1;
  try {
    return await inTurn('', () => COMPRESS[encoding](bytes));
  } finally {
    compressing -= 1;
  }
};

/** Bytes that everybody gets alike: there is one copy of them in each encoding, however many receive them. */
export class Prepared {
  readonly bytes: Buffer;
  /** Differs whenever the bytes do. */
  readonly tag: string;
  readonly #encoded = new Map<Encoding, Promise<Buffer | undefined>>();
  #length: number;

  constructor(
    bytes: Buffer,
    tag: string = hash('sha256', bytes, 'hex').slice(0, 32),
    encoded: readonly (readonly [Encoding, Buffer])[] = [],
  ) {
    this.bytes = bytes;
    this.tag = tag;
    this.#length = bytes.length;
    for (const [encoding, compressed] of encoded) {
      this.#encoded.set(encoding, Promise.resolve(compressed));
      this.#length += compressed.length;
    }
  }

  /** All bytes that it has in memory. */
  get length(): number {
    return this.#length;
  }

  /** Whether others may get it compressed. */
  get isCompressed(): boolean {
    return this.#encoded.size > 0 || this.bytes.length >= LIMITS.compressedFromBytes;
  }

  /** The bytes in an encoding; undefined if too much else is to be compressed first. */
  encoded(encoding: Encoding): Promise<Buffer | undefined> {
    let made = this.#encoded.get(encoding);
    if (made === undefined) {
      if (compressing >= LIMITS.waitingCompressions) return Promise.resolve(undefined);
      made = compress(encoding, this.bytes).then(
        (compressed) => {
          this.#length += compressed.length;
          return compressed;
        },
        (error: unknown) => {
          this.#encoded.delete(encoding);
          throw error;
        },
      );
      this.#encoded.set(encoding, made);
    }
    return made;
  }
}

export const prepare = (text: string, tag?: string): Prepared => new Prepared(Buffer.from(text), tag);
