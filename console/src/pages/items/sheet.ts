import type { Schemas } from '../../api/client.ts';
import { castOf, type Entities, isSame, newId, toldOf } from '../../catalog/entities.ts';
import { parseNumber } from '../../parts/number-text.ts';
import { freeSlug } from '../../parts/slug.ts';

/** Items as a spreadsheet has them. The columns are those of `itemwright catalog export`. */

type Item = Entities['item'];

/** What a spreadsheet would run as a formula. */
const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const escaped = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);
const unescaped = (cell: string): string => (cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell);

const NEEDS_QUOTES = /[",;\t\r\n]|^\s|\s$/;
const cellText = (cell: string): string => (NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** What cells are separated by: a spreadsheet that is copied has tabs, and a file commas or semicolons. */
const delimiterOf = (text: string): string => {
  const header = text.slice(0, text.search(/[\r\n]|$/));
  return ['\t', ';'].find((one) => header.includes(one)) ?? ',';
};

/** The rows of a CSV file, or of what was copied from a spreadsheet. */
export const readCells = (text: string): string[][] => {
  const bare = text.replace(/^\ufeff/, '');
  const delimiter = delimiterOf(bare);
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^${delimiter}\\r\\n]*))(${delimiter}|\\r\\n|\\r|\\n|$)`, 'y');
  while (cell.lastIndex < bare.length) {
    const found = cell.exec(bare);
    if (found === null) throw new Error(`Row ${rows.length + 1} has a quoted cell without an end`);
    const [, quoted, plain = '', end] = found;
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === delimiter) continue;
    rows.push(row);
    row = [];
  }
  if (row.length > 0) rows.push(row);
  return rows.filter((cells) => cells.some((one) => one.trim() !== ''));
};

interface Column {
  readonly title: string;
  /** Other titles that mean the same. */
  readonly also?: readonly string[];
  readonly write: (item: Item) => string;
  /** What a cell makes of an item. Throws if it makes no sense. */
  readonly read: (cell: string, item: Item) => Partial<Item>;
}

const textColumn = (member: 'thumbnail' | 'description'): Column => ({
  title: member,
  write: (item) => item[member] ?? '',
  read: (cell) => ({ [member]: cell === '' ? null : cell }),
});

const NUMBERS = [
  { member: 'rollNumerator', also: ['weight'], usual: 100 },
  { member: 'width', also: [], usual: 1 },
  { member: 'height', also: [], usual: 1 },
] as const;

const numberOf = (cell: string): number => {
  const value = parseNumber(cell);
  if (value === undefined) throw new Error(`“${cell}” is not a number`);
  return value;
};

const oneOf = (cell: string, ...words: readonly string[]): string => {
  const word = cell.trim();
  if (word !== '' && !words.includes(word)) throw new Error(`“${word}” is neither ${words.join(' nor ')}`);
  return word;
};

const dataOf = (cell: string): Item['data'] => {
  try {
    const value: unknown = JSON.parse(cell);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Item['data'];
  } catch {
    // It says so below.
  }
  throw new Error('is not a JSON object');
};

const optionColumn = ({ id, name, classifierOptions }: Schemas['Classifier']): Column => {
  const own = new Set(classifierOptions.map((option) => option.id));
  const longOf = (option: Schemas['ClassifierOption']) => `${option.name.replaceAll(';', ',')} (${option.id})`;
  const isAlone = (option: Schemas['ClassifierOption']) =>
    !option.name.includes(';') && classifierOptions.filter((other) => other.name === option.name).length === 1;
  const idOf = (text: string): string => {
    const wanted = text.trim();
    const exact = classifierOptions.find((option) => longOf(option) === wanted || option.name === wanted);
    const known = exact ?? classifierOptions.find((option) => option.name.toLowerCase() === wanted.toLowerCase());
    if (known === undefined) throw new Error(`there is no option “${wanted}”`);
    return known.id;
  };
  return {
    title: name,
    also: [`${name} (${id})`],
    write: ({ classifierOptionIds }) =>
      classifierOptions
        .filter((option) => classifierOptionIds.includes(option.id))
        .map((option) => (isAlone(option) ? option.name : longOf(option)))
        .join(';'),
    read: (cell, { classifierOptionIds }) => {
      const wanted = cell.split(';').flatMap((text) => (text.trim() === '' ? [] : [idOf(text)]));
      // Those that stay keep their place.
      const kept = classifierOptionIds.filter((option) => !own.has(option) || wanted.includes(option));
      return { classifierOptionIds: [...kept, ...wanted.filter((option) => !kept.includes(option))] };
    },
  };
};

const BOUNDS = ['min', 'max'] as const;

const boundColumns = ({ id, name }: Schemas['Attribute']): Column[] =>
  BOUNDS.map((bound) => ({
    title: `${name} ${bound}`,
    also: [`${name} (${id}) ${bound}`],
    write: ({ itemAttributes }) => String(itemAttributes.find((own) => own.attributeId === id)?.[bound] ?? ''),
    read: (cell, { itemAttributes }) => {
      const own = itemAttributes.find(({ attributeId }) => attributeId === id);
      const others = itemAttributes.filter(({ attributeId }) => attributeId !== id);
      if (cell.trim() === '') return bound === 'min' ? { itemAttributes: others } : {};
      const value = numberOf(cell);
      const range = own ?? { id: newId(), attributeId: id, min: value, max: value };
      const changed = { ...range, [bound]: value };
      return {
        itemAttributes: own ? itemAttributes.map((one) => (one === own ? changed : one)) : [...others, changed],
      };
    },
  }));

const columnsOf = (classifiers: readonly Schemas['Classifier'][], attributes: readonly Schemas['Attribute'][]) => {
  const columns: readonly Column[] = [
    { title: 'id', write: ({ id }) => id, read: () => ({}) },
    {
      title: 'name',
      also: ['item'],
      write: ({ name }) => name,
      read: (cell) => {
        if (cell.trim() === '') throw new Error('must not be empty');
        return { name: cell };
      },
    },
    textColumn('thumbnail'),
    ...NUMBERS.map(({ member, also, usual }) => ({
      title: member,
      also,
      write: (item: Item) => String(item[member]),
      read: (cell: string) => ({ [member]: cell.trim() === '' ? usual : numberOf(cell) }),
    })),
    textColumn('description'),
    {
      title: 'data',
      write: ({ data }) => (data ? JSON.stringify(data) : ''),
      read: (cell) => ({ data: cell.trim() === '' ? null : dataOf(cell) }),
    },
    {
      title: 'currency',
      write: ({ currency }) => (currency ? 'true' : ''),
      read: (cell) => ({ currency: oneOf(cell.toLowerCase(), 'true', 'false') === 'true' ? true : undefined }),
    },
    {
      title: 'spend',
      write: ({ spend }) => spend ?? '',
      read: (cell) => ({ spend: oneOf(cell, 'paidFirst', 'freeFirst') === 'paidFirst' ? 'paidFirst' : undefined }),
    },
    ...classifiers.map(optionColumn),
    ...attributes.flatMap(boundColumns),
  ];
  // What two have in common is written with an id.
  return columns.map((column) => {
    const isAlone = columns.filter(({ title }) => title === column.title).length === 1;
    return isAlone ? column : { ...column, title: column.also?.at(-1) ?? column.title };
  });
};

interface Vocabulary {
  readonly classifiers: readonly Schemas['Classifier'][];
  readonly attributes: readonly Schemas['Attribute'][];
}

/** Items as a CSV file, which `itemwright catalog import` can read, too. */
export const csvOf = (items: readonly Item[], { classifiers, attributes }: Vocabulary): string => {
  const columns = columnsOf(classifiers, attributes);
  const numbers = new Set(NUMBERS.map(({ member }): string => member));
  const rows = items.map((item) =>
    columns.map(({ title, write }) => (numbers.has(title) || title === 'data' ? write(item) : escaped(write(item)))),
  );
  return [columns.map(({ title }) => escaped(title)), ...rows]
    .map((row) => `${row.map(cellText).join(',')}\r\n`)
    .join('');
};

export interface SheetEdit {
  /** Null if it is new. */
  readonly before: Item | null;
  readonly after: Item;
}

export interface ReadSheet {
  readonly edits: readonly SheetEdit[];
  /** How many rows are items as they are. */
  readonly unchanged: number;
  readonly faults: readonly string[];
}

const NEW_ITEM: Omit<Item, 'id' | 'name'> = {
  ...{ thumbnail: null, rollNumerator: 100, width: 1, height: 1, classifierOptionIds: [], itemAttributes: [] },
};

/**
 * What rows change of the items, and which items they add. Columns that are not there stay as they are. Rows without an
 * id are the item of that name, if there is no column of ids and only one has it, or new.
 */
export const readSheet = (text: string, items: readonly Item[], { classifiers, attributes }: Vocabulary): ReadSheet => {
  const columns = columnsOf(classifiers, attributes);
  const [header = [], ...rows] = readCells(text);
  const faults: string[] = [];
  const find = (title: string): Column | undefined => {
    const wanted = unescaped(title).trim().toLowerCase();
    return columns.find((one) =>
      [one.title, ...(one.also ?? [])].some((known) => known.trim().toLowerCase() === wanted),
    );
  };
  const places = header.map((title) => {
    const column = find(title);
    if (column === undefined && title.trim() !== '') faults.push(`There is no column “${title.trim()}”.`);
    return column;
  });
  const placeOf = (title: string) => places.findIndex((column) => column?.title === title);
  const [idPlace, namePlace] = [placeOf('id'), placeOf('name')];
  if (idPlace < 0 && namePlace < 0) faults.push('The first row must name the columns: at least “id” or “name”.');
  if (faults.length > 0) return { edits: [], unchanged: 0, faults };
  const byId = new Map(items.map((item) => [item.id, item]));
  const byName = Map.groupBy(items, ({ name }) => name);
  const seen = new Set<string>();
  const edits: SheetEdit[] = [];
  let unchanged = 0;
  for (const [place, cells] of rows.entries()) {
    const fault = (title: string, reason: string) => void faults.push(`Row ${place + 2}, ${title}: ${reason}.`);
    const given = unescaped(cells[idPlace] ?? '').trim();
    const name = unescaped(cells[namePlace] ?? '');
    const named = idPlace < 0 ? (byName.get(name) ?? []) : [];
    const before = byId.get(given) ?? (named.length === 1 ? named[0] : undefined) ?? null;
    const id = before?.id ?? (given || (freeSlug(name, (one) => byId.has(one) || seen.has(one)) ?? newId()));
    if (seen.has(id)) fault('id', `“${id}” is there twice`);
    seen.add(id);
    if (before === null && name.trim() === '') fault('name', 'a new item needs one');
    let after: Item = before ?? { id, name, ...NEW_ITEM };
    for (const [at, column] of places.entries()) {
      if (column === undefined) continue;
      try {
        after = { ...after, ...column.read(unescaped(cells[at] ?? ''), after) };
      } catch (error) {
        fault(column.title, (error as Error).message);
      }
    }
    const { description: _, data: __, currency: ___, spend: ____, ...members } = after;
    const whole = { ...members, ...toldOf(after), ...castOf(after) };
    if (before !== null && isSame(before, whole)) unchanged += 1;
    else edits.push({ before, after: whole });
  }
  return { edits, unchanged, faults };
};
