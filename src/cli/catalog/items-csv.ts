import { DEFAULTS, entityOf } from '../../catalog/entities.ts';
import { newId } from '../../shared/ids.ts';
import type { CatalogDocument, Item, ItemAttribute } from './api.ts';
import { type Column, columnsOf, OPTION_SEPARATOR, typeOf } from './columns.ts';
import { escapeFormula, formatCsv } from './csv.ts';
import { type Faults, type RowReader, readerOf, readSheet, type Sheet, throwIfAny } from './sheet.ts';

/** The classifier that each option belongs to. */
const classifierOf = ({ classifiers }: CatalogDocument): ReadonlyMap<string, string> =>
  new Map(classifiers.flatMap(({ id, classifierOptions }) => classifierOptions.map((option) => [option.id, id])));

/** The items of a catalog as CSV, with a column for each field, classifier and bound of an attribute. */
export const itemsToCsv = (document: CatalogDocument): string => {
  const { columns } = columnsOf(document);
  const owners = classifierOf(document);
  const cellOf = (item: Item, column: Column): string => {
    if (column.type === 'field') {
      const value = item[column.field] ?? '';
      return typeof value === 'string' ? escapeFormula(value) : JSON.stringify(value);
    }
    if (column.type === 'bound') {
      const attribute = item.itemAttributes.find(({ attributeId }) => attributeId === column.attributeId);
      return attribute === undefined ? '' : String(attribute[column.bound]);
    }
    const ids = item.classifierOptionIds.filter((id) => owners.get(id) === column.classifierId);
    return escapeFormula(ids.map((id) => column.options.write(id)).join(OPTION_SEPARATOR));
  };
  return formatCsv([
    columns.map(({ title }) => escapeFormula(title)),
    ...document.items.map((item) => columns.map((column) => cellOf(item, column))),
  ]);
};

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A JSON object. */
const readJson = (reader: RowReader, column: Column): object | undefined => {
  try {
    const value: unknown = JSON.parse(reader.text(column));
    if (isObject(value)) return value;
  } catch {
    // Reported below.
  }
  return reader.fail(column, 'is not a JSON object');
};

/** What spreadsheets make of `true` and `false`. */
const readBoolean = (reader: RowReader, column: Column): boolean | undefined => {
  const text = reader.text(column).trim().toLowerCase();
  if (text === 'true' || text === 'false') return text === 'true';
  return reader.fail(column, 'is neither true nor false');
};

/** A field of an item: what it should be, or what it is if the cell is wrong. */
const readField = (
  reader: RowReader,
  column: Column & { readonly type: 'field' },
  present: Item | undefined,
): string | number | boolean | object | null | undefined => {
  const { field } = column;
  const type = typeOf(field);
  // A text may consist of spaces, but nothing else does.
  if (type === 'text' ? reader.text(column) === '' : reader.isBlank(column)) {
    // An empty text and none look the same.
    if (field !== 'name' && type !== 'number') return present?.[field] === '' ? '' : null;
    if (present === undefined && field !== 'name') return DEFAULTS.item[field as 'width'];
    return reader.fail(column, present === undefined ? 'a new item needs a name' : 'must not be empty');
  }
  if (type === 'json') return readJson(reader, column);
  if (type === 'boolean') return readBoolean(reader, column);
  return type === 'number' ? reader.number(column) : reader.text(column);
};

/** The options that a cell lists, each once. */
const readOptions = (reader: RowReader, column: Column & { readonly type: 'classifier' }): string[] => {
  const names = reader
    .text(column)
    .split(OPTION_SEPARATOR)
    .filter((name) => name.trim() !== '');
  const ids = names.flatMap((name) => {
    const found = column.options.read(name);
    if (found.length === 0) reader.fail(column, `there is no option "${name.trim()}"`);
    if (found.length > 1)
      reader.fail(
        column,
        `"${name.trim()}" could be ${found.map((id) => `"${column.options.write(id)}"`).join(' or ')}`,
      );
    return found.slice(0, 1);
  });
  return [...new Set(ids)];
};

/**
 * Replaces the options of one classifier in the list of an item, which has those of all classifiers in an order of its
 * own: they stay in their places, and more of them come last.
 */
