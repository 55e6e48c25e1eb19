import { type Bindings, referencedIds } from '../engine/systems/binding.ts';
import type { TemplateConfig } from '../engine/systems/config.ts';
import type { EntityKind } from '../shared/context.ts';
import { newId } from '../shared/ids.ts';
import { LIMITS } from '../shared/limits.ts';
import { type SharedText, shareText } from '../shared/shared-text.ts';
import type { EntityChange } from './diff.ts';
import type { AttributeEntity, ClassifierEntity, ItemEntity, SpaceEntity, TemplateEntity } from './entities.ts';

/** The writes that changes of entities lead to. Each has rows of one table. */
export type WriteName =
  | 'insertAttribute'
  | 'updateAttribute'
  | 'deleteAttribute'
  | 'insertClassifier'
  | 'updateClassifier'
  | 'deleteClassifier'
  | 'saveOption'
  | 'deleteOption'
  | 'insertSpace'
  | 'updateSpace'
  | 'deleteSpace'
  | 'insertItem'
  | 'updateItem'
  | 'deleteItem'
  | 'keepDeletedName'
  | 'saveItemOption'
  | 'deleteItemOption'
  | 'saveItemAttribute'
  | 'deleteItemAttribute'
  | 'insertTemplate'
  | 'updateTemplate'
  | 'deleteTemplate'
  | 'saveTemplateOption'
  | 'deleteTemplateOption'
  | 'saveTemplateItem'
  | 'deleteTemplateItem';

/** Some rows of one write, as a JSON array: sent from a worker as text, they cost the event loop little. */
export interface RowChunk {
  readonly write: WriteName;
  readonly text: SharedText;
}

type Add = (write: WriteName, row: object) => void;

/** What is in one list but not in the other, by key. */
const missingFrom = <T>(list: readonly T[], other: readonly T[], keyOf: (element: T) => string): T[] => {
  const keys = new Set(other.map(keyOf));
  return list.filter((element) => !keys.has(keyOf(element)));
};

const attributeRows = (
  before: AttributeEntity | null,
  after: AttributeEntity | null,
  nowMs: number,
  add: Add,
): void => {
  if (after === null) add('deleteAttribute', { id: before?.id });
  else if (before === null) add('insertAttribute', { ...after, created_at: nowMs, updated_at: nowMs });
  else add('updateAttribute', { ...after, updated_at: nowMs });
};

const spaceRows = (before: SpaceEntity | null, after: SpaceEntity | null, nowMs: number, add: Add): void => {
  if (after === null) add('deleteSpace', { id: before?.id });
  else if (before === null) add('insertSpace', { ...after, created_at: nowMs, updated_at: nowMs });
  else add('updateSpace', { ...after, updated_at: nowMs });
};

const classifierRows = (
  before: ClassifierEntity | null,
  after: ClassifierEntity | null,
  nowMs: number,
  add: Add,
): void => {
  // Its options are deleted with it.
  if (after === null) {
    add('deleteClassifier', { id: before?.id });
    return;
  }
  const { id, name, classifierOptions } = after;
  if (before === null) add('insertClassifier', { id, name, created_at: nowMs, updated_at: nowMs });
  else add('updateClassifier', { id, name, updated_at: nowMs });
  const old = before?.classifierOptions ?? [];
  for (const option of missingFrom(old, classifierOptions, (one) => one.id)) add('deleteOption', { id: option.id });
  for (const [position, option] of classifierOptions.entries())
    add('saveOption', {
      id: option.id,
      classifier_id: id,
      position,
      name: option.name,
      drop_rate_multiplier: option.dropRateMultiplier,
    });
};

const sameJson = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

