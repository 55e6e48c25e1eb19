import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Engine } from '../work.ts';
import { spellingOf } from './spelling.ts';

/** Responses that are sent again when a request is repeated with the same key. */
export const up = async (schema: Kysely<unknown>, engine: Engine): Promise<void> => {
  const { id, byKey } = spellingOf(engine);
  const table = schema.schema
    .createTable('stored_answers')
    .addColumn('team_id', id, (column) => column.notNull().references('teams.id').onDelete('cascade'))
    .addColumn('key', id, (column) => column.notNull())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('answer', 'text', (column) => column.notNull())
    .addColumn('stored_at', sql`bigint`, (column) => column.notNull())
    .addPrimaryKeyConstraint('stored_answers_key', ['team_id', 'key']);
  await byKey(table as never as CreateTableBuilder<string, string>).execute();
  await schema.schema.createIndex('stored_answers_by_age').on('stored_answers').column('stored_at').execute();
};
