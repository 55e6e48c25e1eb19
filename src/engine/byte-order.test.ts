import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareBytes, sortedBy } from './byte-order.ts';

test('orders strings by their UTF-8 bytes', () => {
  const unit = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme-ascii' }));
  fc.assert(
    fc.property(unit, unit, (left, right) => {
      assert.equal(Math.sign(compareBytes(left, right)), Buffer.compare(Buffer.from(left), Buffer.from(right)));
    }),
    { seed: 1, numRuns: 2000 },
  );
});

test('sorts characters outside the basic plane last, unlike code units', () => {
  assert.deepEqual(
    sortedBy(['\u{1F600}', '\uFF5E', 'a', 'B', ''], (text) => text),
    ['', 'B', 'a', '\uFF5E', '\u{1F600}'],
  );
});
