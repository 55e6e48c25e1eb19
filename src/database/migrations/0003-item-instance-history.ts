import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Engine } from '../work.ts';
import { spellingOf } from './spelling.ts';

/** The history of item instances. */
export const up = async (schema: Kysely<unknown>, engine: Engine): Promise<void> => {
  const { id, byKey } = spellingOf(engine);
  const table = schema.schema
    .createTable('item_instance_history')
    .addColumn('team_id', id, (column) => column.notNull().references('teams.id').onDelete('cascade'))
    // Not a reference: the history outlives the instance, its item and its owners.
    .addColumn('item_instance_id', id, (column) => column.notNull())
    .addColumn('sequence', sql`bigint`, (column) => column.notNull())
    .addColumn('item_id', id, (column) => column.notNull())
    .addColumn('event', 'text', (column) => column.notNull())
    .addColumn('from_user_id', id)
    .addColumn('to_user_id', id)
    .addColumn('cause', 'text', (column) => column.notNull())
    .addColumn('created_at', sql`bigint`, (column) => column.notNull())
    .addColumn('request_id', 'text')
    .addPrimaryKeyConstraint('item_instance_history_key', ['team_id', 'item_instance_id', 'sequence']);
  await byKey(table as never as CreateTableBuilder<string, string>).execute();
  // Used to find a deleted user in the history, to remove them from it.
  for (const column of ['from_user_id', 'to_user_id']) {
    await schema.schema
      .createIndex(`item_instance_history_${column}`)
      .on('item_instance_history')
      .columns(['team_id', column])
      .where(sql.ref(column), 'is not', null)
      .execute();
  }
  // Start the history of existing instances, so that each has one.
  await sql`insert into item_instance_history
    (team_id, item_instance_id, sequence, item_id, event, from_user_id, to_user_id, cause, created_at, request_id)
    select team_id, id, 1, item_id, 'created', null, user_id, 'unknown', created_at, null from item_instances`.execute(
    schema,
  );
};
