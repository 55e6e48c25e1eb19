import type { EntityKind } from '../../context.ts';
import type { Reader } from '../../database/work.ts';
import { sortedBy } from '../../engine/byte-order.ts';
import { notFound, ServiceError } from '../../errors.ts';
import { LIMITS } from '../../limits.ts';
import { takeTurns } from '../../turns.ts';
import * as store from './catalog.store.ts';
import { byPosition, readItems } from './catalog-loader.service.ts';
import { attributeEntity, classifierEntity, spaceEntity, templateEntity } from './entities.service.ts';
import { itemEntityOf } from './item-entities.service.ts';
import * as versions from './versions.store.ts';

/** The lists of a document, in order. */
const LISTS: readonly (readonly [member: string, kind: EntityKind])[] = [
  ['attributes', 'attribute'],
  ['classifiers', 'classifier'],
  ['spaces', 'space'],
  ['items', 'item'],
  ['templates', 'template'],
];

const FORMAT_VERSION = 1;

/** An entity as JSON. */
interface EntityText {
  readonly kind: EntityKind;
  readonly id: string;
  readonly text: string;
}

/** All entities of a catalog as they are now, in the order of a document. */
async function* presentEntities(reader: Reader): AsyncGenerator<EntityText> {
  const { teamId } = reader;
  const entity = (kind: EntityKind, members: { readonly id: string }): EntityText => ({
    kind,
    id: members.id,
    text: JSON.stringify(members),
  });
  const inOrder = <T extends { readonly id: string }>(rows: readonly T[]): T[] => sortedBy(rows, ({ id }) => id);
  for (const row of inOrder(await store.selectAttributes(reader, teamId)))
    yield entity('attribute', attributeEntity(row));
  const options = Map.groupBy(await store.selectOptions(reader, teamId), ({ classifierId }) => classifierId);
  for (const { id, name } of inOrder(await store.selectClassifiers(reader, teamId)))
    yield entity('classifier', classifierEntity({ id, name, classifierOptions: byPosition(options.get(id)) }));
  for (const row of inOrder(await store.selectSpaces(reader, teamId))) yield entity('space', spaceEntity(row));
  for await (const { items, optionsOf, attributesOf } of readItems(reader, teamId))
    for (const item of items)
      yield entity('item', itemEntityOf(item, optionsOf.get(item.id), attributesOf.get(item.id)));
  for (let lastId = ''; ; ) {
    const rows = await store.selectTemplatesAfter(reader, teamId, lastId, LIMITS.templatesPerRead);
    for (const row of rows) yield entity('template', templateEntity(row));
    const last = rows.at(-1);
    if (last === undefined || rows.length < LIMITS.templatesPerRead) return;
    lastId = last.id;
  }
}

const keyOf = (kind: string, id: string): string => `${kind} ${id}`;

/**
 * The entities of an earlier version: those of now, with all later changes undone, newest first. What a change left must
 * be what is there when it is undone, so damage to the history or to the catalog is noticed.
 */
const earlierEntities = async (reader: Reader, version: number): Promise<EntityText[]> => {
  const known = new Map<string, EntityText>();
  for await (const entity of presentEntities(reader)) {
    known.set(keyOf(entity.kind, entity.id), entity);
    await takeTurns();
  }
  for await (const { kind, id, before, after, version: changed } of versions.changesSince(reader, version)) {
    const key = keyOf(kind, id);
    if ((known.get(key)?.text ?? null) !== after)
      throw new Error(`version ${changed} of team ${reader.teamId} cannot be undone: ${key} is not as it was left`);
    if (before === null) known.delete(key);
    else known.set(key, { kind, id, text: before });
    await takeTurns();
  }
  return sortedBy(known.values(), ({ id }) => id);
};

/** Indents an entity as a part of a document. Line breaks within texts are escaped, so every one is between members. */
const indented = (text: string): string =>
  JSON.stringify(JSON.parse(text), null, 2)
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');

/** A catalog at one version: its entities by kind, as they stand in a document. */
export interface CatalogDocument {
  readonly version: number;
  readonly entities: ReadonlyMap<EntityKind, readonly string[]>;
}

/** Reads the whole catalog, now or at an earlier version. */
export const readDocument = async (reader: Reader, wanted: number | undefined): Promise<CatalogDocument> => {
  const [current] = await reader.find(store.currentVersion, {});
  if (current === undefined) throw new ServiceError('UNAUTHORIZED');
  const version = wanted ?? current.version;
  if (version > current.version) throw notFound();
  const entities = new Map<EntityKind, string[]>(LISTS.map(([, kind]) => [kind, []]));
  const found = version === current.version ? presentEntities(reader) : await earlierEntities(reader, version);
  for await (const { kind, text } of found) {
    entities.get(kind)?.push(indented(text));
    await takeTurns();
  }
  return { version, entities };
};

/**
 * The text of a document, in parts. The same catalog always gives the same text: two spaces of indentation, members in
 * the order of the API, lists in order of their ids.
 */
export async function* documentParts({ entities }: CatalogDocument): AsyncGenerator<string> {
  yield `{\n  "formatVersion": ${FORMAT_VERSION}`;
  for (const [member, kind] of LISTS) {
    const texts = entities.get(kind) ?? [];
    yield `,\n  "${member}": [`;
    for (let start = 0; start < texts.length; start += LIMITS.changesPerRead) {
      await takeTurns();
      yield `${start === 0 ? '' : ','}\n${texts.slice(start, start + LIMITS.changesPerRead).join(',\n')}`;
    }
    yield texts.length === 0 ? ']' : '\n  ]';
  }
  yield '\n}\n';
}
