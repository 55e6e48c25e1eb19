import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { receiptText } from './receipts.ts';
import {
  type CallReceipt,
  endText,
  lengthOfRun,
  readEnd,
  readTerms,
  receiptsOfRun,
  runWith,
  termsOfRun,
  termsText,
} from './runs.ts';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const timeOf = (ms: number): string => new Date(ms).toISOString();

const TERMS = {
  ...{ scope: 'group:g', templateId: 'b"\n', config: 'c'.repeat(64), pool: 'd'.repeat(64), salt: 'e'.repeat(64) },
  tiers: ['five', 'four', '3'],
};
const TERMS_HASH = hashOf(termsText(TERMS));
const PLAYER = { teamId: 't', userId: 'p\n"', epoch: 3 };

const count = fc.nat();
const name = fc.oneof(fc.constantFrom(...TERMS.tiers, '0', 'gone', '["', '\n'), fc.string());
const state = fc.option(
  fc.record({
    own: fc.record({
      rolls: count,
      sparkPoints: count,
      idle: fc.option(
        fc.record({ atMs: fc.double({ noNaN: true, noDefaultInfinity: true }), rolls: count, units: count }),
      ),
    }),
    pity: fc.record({ counters: fc.array(fc.record({ tier: name, since: count }), { maxLength: 3 }), losses: count }),
  }),
);
const value = fc.double({ noNaN: true, noDefaultInfinity: true });
const call = fc.record({
  request: fc.oneof(
    fc.record({ kind: fc.constant('spark'), request: fc.record({ itemId: name }) }),
    fc.record({
      kind: fc.constant('roll'),
      request: fc.record({ count, depth: count, classifierOptionIds: fc.array(name) }, { requiredKeys: [] }),
    }),
  ),
  after: state,
  before: state,
  goesOn: fc.boolean(),
  afterMs: fc.nat(100_000),
  draws: count,
  results: fc.array(fc.tuple(name, fc.option(name), fc.boolean(), fc.boolean(), fc.array(value)), { maxLength: 3 }),
});

suite('runs', () => {
  test('give back the canonical text and hash of each receipt', () => {
    const check = fc.property(fc.nat(), fc.array(call, { minLength: 1, maxLength: 12 }), (first, calls) => {
      let run: string | null = null;
      let [previous, atMs] = ['a'.repeat(64), 1_800_000_000_000];
      const expected: { text: string; hash: string }[] = [];
      let last: CallReceipt['after'] = null;
      for (const [index, { request, goesOn, afterMs, ...given }] of calls.entries()) {
        atMs += afterMs;
        const { tiers: _, ...terms } = TERMS;
        const receipt = {
          ...{ v: 2, ...PLAYER, ...terms, ...request, ...given, nonce: first + index, previous, at: timeOf(atMs) },
          before: goesOn ? last : given.before,
        } as CallReceipt;
        const text = receiptText(receipt);
        previous = hashOf(text);
        last = receipt.after;
        expected.push({ text, hash: previous });
        run = runWith(run, TERMS_HASH, TERMS.tiers, receipt, atMs) as string;
        assert.equal(lengthOfRun(run), index + 1);
      }
      const stored = readEnd(endText({ rotation: 'r', nonce: 1, head: previous, atMs, run }))?.run as string;
      assert.equal(termsOfRun(stored), TERMS_HASH);
      const terms = readTerms(termsText(TERMS));
      const read = [...receiptsOfRun(stored, terms, { ...PLAYER, nonce: first }, { hashOf, timeOf })];
      assert.deepEqual(
        read.map(({ text, hash }) => ({ text, hash })),
        expected,
      );
    });
    fc.assert(check, { numRuns: 1000 });
  });

  const receipt = {
    ...{ v: 2, ...PLAYER, kind: 'roll', nonce: 0, at: timeOf(1), previous: 'f'.repeat(64), request: { count: 1 } },
    ...{
      before: null,
      after: null,
      results: [],
      draws: 0,
      scope: 's',
      templateId: 't',
      config: 'c',
      pool: 'p',
      salt: 's',
    },
  } as CallReceipt;

  test('have receipts on the same terms only', () => {
    const run = runWith(null, 'one', [], receipt, 1) as string;
    assert.equal(runWith(run, 'two', [], receipt, 2), undefined);
    assert.equal(runWith(run, 'on', [], receipt, 2), undefined);
  });

  test('store a state only where it is not what the receipt before left', () => {
    const state = { own: { rolls: 7, sparkPoints: 0, idle: null }, pity: { counters: [], losses: 0 } };
    const first = runWith(null, 'one', [], { ...receipt, after: state }, 1) as string;
    const same = runWith(first, 'one', [], { ...receipt, before: state }, 2) as string;
    assert.equal(same.split('\n')[2], '[null,1,0,1,[]]');
    const other = { ...state, own: { ...state.own, rolls: 70 } };
    const cleared = runWith(first, 'one', [], { ...receipt, before: other }, 2) as string;
    assert.equal(cleared.split('\n')[2], '[null,1,0,1,[],[70,0,0,0]]');
  });

  test('may be missing at the end of a chain', () => {
    const end = { rotation: 'r', nonce: 0, head: 'h', atMs: 5, run: null };
    assert.deepEqual(readEnd(endText(end)), end);
    assert.equal(readEnd(null), null);
  });
});
