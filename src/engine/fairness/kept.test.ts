import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fairnessVectors } from '../../../test/fairness.ts';
import { createTestLog, leavesOf, otherLeaf } from '../../../test/public-log.ts';
import { verified } from '../../../test/verified.ts';
import { joinKept, type Kept, keptText, readHeads, readKept } from './kept.ts';
import type { RotateReceipt } from './receipts.ts';

const { proof } = fairnessVectors();
const OTHERS = ['a', 'b', 'c', 'd'].map(otherLeaf);
const LEAVES = [...leavesOf(proof), ...OTHERS];
const log = createTestLog(LEAVES);
const now = { ...proof, log: log.of(proof, LEAVES.length - OTHERS.length) };

const inFile = (kept: Kept): Kept => {
  const read = readKept(keptText(kept));
  assert.ok(read !== undefined && !('error' in read));
  return read;
};

describe('what a player keeps', () => {
  test('fixes everything that was checked, in one file', () => {
    const { toKeep, receipts } = verified(now);
    const newest = receipts.findLast(({ receipt }) => receipt.kind === 'rotate');
    const last = receipts.findLast(
      ({ receipt }) => receipt.epoch === newest?.receipt.epoch && receipt.kind !== 'rotate',
    );
    const kept = inFile(toKeep);
    assert.deepEqual(new Set(kept.receipts), new Set([newest?.hash, last?.hash]));
    assert.deepEqual(kept.seeds, [{ commitment: (newest?.receipt as RotateReceipt | undefined)?.nextCommitment }]);
    assert.deepEqual(
      kept.heads?.map(({ size }) => size),
      [leavesOf(proof).length],
    );
    assert.deepEqual(kept, toKeep);
    assert.equal(verified(now, kept).isSound, true);
    // Later, the log has grown.
    const later = { ...proof, log: log.of(proof, LEAVES.length, leavesOf(proof).length) };
    const again = verified(later, kept);
    assert.equal(again.isSound, true);
    // The newest head stands for those that it was compared with.
    assert.deepEqual(
      again.toKeep.heads?.map(({ size }) => size),
      [LEAVES.length],
    );
  });

  test('is not added to by a proof that is not sound', () => {
    const kept: Kept = { receipts: ['f'.repeat(64)], seeds: [], heads: [] };
    const { isSound, toKeep } = verified(now, kept);
    assert.deepEqual([isSound, toKeep], [false, kept]);
  });

  test('is joined, each thing once', () => {
    const one = { receipts: ['a', 'b'], seeds: [{ clientSeed: 'x' }, {}], heads: [{ size: 1, root: 'r' }] };
    const other = { receipts: ['b'], seeds: [{ clientSeed: 'x' }, { clientSeed: 'x', commitment: 'c' }] };
    assert.deepEqual(joinKept([one, {}, other]), {
      receipts: ['a', 'b'],
      seeds: [{ clientSeed: 'x' }, { clientSeed: 'x', commitment: 'c' }],
      heads: [{ size: 1, root: 'r' }],
    });
  });

  test('cannot be nested so deeply that reading it fails', () => {
    for (const name of ['head', 'log']) {
      const deep = `${`{"${name}":`.repeat(50_000)}1${'}'.repeat(50_000)}`;
      assert.equal(readHeads(deep), undefined);
      const read = readKept(`{"kept":1,"heads":[${deep}]}`);
      assert.ok(read !== undefined && 'error' in read);
    }
  });

  test('is told from a proof and from anything else', () => {
    for (const other of [
      JSON.stringify(proof),
      '',
      '[]',
      'null',
      '{"kept":',
      `{"kept":1,"x":"${'x'.repeat(2 ** 20)}"}`,
    ])
      assert.equal(readKept(other), undefined);
    assert.deepEqual(readKept('\uFEFF{"kept":1}'), { receipts: [], seeds: [], heads: [] });
    for (const [text, fault] of [
      ['{"kept":2}', /kept is not 1/],
      ['{"kept":1,"receipts":["x"]}', /receipts\[0\] is not a hash/],
      ['{"kept":1,"seeds":[{"clientSeed":1}]}', /seeds\[0\]\.clientSeed is not a text/],
      ['{"kept":1,"heads":[{"size":0,"root":""}]}', /heads\[0\] is not a head/],
      ['{"kept":1,"more":1}', /more is not a known member/],
    ] as const) {
      const read = readKept(text);
      assert.ok(read !== undefined && 'error' in read, text);
      assert.match(read.error, fault);
    }
  });
});
