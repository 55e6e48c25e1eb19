import type { Kysely } from 'kysely';

/** Finds the items with an option or an attribute in item order, so that very many can be processed in parts. */
const ORDERED = [
  { table: 'item_classifiers', name: 'of_option', column: 'classifier_option_id' },
  { table: 'item_attributes', name: 'of_attribute', column: 'attribute_id' },
];

export const up = async (schema: Kysely<unknown>): Promise<void> => {
  for (const { table, name, column } of ORDERED) {
    await schema.schema.dropIndex(`${table}_${name}`).execute();
    await schema.schema.createIndex(`${table}_${name}`).on(table).columns(['team_id', column, 'item_id']).execute();
  }
};
