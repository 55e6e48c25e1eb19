import { sortedBy } from '../engine/byte-order.ts';
import { type Bindings, referencedIds } from '../engine/systems/binding.ts';
import type { TemplateConfig } from '../engine/systems/config.ts';
import type { EntityKind } from '../shared/context.ts';
import { newId } from '../shared/ids.ts';
import {
  type ClassifierEntity,
  type Entities,
  type ItemEntity,
  LISTS,
  spendingOf,
  type TemplateEntity,
} from './entities.ts';
import { type CatalogState, entitiesOf } from './state.ts';

/** What happens to one entity. */
export interface EntityChange {
  readonly kind: EntityKind;
  readonly id: string;
  readonly before: object | null;
  readonly after: object | null;
}

export const actionOf = ({ before, after }: EntityChange): 'create' | 'update' | 'delete' => {
  if (before === null) return 'create';
  return after === null ? 'delete' : 'update';
};

const isSameJson = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The members that differ. */
export const fieldsOf = ({ before, after }: EntityChange): string[] => {
  if (before === null || after === null) return [];
  const [old, next] = [before as Record<string, unknown>, after as Record<string, unknown>];
  return Object.keys({ ...old, ...next }).filter((member) => !isSameJson(old[member], next[member]));
};

/** Every entity that differs, in the order of a document. */
export const changesBetween = (base: CatalogState, target: CatalogState): EntityChange[] =>
  LISTS.flatMap(([, kind]) => {
    const [old, next] = [entitiesOf(base, kind), entitiesOf(target, kind)];
    const changes: EntityChange[] = [];
    for (const [id, before] of old) {
      const after = next.get(id) ?? null;
      // What no request touched is the very same object.
      if (after === before || (after !== null && isSameJson(after, before))) continue;
      changes.push({ kind, id, before, after });
    }
    for (const [id, after] of next) if (!old.has(id)) changes.push({ kind, id, before: null, after });
    return sortedBy(changes, (change) => change.id);
  });

/** The writes that changes of entities lead to. Each has rows of one table. */
export type WriteName =
  | `${'insert' | 'update' | 'delete'} ${EntityKind}`
  | 'date item'
  | 'keep deleted name'
  | `${'save' | 'delete'} ${'option' | 'item option' | 'item attribute' | 'template option' | 'template item'}`;

type Add = (write: WriteName, row: object) => void;

/** When an entity was created and changed; an imported one says so itself. */
export interface Times {
  readonly createdAt?: number;
  readonly updatedAt: number;
}

const ROW: { readonly [K in EntityKind]: (entity: Entities[K]) => object } = {
  attribute: (attribute) => attribute,
  classifier: ({ id, name }) => ({ id, name }),
  space: (space) => space,
  item: ({ id, name, thumbnail, rollNumerator, width, height, description = null, data, currency, spend }) => ({
    ...{ id, name, thumbnail, roll_numerator: rollNumerator, width, height, description },
    data: data ? JSON.stringify(data) : null,
    currency: spendingOf({ currency, spend }),
  }),
  template: ({ id, name, type, config, bindings, verifiable, disclosure }) => ({
    ...{ id, name, type, config: JSON.stringify(config), bindings: JSON.stringify(bindings) },
    verifiable: verifiable ? 1 : 0,
    disclosure: disclosure ?? 'private',
  }),
};

/** What is in one list but not in the other, by key. */
const missingFrom = <T>(list: readonly T[], other: readonly T[], keyOf: (element: T) => string): T[] => {
  const keys = new Set(other.map(keyOf));
  return list.filter((element) => !keys.has(keyOf(element)));
};

const optionRows = (before: ClassifierEntity | null, { id, classifierOptions }: ClassifierEntity, add: Add): void => {
  const old = before?.classifierOptions ?? [];
  for (const option of missingFrom(old, classifierOptions, (one) => one.id)) add('delete option', { id: option.id });
  for (const [position, option] of classifierOptions.entries())
    if (!isSameJson(old[position], option)) {
      const { id: optionId, name, dropRateMultiplier, color = null } = option;
      add('save option', {
        ...{ id: optionId, classifier_id: id, position, name, color },
        drop_rate_multiplier: dropRateMultiplier,
      });
    }
};

const self = (id: string): string => id;

