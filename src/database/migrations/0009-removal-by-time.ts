import { type Kysely, sql } from 'kysely';
import { earliestId } from '../../ids.ts';
import { nextWeek, weekOf } from '../postgres/weeks.ts';
import type { Engine } from '../work.ts';
import { spellingOf } from './spelling.ts';

/**
 * The record of rolls becomes a table of partitions, each a range of ids, which begin with the time. What is there already
 * becomes the first of them as it is, together with what comes until the end of this week; partitions for other weeks are
 * made ahead, at each start and by a chore. What fits nowhere goes to the rest, so that no roll ever fails for want of a
 * partition.
 */
const partitionRollEvents = async (schema: Kysely<unknown>): Promise<void> => {
  const run = (text: string) => sql.raw(text).execute(schema);
  await run('alter table roll_events rename to roll_events_before');
  await run('alter table roll_events_before rename constraint roll_events_key to roll_events_before_key');
  await run(`create table roll_events (like roll_events_before, constraint roll_events_key primary key (team_id, id))
    partition by range (id)`);
  await run('create table roll_events_rest partition of roll_events default');
  const { rows } = await sql`select 1 from roll_events_before limit 1`.execute(schema);
  // Without any rows it is for those that may be brought from elsewhere, which are older than this week.
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
