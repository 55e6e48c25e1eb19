/** Public logs for tests, as an honest service would keep them. */
import { headText, leafOf, logHead, type ProofLog, type SignedHead } from '../src/engine/fairness/log.ts';
import {
  consistencyRanges,
  grow,
  inclusionRanges,
  joinedHash,
  leafHash,
  type Range,
} from '../src/engine/fairness/merkle.ts';
import { signText } from '../src/shared/signatures.ts';
import { hashOfReceipt, type TestProof } from './fairness.ts';

/** Any 32 bytes are a private key. */
export const KEY = '07'.repeat(32);

/** A leaf of another player. */
export const otherLeaf = (name: string): string => leafHash(new TextEncoder().encode(name));

/** What the rotations of a proof put into the log. */
export const leavesOf = ({ receipts }: TestProof): string[] => [
  ...new Set(
    receipts.flatMap((receipt) =>
      receipt.kind === 'rotate'
        ? [
            leafOf({ kind: 'rotation', subject: hashOfReceipt(receipt) }),
            leafOf({ kind: 'manifest', subject: receipt.manifest }),
          ]
        : [],
    ),
  ),
];

export interface TestLog {
  signed(size: number): SignedHead;
  /** What a proof says about the log with so many leaves, and, if asked, about an earlier size. */
  of(proof: TestProof, size: number, from?: number): ProofLog;
}

export const createTestLog = (
  leaves: readonly string[],
  { teamId = 't1', at = '2027-03-01T12:00:00.000Z', key = KEY } = {},
): TestLog => {
  const hashOf = ({ start, size }: Range): string => joinedHash(grow(0, [], leaves.slice(start, start + size)).peaks);
  const signed = (size: number): SignedHead => {
    const head = logHead({ teamId, size, root: hashOf({ start: 0, size }), at });
    return { head, ...signText(key, headText(head)) };
  };
  return {
    signed,
    of: (proof, size, from) => {
      const logged = leavesOf(proof).filter((leaf) => leaves.slice(0, size).includes(leaf));
      return {
        ...signed(size),
        inclusions: logged.map((leaf) => {
          const index = leaves.indexOf(leaf);
          return { leaf, index, path: inclusionRanges(index, size).map(hashOf) };
        }),
        pending: leavesOf(proof).filter((leaf) => !logged.includes(leaf)),
        ...(from === undefined
          ? {}
          : { consistency: { from, to: size, path: consistencyRanges(from, size).map(hashOf) } }),
      };
    },
  };
};
