import { Type } from 'typebox';
import { LIMITS } from '../../shared/limits.ts';
import { type Item, LIST_OF } from '../catalog/api.ts';
import { CommandError } from '../shared.ts';
import { effectOf } from './effect.ts';
import { idOf, Kind } from './inputs.ts';
import { defineTool, firstPage, type Tool } from './tool.ts';

/** The first of a list, and how many there are. */
const listed = <T, U>(all: readonly T[], show: (one: T) => U) => ({
  count: all.length,
  listed: all.slice(0, LIMITS.toolRows).map(show),
});

const overview = defineTool({
  name: 'catalog_overview',
  title: 'Catalog overview',
  description:
    'The version of the catalog, its attributes, classifiers with their options, spaces and templates, and the number of its items. Start here.',
  input: {},
  run: async ({ catalog }) => {
    const { version, document } = await catalog();
    return {
      version,
      items: document.items.length,
      attributes: listed(document.attributes, (attribute) => attribute),
      classifiers: listed(document.classifiers, (classifier) => classifier),
      spaces: listed(document.spaces, (space) => space),
      templates: listed(document.templates, ({ id, name, type }) => ({ id, name, type })),
    };
  },
});

const findItems = defineTool({
  name: 'find_items',
  title: 'Find items',
  description: 'Items by a part of their id or name, or by a classifier option, in order of their ids.',
  input: {
    text: Type.Optional(Type.String({ description: 'Part of the id or the name; upper and lower case are the same.' })),
    classifierOptionId: Type.Optional(idOf('an option that the items must have, such as a rarity')),
    after: Type.Optional(idOf('the last item of the previous result, to continue there')),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: LIMITS.toolRows, description: `${LIMITS.toolRows} if left out.` }),
    ),
  },
  run: async ({ catalog }, { text = '', classifierOptionId, after = '', limit = LIMITS.toolRows }) => {
    const { version, document } = await catalog();
    const sought = text.toLowerCase();
    const isSought = ({ id, name, classifierOptionIds }: Item): boolean =>
      [id, name].some((one) => one.toLowerCase().includes(sought)) &&
      (classifierOptionId === undefined || classifierOptionIds.includes(classifierOptionId));
    const found = document.items.filter(isSought);
    const rest = found.filter(({ id }) => id > after);
    const items = rest.slice(0, limit).map(({ id, name, classifierOptionIds }) => ({ id, name, classifierOptionIds }));
    return { version, count: found.length, items, hasMore: rest.length > limit };
  },
});

const getEntities = defineTool({
  name: 'get_entities',
  title: 'Get entities',
  description: 'Entities of the catalog in full: what `after` of a change must look like.',
  input: { kind: Kind, ids: Type.Array(idOf('an entity'), { minItems: 1, maxItems: LIMITS.toolEntities }) },
  run: async ({ catalog }, { kind, ids }) => {
    const { version, document } = await catalog();
    const byId = new Map<string, unknown>(document[LIST_OF[kind]].map((entity) => [entity.id, entity]));
    const missing = ids.filter((id) => !byId.has(id));
    if (missing.length > 0) throw new CommandError(`the catalog has no ${kind} with the id ${missing.join(', ')}`);
    return { version, entities: ids.map((id) => byId.get(id)) };
  },
});

const listVersions = defineTool({
  name: 'list_versions',
  title: 'List versions',
  description: 'The newest versions of the catalog: when, by whom and why it was changed.',
  input: {
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: LIMITS.toolRows, description: `${LIMITS.printedVersions} if left out.` }),
    ),
  },
  run: async ({ client, signal }, { limit = LIMITS.printedVersions }) =>
    (await firstPage(client.catalog.versions({ limit }, { signal }))).rows,
});

const getVersion = defineTool({
  name: 'get_version',
  title: 'Get a version',
  description: 'What a version of the catalog changed, and its odds before and after.',
  input: { version: Type.Integer({ minimum: 1, description: 'The number of the version.' }) },
  run: async ({ client, signal }, { version }) =>
    effectOf(await client.catalog.version(version, undefined, { signal })),
});

export const CATALOG_TOOLS: readonly Tool[] = [overview, findItems, getEntities, listVersions, getVersion];
