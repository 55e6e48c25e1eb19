const encoder = new TextEncoder();

/** The bytes of a string in UTF-8. The string must be well-formed. */
export const utf8 = (text: string): Uint8Array => encoder.encode(text);

/** Most bytes that a UTF-16 code unit takes in UTF-8. */
export const BYTES_PER_UNIT = 3;

/** Writes a string in UTF-8, and returns the number of bytes. The string must be well-formed, and the target long enough. */
export const writeUtf8 = (text: string, target: Uint8Array, at: number): number => {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    // Ids are mostly ASCII, for which a call of the encoder costs more than it saves.
    if (unit > 0x7f) return encoder.encodeInto(text, target.subarray(at)).written;
    target[at + index] = unit;
  }
  return text.length;
};

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Lower-case hex. */
export const hexOf = (bytes: Uint8Array): string => {
  let text = '';
  for (const byte of bytes) text += HEX[byte];
  return text;
};

const digitOf = (unit: number): number => (unit <= 0x39 ? unit - 0x30 : (unit | 0x20) - 0x57);

/** The bytes of a text in hex, which must have an even number of digits. */
export const bytesOfHex = (hex: string): Uint8Array => {
  const bytes = new Uint8Array(hex.length / 2);
  for (let index = 0; index < bytes.length; index += 1) {
    bytes[index] = (digitOf(hex.charCodeAt(2 * index)) << 4) | digitOf(hex.charCodeAt(2 * index + 1));
  }
  return bytes;
};
