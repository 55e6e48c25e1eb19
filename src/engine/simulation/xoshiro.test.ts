import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createXoshiro } from './xoshiro.ts';

test('two outputs of the reference implementation make a draw', () => {
  const generator = createXoshiro();
  generator.seed([1, 2, 3, 4]);
  // The first outputs of xoshiro128** 1.1 from this state are 11520, 0, 5927040 and 70819200.
  const draws = [generator.draws(), generator.draws()];
  assert.deepEqual(draws, [(360 * 2 ** 26) / 2 ** 53, (185220 * 2 ** 26 + 1106550) / 2 ** 53]);
  generator.seed([1, 2, 3, 4]);
  assert.equal(generator.draws(), draws[0], 'a seed starts it again');
});

test('draws are from 0 to below 1, and use all 53 bits', () => {
  const generator = createXoshiro();
  generator.seed([0xdeadbeef, 0xffffffff, 0x80000000, 7]);
  let lowBits = 0;
  for (let n = 0; n < 10_000; n += 1) {
    const draw = generator.draws();
    assert.ok(draw >= 0 && draw < 1);
    assert.ok(Number.isSafeInteger(draw * 2 ** 53));
    lowBits += (draw * 2 ** 53) % 2;
  }
  // Half of them, give or take four standard deviations.
  assert.ok(Math.abs(lowBits - 5000) < 200, `${lowBits} odd draws`);
});
