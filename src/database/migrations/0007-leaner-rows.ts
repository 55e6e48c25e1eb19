import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Engine } from '../work.ts';
import { spellingOf } from './spelling.ts';

type Table = CreateTableBuilder<string, string>;

/**
 * Merges a placement and its cells into one table with a row per cell: a placement of one cell, the most common case,
 * takes one row instead of two, and the key over the cells still makes overlap impossible.
 */
const placeByCell = async (schema: Kysely<unknown>, engine: Engine): Promise<void> => {
  const { id, byKey } = spellingOf(engine);
  await schema.schema.alterTable('item_instance_spaces').renameTo('old_placements').execute();
  const table = schema.schema
    .createTable('item_instance_spaces')
    .addColumn('team_id', id, (column) => column.notNull())
    .addColumn('user_space_id', id, (column) => column.notNull())
    .addColumn('y', 'integer', (column) => column.notNull())
    .addColumn('x', 'integer', (column) => column.notNull())
    .addColumn('item_instance_id', id, (column) => column.notNull())
    .addColumn('part', 'integer', (column) => column.notNull())
    .addColumn('id', id)
    .addColumn('rotated', 'integer')
    .addColumn('created_at', sql`bigint`)
    .addColumn('updated_at', sql`bigint`)
    .addPrimaryKeyConstraint('item_instance_spaces_by_cell', ['team_id', 'user_space_id', 'y', 'x'])
    .addForeignKeyConstraint(
      'item_instance_spaces_of_user_space',
      ['team_id', 'user_space_id'],
      'user_spaces',
      ['team_id', 'id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .addForeignKeyConstraint(
      'item_instance_spaces_of_instance',
      ['team_id', 'item_instance_id'],
      'item_instances',
      ['team_id', 'id'],
      (constraint) => constraint.onDelete('cascade'),
    );
  await byKey(table as unknown as Table).execute();
  await sql`insert into item_instance_spaces
    (team_id, user_space_id, y, x, item_instance_id, part, id, rotated, created_at, updated_at)
    select cell.team_id, cell.user_space_id, cell.y, cell.x, placement.item_instance_id,
      case when cell.x = placement.x and cell.y = placement.y then 0
        else (cell.y - placement.y) * 100 + (cell.x - placement.x) end,
      case when cell.x = placement.x and cell.y = placement.y then placement.id end,
      case when cell.x = placement.x and cell.y = placement.y then placement.rotated end,
      case when cell.x = placement.x and cell.y = placement.y then placement.created_at end,
      case when cell.x = placement.x and cell.y = placement.y then placement.updated_at end
    from occupied_cells as cell join old_placements as placement
      on placement.team_id = cell.team_id and placement.id = cell.item_instance_space_id`.execute(schema);
  await schema.schema.dropTable('occupied_cells').execute();
  await schema.schema.dropTable('old_placements').execute();
  await schema.schema
    .createIndex('item_instance_spaces_by_instance')
    .unique()
    .on('item_instance_spaces')
    .columns(['team_id', 'item_instance_id', 'part'])
    .execute();
  await schema.schema
    .createIndex('item_instance_spaces_in_order')
    .on('item_instance_spaces')
    .columns(['team_id', 'created_at', 'id'])
    .where(sql.ref('part'), '=', sql`0`)
    .execute();
};

/** How an instance was created is stored in the instance itself, for as long as it exists. */
const tellCreationByInstance = async (schema: Kysely<unknown>): Promise<void> => {
  await schema.schema.alterTable('item_instances').addColumn('cause', 'text').execute();
  await schema.schema.alterTable('item_instances').addColumn('request_id', 'text').execute();
  // An instance whose creation is not its first event keeps that event.
  const ofInstance = sql`history.team_id = item_instances.team_id and history.item_instance_id = item_instances.id
    and history.sequence = 1 and history.event = 'created' and not exists (select 1 from item_instance_history as earlier
      where earlier.team_id = history.team_id and earlier.item_instance_id = history.item_instance_id
        and earlier.event = 'deleted')`;
  await sql`update item_instances set
    cause = (select cause from item_instance_history as history where ${ofInstance}),
    request_id = (select request_id from item_instance_history as history where ${ofInstance})`.execute(schema);
  await sql`delete from item_instance_history where sequence = 1 and event = 'created' and exists
    (select 1 from item_instances as instance
      where instance.team_id = item_instance_history.team_id and instance.id = item_instance_history.item_instance_id
        and instance.cause is not null)`.execute(schema);
};

/**
 * Roll events refer to users by a separate id, which only the user's own row contains. Deleting that row makes the
 * events anonymous, without an index to find them.
 */
const nameRollersOtherwise = async (schema: Kysely<unknown>, engine: Engine): Promise<void> => {
  const { id } = spellingOf(engine);
  const random = engine === 'postgres' ? sql`gen_random_uuid()::text` : sql`lower(hex(randomblob(16)))`;
  await schema.schema
    .alterTable('users')
    .addColumn('roller_id', id, (column) => column.notNull().defaultTo(''))
    .execute();
  await sql`update users set roller_id = ${random}`.execute(schema);
  await schema.schema.dropIndex('roll_events_of_user').execute();
  await sql`update roll_events set user_id = (select roller_id from users
    where users.team_id = roll_events.team_id and users.id = roll_events.user_id) where user_id is not null`.execute(
    schema,
  );
  await schema.schema.alterTable('roll_events').renameColumn('user_id', 'roller_id').execute();
};

/** Tables with very many rows, and the names of their foreign keys to teams and items on PostgreSQL. */
const COSTLY_REFERENCES = {
  users: ['users_team_id_fkey'],
  item_instances: ['item_instances_team_id_fkey', 'item_id_reference'],
  item_instance_history: ['item_instance_history_team_id_fkey'],
  stored_answers: ['stored_answers_team_id_fkey'],
  roll_events: ['roll_events_team_id_fkey'],
  roll_counts: ['roll_counts_team_id_fkey'],
  roll_pending: ['roll_pending_team_id_fkey'],
};

/**
 * Each insert would share-lock the team and item that it refers to, and with concurrent inserts PostgreSQL has to write
 * those locks to disk. Teams are never deleted, and deleting an item already excludes commands that might create
 * instances of it.
 */
const dropCostlyReferences = async (schema: Kysely<unknown>): Promise<void> => {
  for (const [table, names] of Object.entries(COSTLY_REFERENCES))
    for (const name of names) await schema.schema.alterTable(table).dropConstraint(name).execute();
};

export const up = async (schema: Kysely<unknown>, engine: Engine): Promise<void> => {
  await placeByCell(schema, engine);
  await tellCreationByInstance(schema);
  await nameRollersOtherwise(schema, engine);
  if (engine === 'postgres') await dropCostlyReferences(schema);
};
