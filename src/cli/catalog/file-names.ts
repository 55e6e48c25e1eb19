import { createHash } from 'node:crypto';

/** Names that Windows gives to devices, whatever follows the first dot. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/** File systems allow 255 bytes; this leaves room for `.json`. */
const LONGEST = 200;
const DIGEST_LENGTH = 16;

const encodeByte = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
const encodeText = (text: string): string => [...Buffer.from(text)].map(encodeByte).join('');

/** A file that begins with a dot is hidden, and `.` and `..` are no files at all. */
const encode = (id: string): string => {
  const plain = id.replace(/[^A-Za-z0-9._-]/gu, encodeText).replace(/^\./, encodeText);
  return DEVICE.test(plain) ? encodeText(plain.charAt(0)) + plain.slice(1) : plain;
};

/** A name that would be too long ends with a digest; no other name contains a tilde. */
const shorten = (name: string, id: string): string =>
  name.length <= LONGEST
    ? name
    : `${name.slice(0, LONGEST - DIGEST_LENGTH - 1)}~${createHash('sha256').update(id).digest('hex').slice(0, DIGEST_LENGTH)}`;

const withEncodedCapitals = (id: string): string => encode(id).replace(/(?<!%.?)[A-Z]/g, encodeText);

/**
 * File names, without `.json`, for ids. Characters that file names cannot have on some system are percent-encoded. Ids
 * that differ in nothing but case would be one file on Windows and macOS, so their capitals are encoded, too.
 */
export const fileNames = (ids: readonly string[]): Map<string, string> => {
  const sameName = Map.groupBy(ids, (id) => shorten(encode(id), id).toLowerCase());
  return new Map(
    ids.map((id) => {
      const plain = shorten(encode(id), id);
      const isShared = (sameName.get(plain.toLowerCase())?.length ?? 0) > 1;
      return [id, isShared ? shorten(withEncodedCapitals(id), id) : plain];
    }),
  );
};

const decode = (name: string): string | undefined => {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
};

/** Whether a file of this name is for this id, whichever other ids there are. */
export const isFileNameOf = (name: string, id: string): boolean =>
  decode(name) === id || [encode(id), withEncodedCapitals(id)].some((full) => name === shorten(full, id));
