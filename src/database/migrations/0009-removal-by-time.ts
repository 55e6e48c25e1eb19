import { type Kysely, sql } from 'kysely';
import { earliestId } from '../../shared/ids.ts';
import { nextWeek, weekOf } from '../postgres/weeks.ts';
import type { Engine } from '../work.ts';
import { spellingOf } from './spelling.ts';

/**
 * Partitions the roll events by id, which starts with the time. The existing table becomes the first partition
 * unchanged, including the rest of this week; partitions for other weeks are created ahead of time, at each start and
 * by a chore. Anything else goes to a default partition, so that no roll ever fails for lack of a partition.
 */
const partitionRollEvents = async (schema: Kysely<unknown>): Promise<void> => {
  const run = (text: string) => sql.raw(text).execute(schema);
  await run('alter table roll_events rename to roll_events_before');
  await run('alter table roll_events_before rename constraint roll_events_key to roll_events_before_key');
  await run(`create table roll_events (like roll_events_before, constraint roll_events_key primary key (team_id, id))
    partition by range (id)`);
  await run('create table roll_events_rest partition of roll_events default');
  const { rows } = await sql`select 1 from roll_events_before limit 1`.execute(schema);
  // An empty table is for older rows that may be restored, from before this week.
  const nowMs = Date.now();
  const end = `'${earliestId(rows.length === 0 ? weekOf(nowMs) : nextWeek(nowMs))}'`;
  await run(`with later as (delete from roll_events_before where id >= ${end} returning *)
    insert into roll_events_rest select * from later`);
  await run(`alter table roll_events attach partition roll_events_before for values from (minvalue) to (${end})`);
};

export const up = async (schema: Kysely<unknown>, engine: Engine): Promise<void> => {
  const { id } = spellingOf(engine);
  await schema.schema
    .createTable('chores')
    .addColumn('name', id, (column) => column.notNull().primaryKey())
    .addColumn('due_at', sql`bigint`, (column) => column.notNull())
    .addColumn('position', 'text', (column) => column.notNull())
    .execute();
  if (engine === 'postgres') await partitionRollEvents(schema);
};
