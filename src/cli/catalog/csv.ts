/** CSV as in RFC 4180, and as spreadsheet programs write it. It knows nothing of items. */
import { CommandError } from '../shared.ts';

export const DELIMITERS = [',', ';'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/**
 * What a spreadsheet would run as a formula, after any number of apostrophes. They count, so that a text that begins with
 * an apostrophe itself gets one more, and loses one again.
 */
const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** Keeps a spreadsheet from running a text as a formula. */
export const escapeFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

export const unescapeFormula = (cell: string): string =>
  cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;

/** Both delimiters are quoted, whichever is used, and so are spaces that a program might trim. */
const NEEDS_QUOTES = /[",;\t\r\n]|^\s|\s$/;

const formatCell = (cell: string): string => (NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

export const formatCsv = (rows: readonly (readonly string[])[], delimiter: Delimiter = ','): string =>
  rows.map((row) => `${row.map(formatCell).join(delimiter)}\r\n`).join('');

/** A quoted cell from its opening quote on; the quotes within it are doubled. */
const QUOTED = /"((?:[^"]|"")*)"/y;
const LINE_BREAK = /\r\n|\r|\n/y;

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

/** Reads records one after another; a record is a list of cells. */
export function* readCsv(text: string, delimiter: Delimiter): Generator<string[]> {
  const plain = delimiter === ',' ? /[^,\r\n]*/y : /[^;\r\n]*/y;
  let at = text.startsWith('\ufeff') ? 1 : 0;
  for (let row = 1; at < text.length; row += 1) {
    const cells: string[] = [];
    for (;;) {
      const quoted = text[at] === '"' ? matchAt(QUOTED, text, at) : null;
      if (text[at] === '"' && quoted === null) throw new CommandError(`row ${row}: a quoted cell has no end`);
      const [whole = ''] = quoted ?? matchAt(plain, text, at) ?? [];
      cells.push(quoted === null ? whole : (quoted[1] ?? '').replaceAll('""', '"'));
      at += whole.length;
      if (text[at] !== delimiter) break;
      at += 1;
    }
    const lineBreak = matchAt(LINE_BREAK, text, at);
    if (lineBreak === null && at < text.length)
      throw new CommandError(`row ${row}, cell ${cells.length}: there is text after the closing quote`);
    at += lineBreak?.[0].length ?? 0;
    yield cells;
  }
}