const withOptions = (
  present: readonly string[],
  wanted: readonly string[],
  isOwn: (id: string) => boolean,
): string[] => {
  const waiting = [...wanted];
  const kept = present.flatMap((id) => {
    if (!isOwn(id)) return [id];
    const next = waiting.shift();
    return next === undefined ? [] : [next];
  });
  return [...kept, ...waiting];
};

type BoundColumn = Column & { readonly type: 'bound' };

/** The range of an attribute: null if the item should not have it, undefined if the cells are wrong. */
const readRange = (
  reader: RowReader,
  columns: readonly BoundColumn[],
  present: ItemAttribute | undefined,
): { min: number; max: number } | null | undefined => {
  const blank = columns.filter((column) => reader.isBlank(column));
  if (blank.length === columns.length && (columns.length === 2 || present === undefined)) return null;
  if (blank[0] !== undefined) return reader.fail(blank[0], 'min and max must both be there, or neither');
  const read = (bound: 'min' | 'max'): number | undefined => {
    const column = columns.find((one) => one.bound === bound);
    return column === undefined ? present?.[bound] : reader.number(column);
  };
  if (columns.length === 1 && present === undefined)
    return reader.fail(columns[0], 'the item does not have this attribute yet, so the file needs both min and max');
  const [min, max] = [read('min'), read('max')];
  return min === undefined || max === undefined ? undefined : { min, max };
};

/** Sets, adds or removes an attribute of an item. */
const withAttribute = (
  present: readonly ItemAttribute[],
  attributeId: string,
  range: { min: number; max: number } | null,
): ItemAttribute[] => {
  if (range === null) return present.filter((one) => one.attributeId !== attributeId);
  if (!present.some((one) => one.attributeId === attributeId)) return [...present, { attributeId, ...range }];
  return present.map((one) => (one.attributeId === attributeId ? { ...one, ...range } : one));
};

/** An item as a row wants it; columns that the file does not have stay as they are. */
const readItem = (
  reader: RowReader,
  { columns }: Sheet,
  id: string,
  present: Item | undefined,
  owners: ReadonlyMap<string, string>,
): Item => {
  let { classifierOptionIds, itemAttributes }: Pick<Item, 'classifierOptionIds' | 'itemAttributes'> =
    present ?? DEFAULTS.item;
  const fields: Record<string, unknown> = {};
  for (const column of columns) {
    if (column.type === 'field' && column.field !== 'id') fields[column.field] = readField(reader, column, present);
    if (column.type === 'classifier') {
      const isOwn = (option: string): boolean => owners.get(option) === column.classifierId;
      classifierOptionIds = withOptions(classifierOptionIds, readOptions(reader, column), isOwn);
    }
  }
  const bounds = Map.groupBy(
    columns.filter((column) => column.type === 'bound'),
    ({ attributeId }) => attributeId,
  );
  for (const [attributeId, ofAttribute] of bounds) {
    const carried = itemAttributes.find((one) => one.attributeId === attributeId);
    const range = readRange(reader, ofAttribute, carried);
    if (range !== undefined) itemAttributes = withAttribute(itemAttributes, attributeId, range);
  }
  if (present === undefined && !('name' in fields)) reader.fail(undefined, 'a new item needs a name');
  return entityOf('item', { name: '', ...present, ...fields, id, classifierOptionIds, itemAttributes }) as Item;
};

/**
 * The items that a CSV file changes or creates. Items that it does not have, and columns that it does not have, stay as
 * they are.
 */
export const itemsFromCsv = (text: string, document: CatalogDocument, makeId: () => string = newId): Item[] => {
  const faults: Faults = [];
  const sheet = readSheet(text, document, faults);
  const idColumn = sheet.columns.find((column) => column.type === 'field' && column.field === 'id') as Column;
  const present = new Map(document.items.map((item) => [item.id, item]));
  const owners = classifierOf(document);
  const rows = new Map<string, number>();
  const items: Item[] = [];
  for (const row of sheet.rows) {
    const reader = readerOf(row, sheet.decimals, faults);
    const id = reader.text(idColumn).trim() || makeId();
    const other = rows.get(id);
    if (other !== undefined) reader.fail(idColumn, `"${id}" is in row ${other}, too`);
    rows.set(id, row.number);
    const known = present.get(id);
    const item = readItem(reader, sheet, id, known, owners);
    if (known === undefined || JSON.stringify(item) !== JSON.stringify(entityOf('item', known))) items.push(item);
  }
  throwIfAny(faults);
  return items;
};
