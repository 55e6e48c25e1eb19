const encoder = new TextEncoder();

/** The bytes of a string in UTF-8. The string must be well-formed. */
export const utf8 = (text: string): Uint8Array => encoder.encode(text);

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Lower-case hex. */
export const hexOf = (bytes: Uint8Array): string => {
  let text = '';
  for (const byte of bytes) text += HEX[byte];
  return text;
};

/** The bytes of a text in hex, which must have an even number of digits. */
export const bytesOfHex = (hex: string): Uint8Array => {
  const bytes = new Uint8Array(hex.length / 2);
  for (let index = 0; index < bytes.length; index += 1) {
    bytes[index] = Number.parseInt(hex.slice(2 * index, 2 * index + 2), 16);
  }
  return bytes;
};
