import type { WriteName } from '../../catalog/change.ts';
import { deleteFrom, ensureIn, insertInto, updateIn, upsertInto, type Write } from '../../database/declarations.ts';

const named = { id: 'text', name: 'text' } as const;
const created = { created_at: 'bigint', updated_at: 'bigint' } as const;
const updated = { updated_at: 'bigint' } as const;
const byId = { key: ['id'] } as const;

const attribute = { ...named, min: 'double precision', max: 'double precision', step: 'double precision' } as const;
const space = { ...named, cols: 'integer', rows: 'integer' } as const;
const item = {
  ...named,
  thumbnail: 'text',
  roll_numerator: 'double precision',
  width: 'integer',
  height: 'integer',
  description: 'text',
  data: 'text',
  currency: 'text',
} as const;
const itemOption = { item_id: 'text', classifier_option_id: 'text' } as const;
const template = {
  ...named,
  type: 'text',
  config: 'text',
  bindings: 'text',
  verifiable: 'integer',
  disclosure: 'text',
} as const;
const templateOption = { template_id: 'text', classifier_option_id: 'text' } as const;
const templateItem = { template_id: 'text', item_id: 'text' } as const;

/** Writes of whole catalogs, by name. Those of a table run after those of the tables it refers to. */
export const WRITES: Readonly<Record<WriteName, Write<never>>> = {
  'insert attribute': insertInto('attributes', { ...attribute, ...created }),
  'update attribute': updateIn('attributes', { ...attribute, ...updated }, byId),
  'delete attribute': deleteFrom('attributes', { id: 'text' }, byId),
  'insert classifier': insertInto('classifiers', { ...named, ...created }),
  'update classifier': updateIn('classifiers', { ...named, ...updated }, byId),
  'delete classifier': deleteFrom('classifiers', { id: 'text' }, byId),
  'save option': upsertInto(
    'classifier_options',
    {
      ...named,
      classifier_id: 'text',
      position: 'integer',
      drop_rate_multiplier: 'double precision',
      color: 'text',
    },
    byId,
  ),
  'delete option': deleteFrom('classifier_options', { id: 'text' }, byId),
  'insert space': insertInto('spaces', { ...space, ...created }),
  'update space': updateIn('spaces', { ...space, ...updated }, byId),
  'delete space': deleteFrom('spaces', { id: 'text' }, byId),
  'insert item': insertInto('items', { ...item, ...created }),
  'update item': updateIn('items', { ...item, ...updated }, byId),
  'date item': updateIn('items', { id: 'text', created_at: 'bigint' }, byId),
  'delete item': deleteFrom('items', { id: 'text' }, byId),
  'keep deleted name': upsertInto('deleted_items', named, byId),
  'save item option': upsertInto(
    'item_classifiers',
    { id: 'text', ...itemOption, position: 'integer' },
    { key: ['item_id', 'classifier_option_id'] },
  ),
  'delete item option': deleteFrom('item_classifiers', itemOption, { key: ['item_id', 'classifier_option_id'] }),
  'save item attribute': upsertInto(
    'item_attributes',
    {
      id: 'text',
      item_id: 'text',
      attribute_id: 'text',
      position: 'integer',
      min: 'double precision',
      max: 'double precision',
    },
    byId,
  ),
  'delete item attribute': deleteFrom('item_attributes', { id: 'text' }, byId),
  'insert template': insertInto('templates', { ...template, ...created }),
  'update template': updateIn('templates', { ...template, ...updated }, byId),
  'delete template': deleteFrom('templates', { id: 'text' }, byId),
  'save template option': ensureIn('template_options', templateOption, {
    key: ['template_id', 'classifier_option_id'],
  }),
  'delete template option': deleteFrom('template_options', templateOption, {
    key: ['template_id', 'classifier_option_id'],
  }),
  'save template item': ensureIn('template_items', templateItem, { key: ['template_id', 'item_id'] }),
  'delete template item': deleteFrom('template_items', templateItem, { key: ['template_id', 'item_id'] }),
};
