import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import type { Kept } from '../src/engine/fairness/kept.ts';
import type { Unreadable } from '../src/engine/fairness/proof.ts';
import { type Verification, verifyProofs } from '../src/engine/fairness/verify.ts';
import { isSigned } from '../src/shared/signatures.ts';
import { caseOf } from './conformance.ts';

/** What a verifier says about the texts of proofs. With CONFORMANCE_LOG, it becomes a case of the conformance suite. */
export const checkedTexts = (sources: readonly string[], kept: Kept = {}): Verification | Unreadable => {
  const verification = verifyProofs(sources, kept, { checkSignature: isSigned });
  const { CONFORMANCE_LOG } = process.env;
  if (CONFORMANCE_LOG) appendFileSync(CONFORMANCE_LOG, `${JSON.stringify(caseOf(sources, kept, verification))}\n`);
  return verification;
};

/** What a verifier says about a proof, or several as one story, which must be readable. */
export const verified = (proof: unknown, kept: Kept = {}): Verification => {
  const sources = (Array.isArray(proof) ? proof : [proof]).map((one) => JSON.stringify(one));
  const verification = checkedTexts(sources, kept);
  assert.ok(!('error' in verification), JSON.stringify(verification));
  return verification;
};
