import { bytesOfHex } from '../../src/engine/fairness/bytes.ts';
import type { VerifyStep } from '../../src/engine/fairness/verify.ts';
import type { SignatureAnswer, SignatureToCheck } from '../../src/engine/fairness/verify-log.ts';

/** The longest that the page may stand still. */
const SLICE_MS = 24;

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

const bytesOf = (hex: string): Uint8Array<ArrayBuffer> => Uint8Array.from(bytesOfHex(hex));

/** Whether a signature is right; null if this browser does not know the algorithm, or does not let this page use it. */
const checkSignature = async ({ text, signature, publicKey }: SignatureToCheck): Promise<SignatureAnswer> => {
  try {
    const key = await crypto.subtle.importKey('raw', bytesOf(publicKey), 'Ed25519', false, ['verify']);
    return await crypto.subtle.verify('Ed25519', key, bytesOf(signature), new TextEncoder().encode(text));
  } catch (error) {
    // Not every 32 bytes are a key.
    return error instanceof DOMException && error.name === 'DataError' ? false : null;
  }
};

/** Runs steps to their end without freezing the page; undefined if it was told to stop. */
export const runInSlices = async <T>(
  steps: Generator<VerifyStep, T, SignatureAnswer>,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<T | undefined> => {
  let answer: SignatureAnswer = null;
  for (;;) {
    const until = performance.now() + SLICE_MS;
    let share = 0;
    do {
      const { done, value } = steps.next(answer);
      if (done) return value;
      answer = null;
      if (typeof value === 'number') share = value;
      else answer = await checkSignature(value);
    } while (performance.now() < until);
    onProgress(share);
    await pause();
    if (signal.aborted) return undefined;
  }
};
