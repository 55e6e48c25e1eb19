import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';

/** What DER puts before the 32 bytes of an Ed25519 key (RFC 8410). */
const PRIVATE_PREFIX = '302e020100300506032b657004220420';
const PUBLIC_PREFIX = '302a300506032b6570032100';

/** A signature of a text in UTF-8 with Ed25519; both in hex. */
export interface Signed {
  readonly signature: string;
  readonly publicKey: string;
}

/** Signs a text with a private key of 32 bytes in hex. */
export const signText = (privateKey: string, text: string): Signed => {
  const key = createPrivateKey({ key: Buffer.from(PRIVATE_PREFIX + privateKey, 'hex'), format: 'der', type: 'pkcs8' });
  const exported = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return {
    signature: sign(null, Buffer.from(text), key).toString('hex'),
    publicKey: exported.subarray(PUBLIC_PREFIX.length / 2).toString('hex'),
  };
};

export const isSigned = ({ text, signature, publicKey }: Signed & { readonly text: string }): boolean => {
  try {
    const key = createPublicKey({ key: Buffer.from(PUBLIC_PREFIX + publicKey, 'hex'), format: 'der', type: 'spki' });
    return verify(null, Buffer.from(text), key, Buffer.from(signature, 'hex'));
  } catch {
    // Not every 32 bytes are a key.
    return false;
  }
};
