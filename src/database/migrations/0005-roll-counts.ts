import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Engine } from '../work.ts';
import { spellingOf } from './spelling.ts';

interface OldCount {
  team_id: string;
  day: string;
  template_id: string;
  item_id: string;
  count: number;
}

type Table = CreateTableBuilder<string, string>;

/**
 * Roll counters with all items of a day and template in one row, instead of a row per item: a roll inserts its counts
 * into `roll_pending`, and many of those rows are added to `roll_counts` at once, later.
 */
export const up = async (schema: Kysely<unknown>, engine: Engine): Promise<void> => {
  const { id, byKey } = spellingOf(engine);
  const teamTable = (name: string): Table =>
    schema.schema
      .createTable(name)
      .addColumn('team_id', id, (column) => column.notNull().references('teams.id').onDelete('cascade')) as never;
  const counted = (table: Table): Table =>
    table
      .addColumn('template_id', id, (column) => column.notNull())
      .addColumn('day', id, (column) => column.notNull())
      // In front of the counts, so that reading just the sum need not skip them.
      .addColumn('rolls', sql`bigint`, (column) => column.notNull())
      .addColumn('counts', 'text', (column) => column.notNull());

  await counted(teamTable('roll_counts'))
    .addPrimaryKeyConstraint('roll_counts_key', ['team_id', 'day', 'template_id'] as never)
    .execute();
  await byKey(
    counted(teamTable('roll_pending').addColumn('id', id, (column) => column.notNull())).addPrimaryKeyConstraint(
      'roll_pending_key',
      ['team_id', 'id'] as never,
    ),
  ).execute();

  const move = async (keys: { team_id: string; day: string; template_id: string }[], table: string): Promise<void> => {
    for (const { team_id, day, template_id } of keys) {
      const onDay = table === 'roll_item_days' ? sql`and day = ${day}` : sql``;
      const { rows } = await sql<OldCount>`select item_id, sum(count) as count from ${sql.table(table)}
        where team_id = ${team_id} and template_id = ${template_id} ${onDay} group by item_id order by item_id`.execute(
        schema,
      );
      const rolls = rows.reduce((sum, { count }) => sum + Number(count), 0);
      const counts = JSON.stringify(rows.flatMap(({ item_id, count }) => [item_id, Number(count)]));
      await sql`insert into roll_counts (team_id, template_id, day, rolls, counts)
        values (${team_id}, ${template_id}, ${day}, ${rolls}, ${counts})`.execute(schema);
    }
  };
  const days = await sql<OldCount>`select distinct team_id, day, template_id from roll_item_days`.execute(schema);
  await move(days.rows, 'roll_item_days');
  const totals = await sql<OldCount>`select distinct team_id, '' as day, template_id from roll_item_totals`.execute(
    schema,
  );
  await move(totals.rows, 'roll_item_totals');

  for (const table of ['roll_item_totals', 'roll_item_days', 'roll_days'])
    await schema.schema.dropTable(table).execute();
  if (engine === 'postgres') {
    await sql`drop function itemwright_shard()`.execute(schema);
    // Rows are inserted and deleted here all the time: dead rows must not pile up.
    await sql`alter table roll_pending set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000)`.execute(
      schema,
    );
  }
};
