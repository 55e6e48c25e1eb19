import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Engine } from '../work.ts';
import { spellingOf } from './spelling.ts';

/** Teams, catalog, templates, users, inventories and roll statistics. */
export const up = async (schema: Kysely<unknown>, engine: Engine): Promise<void> => {
  const { id, double, byKey } = spellingOf(engine);
  const time = sql`bigint`;

  type Table = CreateTableBuilder<string, string>;

  /** A table with the key (team, id), whose rows are deleted with their team. */
  const teamTable = (name: string): Table =>
    byKey(
      schema.schema
        .createTable(name)
        .addColumn('team_id', id, (column) => column.notNull().references('teams.id').onDelete('cascade'))
        .addColumn('id', id, (column) => column.notNull())
        .addPrimaryKeyConstraint(`${name}_key`, ['team_id', 'id'] as never) as Table,
    );

  const dated = (table: Table): Table =>
    table
      .addColumn('created_at', time, (column) => column.notNull())
      .addColumn('updated_at', time, (column) => column.notNull());

  /** A reference within a team: the foreign key includes the team, so it cannot cross teams. */
  const reference = (table: Table, column: string, target: string, onDelete: 'cascade' | 'restrict'): Table =>
    table
      .addColumn(column, id, (definition) => definition.notNull())
      .addForeignKeyConstraint(
        `${column}_reference`,
        ['team_id', column] as never,
        target,
        ['team_id', 'id'],
        (constraint) => constraint.onDelete(onDelete),
      );

  const index = (table: string, name: string, columns: string[]) =>
    schema.schema.createIndex(`${table}_${name}`).on(table).columns(columns);

  /** The order of every list: by creation time, oldest first, then by id. */
  const listed = (table: string) => index(table, 'listed', ['team_id', 'created_at', 'id']).execute();

  await schema.schema
    .createTable('milestones')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('reached_at', time, (column) => column.notNull())
    .execute();

  await dated(
    schema.schema
      .createTable('teams')
      .addColumn('id', id, (column) => column.notNull().primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('catalog_version', 'text', (column) => column.notNull())
      .addColumn('templates_version', 'text', (column) => column.notNull())
      .addColumn('item_count', 'integer', (column) => column.notNull()) as Table,
  ).execute();

  await teamTable('secrets')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('created_at', time, (column) => column.notNull())
    .execute();

  await dated(teamTable('attributes'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('min', double, (column) => column.notNull())
    .addColumn('max', double, (column) => column.notNull())
    .addColumn('step', double)
    .execute();
  await listed('attributes');

  await dated(teamTable('classifiers'))
    .addColumn('name', 'text', (column) => column.notNull())
    .execute();
  await listed('classifiers');

  await reference(teamTable('classifier_options'), 'classifier_id', 'classifiers', 'cascade')
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('drop_rate_multiplier', double)
    .execute();
  await index('classifier_options', 'of_classifier', ['team_id', 'classifier_id', 'position']).execute();

  await dated(teamTable('items'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('thumbnail', 'text')
    .addColumn('roll_numerator', double, (column) => column.notNull())
    .addColumn('width', 'integer', (column) => column.notNull())
    .addColumn('height', 'integer', (column) => column.notNull())
    .execute();
  await listed('items');

  await reference(
    reference(teamTable('item_classifiers'), 'item_id', 'items', 'cascade'),
    'classifier_option_id',
    'classifier_options',
    'cascade',
  )
    .addColumn('position', 'integer', (column) => column.notNull())
    .addUniqueConstraint('item_classifiers_once', ['team_id', 'item_id', 'classifier_option_id'] as never)
    .execute();
  await index('item_classifiers', 'of_option', ['team_id', 'classifier_option_id']).execute();

  await reference(
    reference(teamTable('item_attributes'), 'item_id', 'items', 'cascade'),
    'attribute_id',
    'attributes',
    'restrict',
  )
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('min', double, (column) => column.notNull())
    .addColumn('max', double, (column) => column.notNull())
    .addUniqueConstraint('item_attributes_once', ['team_id', 'item_id', 'attribute_id'] as never)
    .execute();
  await index('item_attributes', 'of_attribute', ['team_id', 'attribute_id']).execute();

  await teamTable('deleted_items')
    .addColumn('name', 'text', (column) => column.notNull())
    .execute();

  await dated(teamTable('templates'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('config', 'text', (column) => column.notNull())
    .addColumn('bindings', 'text', (column) => column.notNull())
    .execute();
  await listed('templates');

  const link = (name: string): Table =>
    byKey(schema.schema.createTable(name).addColumn('team_id', id, (column) => column.notNull()) as Table);

  await reference(
    reference(link('template_options'), 'template_id', 'templates', 'cascade'),
    'classifier_option_id',
    'classifier_options',
    'restrict',
  )
    .addPrimaryKeyConstraint('template_options_key', ['team_id', 'template_id', 'classifier_option_id'] as never)
    .execute();
  await index('template_options', 'of_option', ['team_id', 'classifier_option_id']).execute();

  await reference(
    reference(link('template_items'), 'template_id', 'templates', 'cascade'),
    'item_id',
    'items',
    'restrict',
  )
    .addPrimaryKeyConstraint('template_items_key', ['team_id', 'template_id', 'item_id'] as never)
    .execute();
  await index('template_items', 'of_item', ['team_id', 'item_id']).execute();

  await dated(teamTable('users'))
    .addColumn('external_id', 'text')
    .addUniqueConstraint('users_external_id', ['team_id', 'external_id'] as never)
    .execute();
  await listed('users');

  await dated(teamTable('spaces'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('cols', 'integer', (column) => column.notNull())
    .addColumn('rows', 'integer', (column) => column.notNull())
    .execute();
  await listed('spaces');

  await reference(
    reference(dated(teamTable('user_spaces')), 'user_id', 'users', 'cascade'),
    'space_id',
    'spaces',
    'restrict',
  )
    .addColumn('external_id', 'text')
    .execute();
  await index('user_spaces', 'of_user', ['team_id', 'user_id', 'created_at', 'id']).execute();
  await index('user_spaces', 'of_space', ['team_id', 'space_id', 'created_at', 'id']).execute();

  await reference(
    reference(dated(teamTable('item_instances')), 'item_id', 'items', 'restrict'),
    'user_id',
    'users',
    'cascade',
  )
    .addColumn('attribute_values', 'text', (column) => column.notNull())
    .execute();
  await listed('item_instances');
  await index('item_instances', 'of_user', ['team_id', 'user_id', 'created_at', 'id']).execute();
  await index('item_instances', 'of_item', ['team_id', 'item_id', 'created_at', 'id']).execute();

  await reference(
    reference(dated(teamTable('item_instance_spaces')), 'item_instance_id', 'item_instances', 'cascade'),
    'user_space_id',
    'user_spaces',
    'cascade',
  )
    .addColumn('x', 'integer', (column) => column.notNull())
    .addColumn('y', 'integer', (column) => column.notNull())
    .addColumn('rotated', 'integer', (column) => column.notNull())
    .addUniqueConstraint('item_instance_spaces_once', ['team_id', 'item_instance_id'] as never)
    .execute();
  await listed('item_instance_spaces');
  await index('item_instance_spaces', 'of_user_space', ['team_id', 'user_space_id', 'created_at', 'id']).execute();

  await reference(
    reference(link('occupied_cells'), 'user_space_id', 'user_spaces', 'cascade'),
    'item_instance_space_id',
    'item_instance_spaces',
    'cascade',
  )
    .addColumn('x', 'integer', (column) => column.notNull())
    .addColumn('y', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('occupied_cells_key', ['team_id', 'user_space_id', 'y', 'x'] as never)
    .execute();
  await index('occupied_cells', 'of_placement', ['team_id', 'item_instance_space_id']).execute();

  await reference(link('user_space_rows'), 'user_space_id', 'user_spaces', 'cascade')
    .addColumn('y', 'integer', (column) => column.notNull())
    .addColumn('taken', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('user_space_rows_key', ['team_id', 'user_space_id', 'y'] as never)
    .execute();

  await teamTable('roll_events')
    .addColumn('template_id', id)
    .addColumn('user_id', id)
    .addColumn('rolled_at', time, (column) => column.notNull())
    .addColumn('results', 'text', (column) => column.notNull())
    .execute();
  // Only the rolls of users are looked up, when the user is deleted; others need no index entry.
  await index('roll_events', 'of_user', ['team_id', 'user_id']).where(sql.ref('user_id'), 'is not', null).execute();

  const counter = (name: string, keys: string[]) => {
    let table = schema.schema
      .createTable(name)
      .addColumn('team_id', id, (column) => column.notNull().references('teams.id').onDelete('cascade')) as Table;
    for (const key of keys) table = table.addColumn(key, id, (column) => column.notNull());
    return byKey(table)
      .addColumn('shard', 'integer', (column) => column.notNull())
      .addColumn('count', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint(`${name}_key`, ['team_id', ...keys, 'shard'] as never)
      .execute();
  };
  await counter('roll_item_totals', ['template_id', 'item_id']);
  await counter('roll_item_days', ['day', 'template_id', 'item_id']);
  await counter('roll_days', ['day', 'template_id']);

  if (engine === 'postgres') {
    await sql`create function itemwright_shard() returns integer language sql stable as
      $$ select coalesce(nullif(current_setting('itemwright.shard', true), ''), '0')::integer $$`.execute(schema);
  }
};
