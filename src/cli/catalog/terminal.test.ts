import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, test } from 'node:test';
import { ask, clip, formatJson, padEnd, printable, printableValue, terminalOf, widthOf, wrap } from './terminal.ts';

const ESCAPE = '\u001b';

/** A stream that remembers what was written to it. */
const streamOf = ({ isTTY = false, columns = 0 } = {}) => {
  const written: string[] = [];
  const stream = { isTTY, columns, write: (text: string) => written.push(text) };
  return { stream: stream as unknown as NodeJS.WriteStream, written };
};

const terminalWith = (env: Record<string, string>, { isTTY = true, columns = 80 } = {}) => {
  const { stream } = streamOf({ isTTY, columns });
  const stdin = { isTTY } as unknown as NodeJS.ReadStream;
  return terminalOf({ stdin, stdout: stream, stderr: stream, env });
};

describe('the output on a terminal', () => {
  test('has colours only on a terminal that wants them', () => {
    assert.equal(terminalWith({}).paint('green', '+'), `${ESCAPE}[32m+${ESCAPE}[0m`);
    assert.equal(terminalWith({ NO_COLOR: '' }).paint('red', '-'), `${ESCAPE}[31m-${ESCAPE}[0m`);
    assert.equal(terminalWith({ NO_COLOR: '1' }).paint('green', '+'), '+');
    assert.equal(terminalWith({ TERM: 'dumb' }).paint('green', '+'), '+');
    assert.equal(terminalWith({ FORCE_COLOR: '1' }, { isTTY: false }).paint('green', '+'), '+');
  });

  test('is between 60 and 100 columns wide', () => {
    const widthWith = (columns: number, isTTY = true) => terminalWith({}, { columns, isTTY }).columns;
    assert.deepEqual([widthWith(20), widthWith(80), widthWith(300), widthWith(0)], [60, 80, 100, 100]);
    assert.equal(widthWith(70, false), 100);
  });

  test('asks nobody if there is no terminal', () => {
    assert.equal(terminalWith({}, { isTTY: false }).confirm, undefined);
    assert.notEqual(terminalWith({}).confirm, undefined);
  });

  test('shows control characters instead of obeying them', () => {
    assert.equal(
      printable(`a${ESCAPE}[31mb\u009b1m\n\r\t\u0007\u202ec\u2028`),
      'a\\u001b[31mb\\u009b1m\\u000a\\u000d\\u0009\\u0007\\u202ec\\u2028',
    );
    assert.equal(printable('Ä 剣 👩‍🚀 🗡️'), 'Ä 剣 👩‍🚀 🗡️');
    assert.equal(printable('\ud83d'), '\\ud83d');
    assert.deepEqual(printableValue({ 'a\u0007': ['\u0007', 1, null, { b: '\u0007' }] }), {
      'a\\u0007': ['\\u0007', 1, null, { b: '\\u0007' }],
    });
  });

  test('escapes them in JSON so that it means the same', () => {
    const value = { 'a\u009b': ['\u007f', '\u202e', '\n', ESCAPE] };
    const text = formatJson(value);
    assert.doesNotMatch(text, /[\u007f-\u009f\u202e]/);
    assert.deepEqual(JSON.parse(text), value);
    assert.equal(text.split('\n').length, 8);
  });

  test('measures what characters take up', () => {
    for (const [text, width] of [
      ['Sword', 5],
      ['Schwert ÄÖÜ', 11],
      ['剣', 2],
      ['👾', 2],
      ['👩‍🚀', 2],
      ['🗡️', 2],
      ['e\u0301', 1],
      ['→', 1],
      ['', 0],
    ] as const)
      assert.equal(widthOf(text), width, text);
    assert.equal(padEnd('剣', 4), '剣  ');
  });

  test('shortens and wraps texts', () => {
    assert.equal(clip('abcdef', 6), 'abcdef');
    assert.equal(clip('abcdefg', 6), 'abcde…');
    assert.equal(clip('剣剣剣', 4), '剣…');
    assert.deepEqual(wrap(['aaa', 'bbb', 'ccc'], 9), ['aaa, bbb,', 'ccc']);
    assert.deepEqual(wrap([], 9), []);
    assert.deepEqual(wrap(['a'.repeat(20)], 9), ['aaaaaa…']);
  });
});

describe('a question', () => {
  const answer = (text: string | null): Promise<boolean> => {
    const input = new PassThrough();
    const asked = ask(input, new PassThrough(), 'Publish?');
    if (text === null) input.end();
    else input.write(text);
    return asked;
  };

  test('is agreed to with y or yes only', async () => {
    for (const text of ['y\n', 'Y\n', ' yes \n', 'YES\r\n']) assert.equal(await answer(text), true, text);
    for (const text of ['\n', 'n\n', 'yep\n', 'no\n', '1\n']) assert.equal(await answer(text), false, text);
  });

  test('is declined when the input ends', async () => {
    assert.equal(await answer(null), false);
  });
});