const itemPartRows = (before: ItemEntity | null, after: ItemEntity, add: Add): void => {
  const { id, classifierOptionIds, itemAttributes } = after;
  const { classifierOptionIds: oldOptions, itemAttributes: oldAttributes } = before ?? {
    ...{ classifierOptionIds: [], itemAttributes: [] },
  };
  for (const optionId of missingFrom(oldOptions, classifierOptionIds, self))
    add('delete item option', { item_id: id, classifier_option_id: optionId });
  for (const [position, optionId] of classifierOptionIds.entries())
    if (oldOptions[position] !== optionId)
      add('save item option', { id: newId(), item_id: id, classifier_option_id: optionId, position });
  for (const gone of missingFrom(oldAttributes, itemAttributes, (one) => one.id))
    add('delete item attribute', { id: gone.id });
  for (const [position, attribute] of itemAttributes.entries())
    if (!isSameJson(oldAttributes[position], attribute)) {
      const { id: ownId, attributeId, min, max } = attribute;
      add('save item attribute', { id: ownId, item_id: id, attribute_id: attributeId, position, min, max });
    }
};

const referencesOf = (template: TemplateEntity | null) =>
  template === null
    ? { optionIds: [], itemIds: [] }
    : referencedIds(template.config as TemplateConfig, template.bindings as Bindings);

/** What a template refers to is stored as well, so that foreign keys keep it from being deleted. */
const referenceRows = (before: TemplateEntity | null, after: TemplateEntity, add: Add): void => {
  const [old, next] = [referencesOf(before), referencesOf(after)];
  const { id: template_id } = after;
  for (const id of missingFrom(old.optionIds, next.optionIds, self))
    add('delete template option', { template_id, classifier_option_id: id });
  for (const id of missingFrom(next.optionIds, old.optionIds, self))
    add('save template option', { template_id, classifier_option_id: id });
  for (const id of missingFrom(old.itemIds, next.itemIds, self))
    add('delete template item', { template_id, item_id: id });
  for (const id of missingFrom(next.itemIds, old.itemIds, self))
    add('save template item', { template_id, item_id: id });
};

const PARTS: { readonly [K in EntityKind]?: (before: Entities[K] | null, after: Entities[K], add: Add) => void } = {
  classifier: optionRows,
  item: itemPartRows,
  template: referenceRows,
};

/** The rows that a change leads to. Parts of what is deleted are deleted with it. */
const addRows = (
  kind: EntityKind,
  before: { readonly id: string; readonly name: string } | null,
  after: object | null,
  { createdAt, updatedAt }: Times,
  isMeant: boolean,
  add: Add,
): void => {
  if (after === null) {
    add(`delete ${kind}`, { id: before?.id });
    if (kind === 'item') add('keep deleted name', { id: before?.id, name: before?.name });
    return;
  }
  const row = { ...ROW[kind](after as never), updated_at: updatedAt };
  // A template of another game system is another template: what it remembers about users goes.
  const isAnother =
    kind === 'template' && before !== null && fieldsOf({ kind, id: '', before, after }).includes('type');
  if (isAnother) add('delete template', { id: before.id });
  const old = isAnother ? null : before;
  if (old === null) add(`insert ${kind}`, { ...row, created_at: createdAt ?? updatedAt });
  else if (isMeant) {
    add(`update ${kind}`, row);
    if (kind === 'item' && createdAt !== undefined) add('date item', { id: old.id, created_at: createdAt });
  }
  PARTS[kind]?.(old as never, after as never, add);
};

/** A change as a version records it. */
export interface ChangeRecord {
  readonly kind: EntityKind;
  readonly id: string;
  readonly before: string | null;
  readonly after: string | null;
}

export interface ChangeRows {
  readonly writes: ReadonlyMap<WriteName, readonly object[]>;
  readonly records: readonly ChangeRecord[];
}

/**
 * The rows that changes lead to, by write, and those that record them. What happens to an entity that was not meant, such
 * as an item whose option was deleted, does not count as its last change.
 */
export const rowsOfChanges = (
  changes: readonly EntityChange[],
  times: Times,
  isMeant: (change: EntityChange) => boolean,
): ChangeRows => {
  const writes = new Map<WriteName, object[]>();
  const add: Add = (write, row) => {
    const rows = writes.get(write);
    if (rows === undefined) writes.set(write, [row]);
    else rows.push(row);
  };
  const text = (entity: object | null): string | null => entity && JSON.stringify(entity);
  const records = changes.map((change) => {
    const { kind, id, before, after } = change;
    addRows(kind, before as never, after, times, isMeant(change), add);
    return { kind, id, before: text(before), after: text(after) };
  });
  return { writes, records };
};
