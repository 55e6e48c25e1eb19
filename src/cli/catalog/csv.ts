/** CSV as in RFC 4180, and as spreadsheet programs write it. It knows nothing of items. */
import { CsvError, parse } from 'csv-parse/sync';
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

/** What is wrong with the quotes of a cell. */
const FAULTS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quoted cell has no end',
  CSV_INVALID_CLOSING_QUOTE: 'there is text after the closing quote',
  INVALID_OPENING_QUOTE: 'a cell with quotes in it must be quoted itself, and the quotes in it doubled',
};

/** Reads records, each of which is a list of cells; all of them, unless it is said how many. */
export const readCsv = (text: string, delimiter: Delimiter, most?: number): string[][] => {
  try {
    return parse(text, {
      bom: true,
      delimiter,
      record_delimiter: ['\r\n', '\r', '\n'],
      // Some programs leave out empty cells at the end of a row.
      relax_column_count: true,
      to: most,
    });
  } catch (error) {
    const fault = error instanceof CsvError ? FAULTS[error.code] : undefined;
    if (fault === undefined) throw error;
    const { records, index } = error as CsvError & { records: number; index: number };
    throw new CommandError(`row ${records + 1}, cell ${index + 1}: ${fault}`);
  }
};
