/** A CSV file of items as a spreadsheet shows it: columns, rows, and what is wrong with them. */
import { LIMITS } from '../../shared/limits.ts';
import { CommandError } from '../shared.ts';
import type { CatalogDocument } from './api.ts';
import { type Column, columnsOf, typeOf } from './columns.ts';
import { DELIMITERS, type Delimiter, readCsv, unescapeFormula } from './csv.ts';
import { type Decimals, decimalsOf, parseNumber } from './csv-numbers.ts';
import { printable } from './terminal.ts';

const isNumeric = (column: Column): boolean =>
  column.type === 'bound' || (column.type === 'field' && typeOf(column.field) === 'number');

const isEmpty = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '');

/** Reads titles leniently, to find out which delimiter makes sense of them. */
const countKnown = (find: (title: string) => unknown, header: readonly string[]): number =>
  header.filter((title) => {
    try {
      return find(unescapeFormula(title)) !== undefined;
    } catch {
      return true;
    }
  }).length;

/** The cells of the header; none if they cannot be read with this delimiter. */
const headerOf = (text: string, delimiter: Delimiter): readonly string[] => {
  try {
    return readCsv(text, delimiter, 1)[0] ?? [];
  } catch {
    return [];
  }
};

/** The delimiter with which the header has the most known columns; the one of RFC 4180 if that does not tell. */
const delimiterOf = (text: string, find: (title: string) => unknown): Delimiter => {
  const known = DELIMITERS.map((delimiter) => ({ delimiter, count: countKnown(find, headerOf(text, delimiter)) }));
  return known.reduce((best, other) => (other.count > best.count ? other : best)).delimiter;
};

/** A row of the file, by what its columns contain. */
interface Row {
  /** As spreadsheets count: the header is row 1. */
  readonly number: number;
  readonly cells: ReadonlyMap<Column, string>;
}

export interface Sheet {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly decimals: Decimals | undefined;
}

/** What is wrong with a file, so that it is reported at once. */
export type Faults = string[];

const addFault = (faults: Faults, row: number, title: string | undefined, message: string): void => {
  faults.push(printable(`row ${row}${title === undefined ? '' : `, column "${title}"`}: ${message}`));
};

export const throwIfAny = (faults: Faults): void => {
  if (faults.length === 0) return;
  const shown = faults.slice(0, LIMITS.printedFindings);
  const rest = faults.length - shown.length;
  throw new CommandError([...shown, ...(rest > 0 ? [`… and ${rest} more`] : [])].join('\n'));
};

/** The column of each cell of the header; undefined where the header is empty. */
const readHeader = (titles: readonly string[], find: (title: string) => Column | undefined): (Column | undefined)[] => {
  const columns = titles.map((cell, index) => {
    const title = unescapeFormula(cell);
    if (title.trim() === '') return undefined;
    const column = find(title);
    if (column === undefined)
      throw new CommandError(
        `there is no column "${printable(title)}" (cell ${index + 1} of the header): see itemwright catalog export for the columns`,
      );
    return column;
  });
  for (const [index, column] of columns.entries())
    if (column !== undefined && columns.indexOf(column) < index)
      throw new CommandError(`the column "${printable(column.title)}" is there twice`);
  if (!columns.some((column) => column?.type === 'field' && column.field === 'id'))
    throw new CommandError('the column "id" is missing; leave its cells empty to make new items');
  return columns;
};

export const readSheet = (text: string, document: CatalogDocument, faults: Faults): Sheet => {
  const { find } = columnsOf(document);
  const delimiter = delimiterOf(text, find);
  const [titles = [], ...records] = readCsv(text, delimiter);
  const columns = readHeader(titles, find);
  const rows: Row[] = [];
  for (const [index, record] of records.entries()) {
    if (isEmpty(record)) continue;
    const number = index + 2;
    const cells = new Map<Column, string>();
    for (const [at, column] of columns.entries())
      if (column !== undefined) cells.set(column, unescapeFormula(record[at] ?? ''));
    const extra = record.findIndex((cell, at) => columns[at] === undefined && cell.trim() !== '');
    if (extra !== -1) addFault(faults, number, undefined, `cell ${extra + 1} has no title in the header`);
    rows.push({ number, cells });
  }
  const present = columns.filter((column) => column !== undefined);
  const numbers = rows.flatMap(({ cells }) =>
    present.filter(isNumeric).map((column) => (cells.get(column) ?? '').trim()),
  );
  return { columns: present, rows, decimals: decimalsOf(numbers, delimiter) };
};

/** Reads the cells of one row. */
export interface RowReader {
  /** Reports a fault; always undefined, as what is read from a wrong cell. */
  fail(column: Column | undefined, message: string): undefined;
  text(column: Column): string;
  isBlank(column: Column): boolean;
  number(column: Column): number | undefined;
}

export const readerOf = ({ number: row, cells }: Row, decimals: Decimals | undefined, faults: Faults): RowReader => {
  const text = (column: Column): string => cells.get(column) ?? '';
  const fail = (column: Column | undefined, message: string): undefined => {
    addFault(faults, row, column?.title, message);
    return undefined;
  };
  return {
    fail,
    text,
    isBlank: (column) => text(column).trim() === '',
    number: (column) => {
      const given = text(column).trim();
      const value = parseNumber(given, decimals);
      if (value !== undefined) return value;
      return fail(
        column,
        decimals === undefined
          ? `"${given}" could be two numbers: save the file with commas between cells, or write it without a point`
          : `"${given}" is not a number`,
      );
    },
  };
};
