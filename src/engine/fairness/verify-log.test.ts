import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fairnessVectors, type TestProof } from '../../../test/fairness.ts';
import { failuresOf } from '../../../test/proofs.ts';
import { createTestLog, leavesOf, otherLeaf } from '../../../test/public-log.ts';
import { verified } from '../../../test/verified.ts';
import { readHeads } from './kept.ts';
import type { ProofLog } from './log.ts';
import { verifyProofs } from './verify.ts';

const { proof } = fairnessVectors();
const OWN = leavesOf(proof);
const OTHERS = Array.from({ length: 20 }, (_, index) => otherLeaf(`player ${index}`));
const LEAVES = [...OTHERS.slice(0, 5), ...OWN, ...OTHERS.slice(5)];
const log = createTestLog(LEAVES);
const ALL = LEAVES.length;
const headOf = (size: number, from = log) => {
  const signed = from.signed(size);
  return { size, root: signed.head.root, signed };
};

const check = (said: ProofLog, heads = [] as ReturnType<typeof headOf>[], of: TestProof = proof) =>
  verified({ ...of, log: said }, { heads });

describe('the public log of a proof', () => {
  test('has every rotation and every manifest', () => {
    const { log: found, isSound, notes } = check(log.of(proof, ALL));
    assert.deepEqual([found?.included, found?.pending, found?.reasons], [OWN.length, 0, []]);
    assert.deepEqual([isSound, notes], [true, []]);
  });

  test('is not needed, but then nothing is said about it', () => {
    assert.equal(verified(proof).log, null);
  });

  test('may not have the newest rotation yet, and the proof says so', () => {
    const early = { at: '2027-03-01T10:00:00.000Z' };
    const { log: found, isSound, notes } = check(createTestLog(LEAVES, early).of(proof, ALL - 16));
    assert.deepEqual([found?.included, found?.pending, isSound], [OWN.length - 1, 1, true]);
    assert.match(notes.join(), /not in the public log yet/);
    const nothing = { head: null, signature: null, publicKey: null, inclusions: [], pending: OWN };
    assert.equal(check(nothing).isSound, true);
  });

  test('must have a rotation before long', () => {
    const late = createTestLog(LEAVES, { at: '2029-01-01T00:00:00.000Z' }).of(proof, ALL - 16);
    assert.match(JSON.stringify(failuresOf(check(late))), /still said to be on its way/);
  });

  test('fails without a leaf', () => {
    const said = log.of(proof, ALL);
    const without = { ...said, inclusions: said.inclusions.slice(1) };
    const failed = check(without);
    assert.equal(failed.isSound, false);
    assert.match(JSON.stringify(failuresOf(failed)), /it is not in the public log/);
    const noManifest = { ...said, inclusions: said.inclusions.filter(({ leaf }) => leaf !== OWN[1]) };
    assert.match(
      JSON.stringify(failuresOf(check(noManifest))),
      /the list of configurations that it fixed is not in the/,
    );
  });

  test('fails with a path of another leaf', () => {
    const said = log.of(proof, ALL);
    const [first, second, ...rest] = said.inclusions as [ProofLog['inclusions'][0], ...ProofLog['inclusions']];
    const swapped = [{ ...first, path: second?.path ?? [] }, second as typeof first, ...rest];
    assert.match(JSON.stringify(failuresOf(check({ ...said, inclusions: swapped }))), /does not fit the head/);
  });

  test('fails with a wrong signature, another team, or none', () => {
    const said = log.of(proof, ALL);
    const reasonsOf = (changed: ProofLog) => check(changed).log?.reasons.join() ?? '';
    assert.match(
      reasonsOf({ ...said, signature: '0'.repeat(128) }),
      /signature of the head of \d+ leaves in this proof is wrong/,
    );
    assert.match(reasonsOf({ ...said, publicKey: '0'.repeat(63).concat('2') }), /is wrong/);
    assert.match(reasonsOf({ ...said, signature: null }), /is not signed/);
    assert.match(reasonsOf(createTestLog(LEAVES, { teamId: 't2' }).of(proof, ALL)), /of the log of another team/);
  });

  test('is noted where signatures cannot be checked', () => {
    const found = verifyProofs([JSON.stringify({ ...proof, log: log.of(proof, ALL) })]);
    assert.ok('notes' in found && found.isSound);
    assert.match(found.notes.join(), /cannot be checked on this device/);
  });
});

describe('a head that the player kept', () => {
  test('of the same log is consistent, whatever its size', () => {
    for (let size = 1; size <= ALL; size += 1)
      assert.deepEqual(check(log.of(proof, ALL, size), [headOf(size)]).log?.reasons, [], `${size}`);
  });

  test('of another history shows a fork, and anyone can see it', () => {
    const forked = createTestLog([otherLeaf('instead'), ...LEAVES.slice(1)]);
    for (const size of [1, 7, ALL - 1, ALL]) {
      const { log: found, isSound } = check(log.of(proof, ALL, size), [headOf(size, forked)]);
      assert.equal(isSound, false);
      assert.match(found?.reasons.join() ?? '', /^The log forks: .* you were shown another history than others/);
    }
  });

  test('with another key is not of this log', () => {
    const other = createTestLog(LEAVES, { key: '08'.repeat(32) });
    const { log: found } = check(log.of(proof, ALL, 9), [headOf(9, other)]);
    assert.deepEqual(found?.reasons, ['Heads of the log are signed with different keys, but a team has only one.']);
  });

  test('does not pass unseen where nothing compares it', () => {
    const reasonsOf = (...given: Parameters<typeof check>) => check(...given).log?.reasons.join();
    assert.match(reasonsOf(log.of(proof, ALL), [headOf(9)]) ?? '', /Get one with logFrom=9/);
    assert.match(reasonsOf(log.of(proof, ALL - 1), [headOf(ALL)]) ?? '', /the log of this proof is shorter/);
    const without = verified(proof, { heads: [headOf(9)] });
    assert.match(without.log?.reasons.join() ?? '', /shows no head/);
    assert.equal(without.isSound, false);
  });

  test('can be kept in several forms', () => {
    const { root, signed } = headOf(9);
    const bare = { size: 9, root };
    assert.deepEqual(readHeads(`9 ${root}`), [bare]);
    assert.deepEqual(readHeads(` 9 ${root.toUpperCase()}\n\n${JSON.stringify(bare)}\n`), [bare, bare]);
    assert.deepEqual(readHeads(JSON.stringify(signed, null, 2)), [{ ...bare, signed }]);
    assert.deepEqual(readHeads(JSON.stringify({ userId: 'p', log: bare })), [bare]);
    assert.deepEqual(readHeads(''), []);
    for (const text of ['x', root, `0 ${root}`, '{}', 'null', `9 ${root} x`]) assert.equal(readHeads(text), undefined);
  });
});

test('heads of several proofs are compared with each other', () => {
  const forked = createTestLog([otherLeaf('instead'), ...LEAVES.slice(1)]);
  const one = { ...proof, log: log.of(proof, ALL) };
  const two = { ...proof, log: forked.of(proof, ALL) };
  assert.equal(verified(one).isSound, true);
  assert.equal(verified(two).isSound, true, 'each by itself');
  const said = verified([one, two]);
  assert.match(said.log?.reasons.join() ?? '', /^The log forks/);
});
