import { deleteFrom, ensureIn, insertInto, updateIn, upsertInto } from '../../database/declarations.ts';

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
} as const;
const itemOption = { item_id: 'text', classifier_option_id: 'text' } as const;
const template = { ...named, config: 'text', bindings: 'text', verifiable: 'integer', disclosure: 'text' } as const;
const templateOption = { template_id: 'text', classifier_option_id: 'text' } as const;
const templateItem = { template_id: 'text', item_id: 'text' } as const;

/** Writes of whole catalogs, by name. Those of a table run after those of the tables it refers to. */
export const WRITES = {
  insertAttribute: insertInto('attributes', { ...attribute, ...created }),
  updateAttribute: updateIn('attributes', { ...attribute, ...updated }, byId),
  deleteAttribute: deleteFrom('attributes', { id: 'text' }, byId),
  insertClassifier: insertInto('classifiers', { ...named, ...created }),
  updateClassifier: updateIn('classifiers', { ...named, ...updated }, byId),
  deleteClassifier: deleteFrom('classifiers', { id: 'text' }, byId),
  saveOption: upsertInto(
    'classifier_options',
    { ...named, classifier_id: 'text', position: 'integer', drop_rate_multiplier: 'double precision' },
    byId,
  ),
  deleteOption: deleteFrom('classifier_options', { id: 'text' }, byId),
  insertSpace: insertInto('spaces', { ...space, ...created }),
  updateSpace: updateIn('spaces', { ...space, ...updated }, byId),
  deleteSpace: deleteFrom('spaces', { id: 'text' }, byId),
  insertItem: insertInto('items', { ...item, ...created }),
  updateItem: updateIn('items', { ...item, ...updated }, byId),
  deleteItem: deleteFrom('items', { id: 'text' }, byId),
  keepDeletedName: upsertInto('deleted_items', named, byId),
  saveItemOption: upsertInto(
    'item_classifiers',
    { id: 'text', ...itemOption, position: 'integer' },
    { key: ['item_id', 'classifier_option_id'] },
  ),
  deleteItemOption: deleteFrom('item_classifiers', itemOption, { key: ['item_id', 'classifier_option_id'] }),
  saveItemAttribute: upsertInto(
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
  deleteItemAttribute: deleteFrom('item_attributes', { id: 'text' }, byId),
  insertTemplate: insertInto('templates', { ...template, type: 'text', ...created }),
  updateTemplate: updateIn('templates', { ...template, ...updated }, byId),
  deleteTemplate: deleteFrom('templates', { id: 'text' }, byId),
  saveTemplateOption: ensureIn('template_options', templateOption, { key: ['template_id', 'classifier_option_id'] }),
  deleteTemplateOption: deleteFrom('template_options', templateOption, {
    key: ['template_id', 'classifier_option_id'],
  }),
  saveTemplateItem: ensureIn('template_items', templateItem, { key: ['template_id', 'item_id'] }),
  deleteTemplateItem: deleteFrom('template_items', templateItem, { key: ['template_id', 'item_id'] }),
};
