import { type Kysely, sql } from 'kysely';
import type { Database } from '../database.ts';

/** What templates remember of players. */
export const up = async (schema: Kysely<unknown>, engine: Database['engine']): Promise<void> => {
  const id = engine === 'postgres' ? sql`text collate "C"` : sql`text`;
  await schema.schema
    .createTable('user_states')
    .addColumn('team_id', id, (column) => column.notNull())
    .addColumn('user_id', id, (column) => column.notNull())
    .addColumn('scope', id, (column) => column.notNull())
    .addColumn('template_id', id)
    .addColumn('state', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('user_states_key', ['team_id', 'user_id', 'scope'])
    .addForeignKeyConstraint('user_states_of_user', ['team_id', 'user_id'], 'users', ['team_id', 'id'], (constraint) =>
      constraint.onDelete('cascade'),
    )
    .addForeignKeyConstraint(
      'user_states_of_template',
      ['team_id', 'template_id'],
      'templates',
      ['team_id', 'id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute();
  await schema.schema
    .createIndex('user_states_by_template')
    .on('user_states')
    .columns(['team_id', 'template_id'])
    .execute();
};
