import { mkdir, readdir, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { catalogJsonSchema } from '../../catalog/json-schema.ts';
import { LIMITS } from '../../shared/limits.ts';
import { readText } from '../input.ts';
import { CommandError } from '../shared.ts';
import type { CatalogDocument } from './api.ts';
import { fileNames, isFileNameOf } from './file-names.ts';

/** The format of the documents and folders that this release reads and writes. */
export const FORMAT_VERSION = 1;

/** The lists that are one file each. A template is a file of its own: it is longer, and is reviewed on its own. */
const LISTS = ['attributes', 'classifiers', 'spaces', 'items'] as const;
const TEMPLATES = 'templates';
/** What editors complete and check the files with. */
const SCHEMA = 'catalog.schema.json';

/** New files until all of them are written. */
const STAGING = '.pull-staging';
/** There while old and new files are mixed: a folder that has it is not to be published. */
const INCOMPLETE = '.pull-incomplete';

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** What a promise of a file gives, or undefined if there is no such file. */
const ifThere = async <T>(promise: Promise<T>): Promise<T | undefined> => {
  try {
    return await promise;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

const textOf = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Ids that the service has generated say nothing to whoever reads a file. */
const GENERATED = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface Named {
  readonly id: string;
  readonly name: string;
}

/** What to write for an id: the name if the id is generated, and the name stands for nothing else. */
const readable = (entities: readonly Named[]): ((id: string) => string) => {
  const count = new Map<string, number>();
  for (const { id, name } of entities)
    for (const word of new Set([id, name])) count.set(word, (count.get(word) ?? 0) + 1);
  const names = new Map(entities.map(({ id, name }) => [id, name]));
  return (id) => {
    const name = names.get(id);
    return name !== undefined && GENERATED.test(id) && count.get(name) === 1 ? name : id;
  };
};

/** Items with names of options and attributes, which the service takes as well as ids. */
const withReadableNames = ({ classifiers, attributes, items }: CatalogDocument): CatalogDocument['items'] => {
  const option = readable(classifiers.flatMap(({ classifierOptions }) => classifierOptions));
  const attribute = readable(attributes);
  return items.map((item) => ({
    ...item,
    classifierOptionIds: item.classifierOptionIds.map(option),
    itemAttributes: item.itemAttributes.map((own) => ({ ...own, attributeId: attribute(own.attributeId) })),
  }));
};

/** The files of a catalog, by their path in the folder, with `/` on any system. */
export const folderFiles = (document: CatalogDocument): Map<string, string> => {
  const names = fileNames(document.templates.map(({ id }) => id));
  const lists = { ...document, items: withReadableNames(document) };
  return new Map([
    [SCHEMA, textOf(catalogJsonSchema())],
    ...LISTS.map((list) => [`${list}.json`, textOf({ $schema: `./${SCHEMA}`, [list]: lists[list] })] as const),
    ...document.templates.map(
      (template) =>
        [`${TEMPLATES}/${names.get(template.id)}.json`, textOf({ $schema: `../${SCHEMA}`, ...template })] as const,
    ),
  ]);
};

const parseJson = (path: string, text: string): unknown => {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new CommandError(`${path} is not valid JSON: ${(error as Error).message}`);
  }
};

const readJson = async (path: string): Promise<unknown> => {
  const text = await ifThere(readText(path, LIMITS.catalogFileBytes));
  return text === undefined ? undefined : parseJson(path, text);
};

/** The template files of a folder. Git keeps no empty directories, so none means that there are no templates. */
const templateFiles = async (folder: string): Promise<string[]> => {
  const names = (await ifThere(readdir(join(folder, TEMPLATES)))) ?? [];
  return names.filter((name) => name.endsWith('.json') && !name.startsWith('.')).sort();
};

const idIn = (value: unknown): string | undefined => {
  const { id } = (value ?? {}) as { id?: unknown };
  return typeof id === 'string' ? id : undefined;
};

const stemOf = (name: string): string => name.slice(0, -'.json'.length);

/** A copied file whose id was not changed would replace the template that it was copied from. */
const readTemplate = async (folder: string, name: string): Promise<{ id: string }> => {
  const path = join(folder, TEMPLATES, name);
  const template = await readJson(path);
  const id = idIn(template);
  if (id === undefined) throw new CommandError(`${path} must be a template with an id`);
  if (!isFileNameOf(stemOf(name), id))
    throw new CommandError(
      `${path} has the template with the id ${id}: rename the file to ${fileNames([id]).get(id)}.json, or change the id`,
    );
  const { $schema: _, ...members } = template as { id: string; $schema?: unknown };
  return members;
};

const readTemplates = async (folder: string): Promise<unknown[]> => {
  const files = new Map<string, string>();
  const templates: unknown[] = [];
  for (const name of await templateFiles(folder)) {
    const template = await readTemplate(folder, name);
    const other = files.get(template.id);
    if (other !== undefined)
      throw new CommandError(
        `${other} and ${name} in ${join(folder, TEMPLATES)} have the same template, ${template.id}`,
      );
    files.set(template.id, name);
    templates.push(template);
  }
  return templates;
};

/** Releases before 0.3.0 wrote nothing but the list. */
const readList = async (folder: string, name: string): Promise<unknown[] | undefined> => {
  const path = join(folder, `${name}.json`);
  const value = await readJson(path);
  if (value === undefined || Array.isArray(value)) return value;
  const { $schema: _, [name]: list, ...others } = Object(value) as Record<string, unknown>;
  if (!Array.isArray(list) || Object.keys(others).length > 0)
    throw new CommandError(`${path} must be an object with the list "${name}", and nothing else but "$schema"`);
  return list;
};

const assertComplete = async (folder: string): Promise<void> => {
  if ((await ifThere(stat(join(folder, INCOMPLETE)))) !== undefined)
    throw new CommandError(`the last pull into ${folder} was interrupted, so old and new files are mixed: pull again`);
};

export type FolderRequest = Partial<CatalogDocument> & { readonly merge?: true };

/**
 * Reads a folder as the body of a request. Since whatever is absent from a document is deleted, no file may be missing,
 * unless the folder is only to be merged.
 */
export const readFolder = async (folder: string, { merge }: { merge: boolean }): Promise<FolderRequest> => {
  await assertComplete(folder);
  const request: Record<string, unknown> = { formatVersion: FORMAT_VERSION };
  for (const list of LISTS) {
    const entries = await readList(folder, list);
    if (entries !== undefined) request[list] = entries;
    else if (!merge)
      throw new CommandError(
        `${join(folder, list)}.json is missing; use --merge to leave alone what the folder does not have`,
      );
  }
  const templates = await readTemplates(folder);
  if (merge && templates.length === 0 && Object.keys(request).length === 1)
    throw new CommandError(`${folder} has no files of a catalog`);
  return { ...request, templates, ...(merge ? { merge: true } : {}) } as FolderRequest;
};

export interface Written {
  readonly written: number;
  readonly removed: number;
  readonly unchanged: number;
  /** Files among the templates that are none, and were left alone. */
  readonly foreign: readonly string[];
}

/** The files that are not as they should be. The case of a name counts, even where the file system ignores it. */
const changedFiles = async (
  folder: string,
  files: ReadonlyMap<string, string>,
  templates: readonly string[],
): Promise<Map<string, string>> => {
  const there = new Set([
    SCHEMA,
    ...LISTS.map((list) => `${list}.json`),
    ...templates.map((name) => `${TEMPLATES}/${name}`),
  ]);
  const changed = new Map<string, string>();
  for (const [path, text] of files) {
    const present = there.has(path) ? await ifThere(readText(join(folder, path), LIMITS.catalogFileBytes)) : undefined;
    if (present !== text) changed.set(path, text);
  }
  return changed;
};

/** Whether a file contains the template that it is named after, so that it may be removed. */
const isTemplateFile = async (folder: string, name: string): Promise<boolean> => {
  const id = idIn(await readJson(join(folder, TEMPLATES, name)).catch(() => undefined));
  return id !== undefined && isFileNameOf(stemOf(name), id);
};

/**
 * Makes a folder hold these files. They are all written before the first one replaces another, so that a full disk
 * changes nothing. What is interrupted after that leaves a mark.
 */
export const writeFolder = async (folder: string, files: ReadonlyMap<string, string>): Promise<Written> => {
  await mkdir(folder, { recursive: true });
  const templates = await templateFiles(folder);
  const changed = await changedFiles(folder, files, templates);
  const obsolete: string[] = [];
  const foreign: string[] = [];
  for (const name of templates)
    if (!files.has(`${TEMPLATES}/${name}`))
      ((await isTemplateFile(folder, name)) ? obsolete : foreign).push(`${TEMPLATES}/${name}`);
  if (changed.size + obsolete.length > 0) await replace(folder, changed, obsolete);
  // Also what an interrupted pull has left.
  for (const name of [STAGING, INCOMPLETE]) await rm(join(folder, name), { recursive: true, force: true });
  return { written: changed.size, removed: obsolete.length, unchanged: files.size - changed.size, foreign };
};

const replace = async (
  folder: string,
  changed: ReadonlyMap<string, string>,
  obsolete: readonly string[],
): Promise<void> => {
  const staging = join(folder, STAGING);
  await rm(staging, { recursive: true, force: true });
  try {
    await mkdir(join(staging, TEMPLATES), { recursive: true });
    for (const [path, text] of changed) await writeFile(join(staging, path), text);
    await writeFile(join(folder, INCOMPLETE), 'A pull has not finished: pull again.\n');
    // First, since a file may have been obsolete for the case of its name only.
    for (const path of obsolete) await unlink(join(folder, path));
    for (const path of changed.keys()) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await rename(join(staging, path), join(folder, path));
    }
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
};