const itemRows = (before: ItemEntity | null, after: ItemEntity | null, nowMs: number, add: Add): void => {
  if (after === null) {
    add('deleteItem', { id: before?.id });
    add('keepDeletedName', { id: before?.id, name: before?.name });
    return;
  }
  const { id, name, thumbnail, rollNumerator, width, height, classifierOptionIds, itemAttributes } = after;
  const row = { id, name, thumbnail, roll_numerator: rollNumerator, width, height, updated_at: nowMs };
  if (before === null) add('insertItem', { ...row, created_at: nowMs });
  else add('updateItem', row);
  if (!sameJson(before?.classifierOptionIds ?? [], classifierOptionIds)) {
    const gone = missingFrom(before?.classifierOptionIds ?? [], classifierOptionIds, (one) => one);
    for (const optionId of gone) add('deleteItemOption', { item_id: id, classifier_option_id: optionId });
    for (const [position, optionId] of classifierOptionIds.entries())
      if (before?.classifierOptionIds[position] !== optionId)
        add('saveItemOption', { id: newId(), item_id: id, classifier_option_id: optionId, position });
  }
  if (!sameJson(before?.itemAttributes ?? [], itemAttributes)) {
    for (const gone of missingFrom(before?.itemAttributes ?? [], itemAttributes, (one) => one.id))
      add('deleteItemAttribute', { id: gone.id });
    for (const [position, attribute] of itemAttributes.entries())
      if (!sameJson(before?.itemAttributes[position], attribute))
        add('saveItemAttribute', {
          id: attribute.id,
          item_id: id,
          attribute_id: attribute.attributeId,
          position,
          min: attribute.min,
          max: attribute.max,
        });
  }
};

const referencesOf = (template: TemplateEntity | null) =>
  template === null
    ? { optionIds: [], itemIds: [] }
    : referencedIds(template.config as TemplateConfig, template.bindings as Bindings);

const templateRows = (before: TemplateEntity | null, after: TemplateEntity | null, nowMs: number, add: Add): void => {
  // What it refers to, and what it remembers about users, is deleted with it.
  if (after === null) {
    add('deleteTemplate', { id: before?.id });
    return;
  }
  const { id, name, type } = after;
  const row = {
    id,
    name,
    config: JSON.stringify(after.config),
    bindings: JSON.stringify(after.bindings),
    verifiable: after.verifiable ? 1 : 0,
    disclosure: after.disclosure ?? 'private',
    updated_at: nowMs,
  };
  const isAnother = before !== null && before.type !== type;
  if (isAnother) add('deleteTemplate', { id });
  if (before === null || isAnother) add('insertTemplate', { ...row, type, created_at: nowMs });
  else add('updateTemplate', row);
  const [old, next] = [referencesOf(isAnother ? null : before), referencesOf(after)];
  const self = (one: string): string => one;
  for (const optionId of missingFrom(old.optionIds, next.optionIds, self))
    add('deleteTemplateOption', { template_id: id, classifier_option_id: optionId });
  for (const optionId of missingFrom(next.optionIds, old.optionIds, self))
    add('saveTemplateOption', { template_id: id, classifier_option_id: optionId });
  for (const itemId of missingFrom(old.itemIds, next.itemIds, self))
    add('deleteTemplateItem', { template_id: id, item_id: itemId });
  for (const itemId of missingFrom(next.itemIds, old.itemIds, self))
    add('saveTemplateItem', { template_id: id, item_id: itemId });
};

const ROWS: { readonly [K in EntityKind]: (before: never, after: never, nowMs: number, add: Add) => void } = {
  attribute: attributeRows,
  classifier: classifierRows,
  space: spaceRows,
  item: itemRows,
  template: templateRows,
};

/** The rows that changes lead to, by write, and the rows that record them. */
export const rowsOfChanges = (
  changes: readonly EntityChange[],
  nowMs: number,
): { readonly writes: RowChunk[]; readonly records: SharedText[] } => {
  const byWrite = new Map<WriteName, object[]>();
  const add: Add = (write, row) => {
    const rows = byWrite.get(write);
    if (rows === undefined) byWrite.set(write, [row]);
    else rows.push(row);
  };
  const written: object[] = [];
  const text = (entity: object | null): string | null => entity && JSON.stringify(entity);
  for (const { kind, id, before, after } of changes) {
    ROWS[kind](before as never, after as never, nowMs, add);
    written.push({ kind, id, before: text(before), after: text(after) });
  }
  return {
    writes: [...byWrite].flatMap(([write, rows]) => inChunks(rows).map((chunk) => ({ write, text: chunk }))),
    records: inChunks(written),
  };
};

const inChunks = (rows: readonly object[]): SharedText[] => {
  const chunks: SharedText[] = [];
  for (let start = 0; start < rows.length; start += LIMITS.changesPerWrite)
    chunks.push(shareText(JSON.stringify(rows.slice(start, start + LIMITS.changesPerWrite))));
  return chunks;
};
