import { MEMBERS } from '../../catalog/entities.ts';
import { CommandError } from '../shared.ts';
import type { CatalogDocument, Classifier } from './api.ts';

export type Field = 'id' | keyof typeof MEMBERS.item;

export const FIELDS = ['id', ...Object.keys(MEMBERS.item)] as readonly Field[];

/** What the cells of a field contain. */
export const typeOf = (field: Field): 'number' | 'json' | 'boolean' | 'text' => {
  const types = [field === 'id' ? 'string' : (MEMBERS.item[field] as { readonly type?: unknown }).type].flat();
  if (types.includes('object')) return 'json';
  if (types.includes('boolean')) return 'boolean';
  return types.includes('number') || types.includes('integer') ? 'number' : 'text';
};

/** What a column of the spreadsheet contains. */
export type Column =
  | { readonly type: 'field'; readonly title: string; readonly field: Field }
  | { readonly type: 'classifier'; readonly title: string; readonly options: Titles; readonly classifierId: string }
  | { readonly type: 'bound'; readonly title: string; readonly attributeId: string; readonly bound: 'min' | 'max' };

interface Named {
  readonly id: string;
  /** What it is called if nothing else is called that. */
  readonly short: string;
  /** What it is always called: unique, since it contains the id. */
  readonly long: string;
}

/** Texts that stand for things. */
export interface Titles {
  /** The text to write for an id. */
  write(id: string): string;
  /** The ids that a text can stand for. */
  read(text: string): readonly string[];
}

/**
 * A short title is written only if it can be read back: nothing else has it as a title of either kind, and it survives
 * trimming. On reading, a long title comes first: it has an id in it, so it is meant.
 */
const titlesOf = (things: readonly Named[], isWritable: (short: string) => boolean = () => true): Titles => {
  const byLong = new Map(things.map(({ id, long }) => [long, [id]]));
  const byShort = new Map<string, string[]>();
  for (const { id, short } of things) byShort.set(short.trim(), [...(byShort.get(short.trim()) ?? []), id]);
  const isReadable = (short: string): boolean =>
    byShort.get(short)?.length === 1 && !byLong.has(short) && isWritable(short);
  const written = new Map(things.map(({ id, short, long }) => [id, isReadable(short) ? short : long]));
  return {
    write: (id) => written.get(id) as string,
    read: (text) => byLong.get(text.trim()) ?? byShort.get(text.trim()) ?? [],
  };
};

export const OPTION_SEPARATOR = ';';

/** Options are separated by semicolons, so a name that has one is written with commas instead, and with its id. */
const optionTitles = ({ classifierOptions }: Classifier): Titles =>
  titlesOf(
    classifierOptions.map(({ id, name }) => ({
      id,
      short: name,
      long: `${name.replaceAll(OPTION_SEPARATOR, ',').trim()} (${id})`.trim(),
    })),
    (name) => !name.includes(OPTION_SEPARATOR),
  );

/** The columns of a catalog, in order, and what they are called. */
export interface Columns {
  readonly columns: readonly Column[];
  /** Finds the column with this title; undefined if there is none. */
  find(title: string): Column | undefined;
}

const BOUNDS = ['min', 'max'] as const;

/** An attribute and a classifier may have the same id, and there are two columns for an attribute. */
const keyOf = (type: string, id: string): string => `${type} ${id}`;

export const columnsOf = ({ classifiers, attributes }: CatalogDocument): Columns => {
  const titles = titlesOf([
    ...FIELDS.map((field) => ({ id: keyOf('field', field), short: field, long: field })),
    ...classifiers.map(({ id, name }) => ({
      id: keyOf('classifier', id),
      short: name,
      long: `${name.trim()} (${id})`.trim(),
    })),
    ...attributes.flatMap(({ id, name }) =>
      BOUNDS.map((bound) => ({
        id: keyOf(bound, id),
        short: `${name} ${bound}`,
        long: `${name.trim()} (${id}) ${bound}`.trim(),
      })),
    ),
  ]);
  const byKey = new Map<string, Column>();
  for (const field of FIELDS) byKey.set(keyOf('field', field), { type: 'field', title: field, field });
  for (const classifier of classifiers) {
    const key = keyOf('classifier', classifier.id);
    const options = optionTitles(classifier);
    byKey.set(key, { type: 'classifier', title: titles.write(key), options, classifierId: classifier.id });
  }
  for (const { id } of attributes)
    for (const bound of BOUNDS) {
      const key = keyOf(bound, id);
      byKey.set(key, { type: 'bound', title: titles.write(key), attributeId: id, bound });
    }
  return {
    columns: [...byKey.values()],
    find: (title) => {
      const keys = titles.read(title);
      if (keys.length > 1)
        throw new CommandError(
          `the column "${title}" could be any of ${keys.map((key) => `"${byKey.get(key)?.title}"`).join(', ')}`,
        );
      return keys[0] === undefined ? undefined : byKey.get(keys[0]);
    },
  };
};
