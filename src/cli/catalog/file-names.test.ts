import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fileNames, isFileNameOf } from './file-names.ts';

const nameOf = (id: string, ...others: string[]): string | undefined => fileNames([id, ...others]).get(id);

const ids = fc.uniqueArray(
  fc.oneof(
    fc.stringMatching(/^[A-Ca-c0-1._:%~-]{1,4}$/),
    fc.stringMatching(/^[A-Za-z0-9._:-]{1,191}$/),
    fc.string({ minLength: 1, maxLength: 191, unit: 'grapheme' }),
    fc.constantFrom('con', 'CON', 'Aux.x', 'nul', 'COM1', ':'.repeat(191)),
  ),
  { minLength: 1, maxLength: 8 },
);

describe('the name of a file', () => {
  test('is the id, if files can be called that', () => {
    assert.equal(nameOf('winter-banner_2.1'), 'winter-banner_2.1');
    assert.equal(nameOf('Winter'), 'Winter');
    assert.equal(nameOf('01a1e29c-557d-719b-9d2e-e5f925ea9b17'), '01a1e29c-557d-719b-9d2e-e5f925ea9b17');
  });

  test('is encoded where it would be something else', () => {
    assert.equal(nameOf('a:b'), 'a%3Ab');
    assert.equal(nameOf('../x'), '%2E.%2Fx');
    assert.equal(nameOf('...'), '%2E..');
    assert.equal(nameOf('con'), '%63on');
    assert.equal(nameOf('a%3Ab'), 'a%253Ab');
  });

  test('differs in more than case', () => {
    assert.deepEqual([...fileNames(['axe', 'Axe', 'AXE', 'Bow']).values()], ['axe', '%41xe', '%41%58%45', 'Bow']);
  });

  test('belongs to one id, on any file system', () => {
    fc.assert(
      fc.property(ids, (all) => {
        const names = fileNames(all);
        assert.equal(new Set([...names.values()].map((name) => name.toLowerCase())).size, all.length);
        for (const [id, name] of names) {
          assert.match(name, /^[A-Za-z0-9_%-][A-Za-z0-9._%~-]*$/);
          assert.doesNotMatch(`${name}.json`, /^(con|prn|aux|nul|com\d|lpt\d)\./i);
          assert.ok(name.length <= 200);
          assert.deepEqual(
            all.filter((other) => isFileNameOf(name, other)),
            [id],
          );
        }
      }),
      { seed: 1, numRuns: 500 },
    );
  });
});
