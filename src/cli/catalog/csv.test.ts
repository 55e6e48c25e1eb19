import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { DELIMITERS, escapeFormula, formatCsv, readCsv, unescapeFormula } from './csv.ts';
import { decimalsOf, parseNumber } from './csv-numbers.ts';

const text = fc.string({
  unit: fc.constantFrom('a', '"', ',', ';', '\r', '\n', '\t', "'", '=', '-', ' ', 'ü', '\ufeff'),
});
const OPTIONS = { seed: 1, numRuns: 500 };

describe('CSV', () => {
  test('is read as it was written, with either delimiter', () => {
    const rows = fc.array(fc.array(text, { minLength: 2, maxLength: 4 }), { maxLength: 4 });
    for (const delimiter of DELIMITERS)
      fc.assert(
        fc.property(rows, fc.boolean(), (cells, hasMark) => {
          const written = formatCsv(cells, delimiter);
          assert.deepEqual(readCsv(`${hasMark ? '\ufeff' : ''}${written}`, delimiter), cells);
        }),
        OPTIONS,
      );
  });

  test('is quoted only where that is needed', () => {
    assert.equal(formatCsv([['a', 'b "c"', 'd,e', 'f;g', 'h\ni', ' j']]), 'a,"b ""c""","d,e","f;g","h\ni"," j"\r\n');
  });

  test('may end its lines in any way, and its last one not at all', () => {
    const read = (lines: string) => readCsv(lines, ',');
    for (const lines of ['a,b\r\nc,\r\n', 'a,b\nc,\n', 'a,b\rc,\r', 'a,b\nc,', '\ufeffa,b\r\nc,'])
      assert.deepEqual(read(lines), [
        ['a', 'b'],
        ['c', ''],
      ]);
    assert.deepEqual(read(''), []);
    assert.deepEqual(read('a\n\nb'), [['a'], [''], ['b']]);
  });

  test('is refused if quotes do not match', () => {
    assert.throws(() => readCsv('a\n"b', ','), /row 2, cell 1: a quoted cell has no end/);
    assert.throws(() => readCsv('a,"b"c', ','), /row 1, cell 2: there is text after the closing quote/);
    assert.throws(
      () => readCsv('"a\nb"\nc,5" sword', ','),
      /row 2, cell 2: a cell with quotes in it must be quoted itself/,
    );
  });

  test('has no cell that a spreadsheet would run', () => {
    fc.assert(
      fc.property(text, (cell) => {
        assert.doesNotMatch(escapeFormula(cell), /^[=+\-@\t\r\n]/);
        assert.equal(unescapeFormula(escapeFormula(cell)), cell);
      }),
      OPTIONS,
    );
    for (const [cell, escaped] of [
      ['=1+1', "'=1+1"],
      ["'=1+1", "''=1+1"],
      ["'a", "'a"],
      ['-5', "'-5"],
      ['a=b', 'a=b'],
      ['', ''],
    ] as const)
      assert.equal(escapeFormula(cell), escaped);
  });
});

describe('numbers in CSV', () => {
  test('come back exactly, with a point or a comma', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const number = String(value);
        assert.equal(parseNumber(number, '.'), Number(number));
        assert.equal(parseNumber(number.replace('.', ','), ','), Number(number));
      }),
      OPTIONS,
    );
  });

  test('are not guessed', () => {
    for (const number of ['', 'a', '1 000', '0x10', '1e', '50%', '1.2.3', 'Infinity', '1e999', '1,5'])
      assert.equal(parseNumber(number, '.'), undefined, number);
    for (const number of ['1.5', '1.000,5', '1,000,5']) assert.equal(parseNumber(number, ','), undefined, number);
  });

  test('are written one way in a file', () => {
    assert.equal(decimalsOf(['1.5', '1,5'], ','), '.');
    assert.equal(decimalsOf(['1', '1,5', '1.500'], ';'), ',');
    assert.equal(decimalsOf(['1.25', '1.500'], ';'), '.');
    assert.equal(decimalsOf(['0.125', '1.500'], ';'), '.');
    assert.equal(decimalsOf(['1', '2e5', ''], ';'), '.');
    assert.equal(decimalsOf(['1', '1.500'], ';'), undefined);
  });
});
