/** The reader and the writer of JSON, compared with those of JavaScript. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { noMono, useProgram } from './program.ts';

/** Any text, also with halves of pairs. */
const TEXT = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes));

describe('JSON in C#', { skip: noMono }, () => {
  const program = useProgram();

  test('is read and written as it is in JavaScript', async () => {
    const values = [
      ...fc.sample(fc.jsonValue({ maxDepth: 4 }), { numRuns: 1000, seed: 1 }),
      ...fc.sample(TEXT, { numRuns: 1000, seed: 2 }),
      ...fc.sample(fc.double({ noNaN: true, noDefaultInfinity: true }), { numRuns: 1000, seed: 3 }),
      ...['\ud800', 'a\udc00b', '\ud83d\ude00', '\u2028', '\0'],
    ].map((value) => (Object.is(value, -0) ? 0 : value));
    assert.deepEqual(await program.get({ do: 'json', text: JSON.stringify(values, null, ' ') }), values);
    assert.equal(await program.get({ do: 'json', text: '"\\u00E4\\/\\b\\f\\n\\r\\t\\"\\\\"' }), 'ä/\b\f\n\r\t"\\');
    assert.deepEqual(await program.get({ do: 'json', text: '{"a":1,"a":2}' }), { a: 2 });
  });

  test('is refused where it is none', async () => {
    const wrong = [
      '',
      ' ',
      '{',
      '[',
      '[1',
      '[1,',
      '[1,]',
      '{"a"',
      '{"a":',
      '{"a":1',
      '{"a":1,}',
      '{a:1}',
      '"',
      '"a',
      '"\\x"',
    ]
      .concat([
        '"\\u12',
        '"\\u12g4"',
        '"\n"',
        '01',
        '1.',
        '.5',
        '-',
        '+1',
        '1e',
        'NaN',
        'tru',
        'nulls',
        '1 2',
        "'a'",
        '[1}',
      ])
      .concat(['['.repeat(100_000), '{"a":'.repeat(100_000)]);
    for (const text of wrong) {
      assert.throws(() => JSON.parse(text));
      assert.equal((await program.fail({ do: 'json', text })).type, 'FormatException', text.slice(0, 20));
    }
  });
});
