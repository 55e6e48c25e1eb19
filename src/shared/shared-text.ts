/** A text that threads share, so sending it to another one takes no time, however long it is. */
export type SharedText = Uint8Array<SharedArrayBuffer>;

export const shareText = (text: string): SharedText => {
  const bytes = Buffer.from(text);
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
};

export const readSharedText = ({ buffer, byteOffset, length }: SharedText): string =>
  Buffer.from(buffer, byteOffset, length).toString();
