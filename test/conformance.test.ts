import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { expectedOf, readSuite } from './conformance.ts';
import { checkedTexts } from './verified.ts';

describe('the conformance suite', () => {
  test('is what our own verifier says', async () => {
    const cases = await readSuite();
    for (const { name, files, kept, expected } of cases)
      assert.deepEqual(expectedOf(checkedTexts(files, kept)), expected, name);
    const count = (is: (one: (typeof cases)[number]['expected']) => boolean): number =>
      cases.filter(({ expected }) => is(expected)).length;
    assert.ok(count((expected) => expected.readable && expected.sound) >= 10);
    assert.ok(count((expected) => expected.readable && !expected.sound) >= 51);
    assert.ok(count((expected) => !expected.readable) >= 30);
  });
});
