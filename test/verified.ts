import assert from 'node:assert/strict';
import { type Verification, verifyProof } from '../src/engine/fairness/verify.ts';

/** What a verifier says about a proof, which must be readable. */
export const verified = (proof: unknown, kept: readonly string[] = []): Verification => {
  const verification = verifyProof(JSON.stringify(proof), kept);
  assert.ok(!('error' in verification), JSON.stringify(verification));
  return verification;
};
