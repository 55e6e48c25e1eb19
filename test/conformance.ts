/** A suite of proofs, sound, tampered with and unreadable, with which verifiers in any language can be tested. */

import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import type { Kept } from '../src/engine/fairness/kept.ts';
import type { Unreadable } from '../src/engine/fairness/proof.ts';
import type { Status, Verification } from '../src/engine/fairness/verify.ts';

export const CONFORMANCE_SUITE = new URL('../verifier/conformance.jsonl.gz', import.meta.url);

/** What every verifier must say; reasons are up to it. */
export type Expected =
  | { readonly readable: false }
  | {
      readonly readable: true;
      readonly sound: boolean;
      readonly counts: Readonly<Record<Status, number>>;
      /** By the hash of the receipt. */
      readonly statuses: Readonly<Record<string, Status>>;
    };

export interface ConformanceCase {
  /** What is special about it, in the words of our verifier. */
  readonly name: string;
  /** The texts of the files. */
  readonly files: readonly string[];
  readonly kept: Kept;
  readonly expected: Expected;
}

export const expectedOf = (found: Verification | Unreadable): Expected => {
  if ('error' in found) return { readable: false };
  const { isSound: sound, counts, receipts } = found;
  return {
    readable: true,
    sound,
    counts,
    statuses: Object.fromEntries(receipts.map(({ hash, status }) => [hash, status])),
  };
};

const nameOf = (found: Verification | Unreadable): string => {
  if ('error' in found) return found.error;
  const { receipts, kept, counts, log } = found;
  const failed = receipts.find(({ status }) => status === 'failed');
  if (failed !== undefined) {
    const { receipt, reasons } = failed;
    return `${receipt.kind} of epoch ${receipt.epoch}${receipt.kind === 'rotate' ? '' : `, #${receipt.nonce}`}: ${reasons.join('; ')}`;
  }
  const lost = kept.find(({ isFound }) => !isFound);
  if (lost !== undefined) return `a ${lost.kind} that was kept is missing`;
  const [wrong] = log?.reasons ?? [];
  if (wrong !== undefined) return wrong;
  return `sound: ${counts.verified} verified, ${counts.sealed} sealed`;
};

export const caseOf = (files: readonly string[], kept: Kept, found: Verification | Unreadable): ConformanceCase => ({
  name: nameOf(found),
  files,
  kept,
  expected: expectedOf(found),
});

export const readSuite = async (): Promise<ConformanceCase[]> =>
  gunzipSync(await readFile(CONFORMANCE_SUITE))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ConformanceCase);
