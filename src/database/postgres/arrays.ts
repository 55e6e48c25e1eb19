/**
 * Lists of values as one parameter of a statement. Texts are sent in PostgreSQL's binary format: most of what is written
 * is JSON, and in the text format each of its quotes would be escaped here and read again by the server.
 */

/** The number of the type `text`, the same in every database. */
const TEXT_OID = 25;
const HEADER_BYTES = 20;
const NULL = -1;

const binaryTexts = (values: readonly unknown[]): Buffer => {
  const texts = values.map((value) => (value === null || value === undefined ? null : String(value)));
  let size = HEADER_BYTES;
  for (const text of texts) size += 4 + (text === null ? 0 : Buffer.byteLength(text));
  const bytes = Buffer.allocUnsafe(size);
  bytes.writeInt32BE(1, 0);
  bytes.writeInt32BE(texts.includes(null) ? 1 : 0, 4);
  bytes.writeInt32BE(TEXT_OID, 8);
  bytes.writeInt32BE(texts.length, 12);
  bytes.writeInt32BE(1, 16);
  let at = HEADER_BYTES;
  for (const text of texts) {
    const length = text === null ? NULL : bytes.write(text, at + 4);
    bytes.writeInt32BE(length, at);
    at += 4 + Math.max(0, length);
  }
  return bytes;
};

const SPECIAL = /["\\]/;

const quoted = (value: string): string =>
  SPECIAL.test(value) ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : `"${value}"`;

/** Numbers and other values as text, which the server parses by the type of the column. */
const plainText = (values: readonly unknown[]): string => {
  let text = '{';
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (index > 0) text += ',';
    if (typeof value === 'number') text += value;
    else if (value === null || value === undefined) text += 'NULL';
    else text += quoted(String(value));
  }
  return `${text}}`;
};

/** The values of a parameter `$n::TYPE[]`. */
export const arrayOf = (type: string, values: readonly unknown[]): Buffer | string =>
  type === 'text' && values.length > 0 ? binaryTexts(values) : plainText(values);
