import type { CreateTableBuilder, Kysely } from 'kysely';
import type { Engine } from '../work.ts';
import { spellingOf } from './spelling.ts';

/** What templates remember about users. */
export const up = async (schema: Kysely<unknown>, engine: Engine): Promise<void> => {
  const { id, byKey } = spellingOf(engine);
  const table = schema.schema
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
    );
  await byKey(table as never as CreateTableBuilder<string, string>).execute();
  await schema.schema
    .createIndex('user_states_by_template')
    .on('user_states')
    .columns(['team_id', 'template_id'])
    .execute();
};
