import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Engine } from '../work.ts';
import { spellingOf } from './spelling.ts';

/**
 * Splits the counters of a day and template into several rows: with the most items a team may have, a single row would
 * be megabytes of text. Existing counters become the first part unchanged.
 */
export const up = async (schema: Kysely<unknown>, engine: Engine): Promise<void> => {
  const { id } = spellingOf(engine);
  const references = (table: CreateTableBuilder<'roll_counts', 'team_id'>) =>
    // On PostgreSQL, tables with very many rows have no foreign key to the team.
    engine === 'sqlite' ? table.addForeignKeyConstraint('roll_counts_team', ['team_id'], 'teams', ['id']) : table;
  await schema.schema.alterTable('roll_counts').renameTo('whole_roll_counts').execute();
  if (engine === 'postgres')
    await sql`alter table whole_roll_counts rename constraint roll_counts_key to whole_roll_counts_key`.execute(schema);
  const table = schema.schema.createTable('roll_counts').addColumn('team_id', id, (column) => column.notNull());
  await references(table)
    .addColumn('day', id, (column) => column.notNull())
    .addColumn('template_id', id, (column) => column.notNull())
    .addColumn('part', 'integer', (column) => column.notNull())
    .addColumn('rolls', sql`bigint`, (column) => column.notNull())
    .addColumn('counts', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('roll_counts_key', ['team_id', 'day', 'template_id', 'part'])
    .execute();
  await sql`insert into roll_counts (team_id, day, template_id, part, rolls, counts)
    select team_id, day, template_id, 0, rolls, counts from whole_roll_counts`.execute(schema);
  await schema.schema.dropTable('whole_roll_counts').execute();
};
