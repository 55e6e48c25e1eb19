import { type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely';
import type { Engine } from '../work.ts';
import { spellingOf } from './spelling.ts';

/** What was configured when, and what was rolled on it: whether the odds that were promised are those that came true. */
export const up = async (schema: Kysely<unknown>, engine: Engine): Promise<void> => {
  const { id, double, byKey } = spellingOf(engine);
  const required = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => column.notNull();
  /** On Citus, a new table cannot refer to one that is already distributed. */
  const ofTeam = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder =>
    engine === 'sqlite' ? column.notNull().references('teams.id').onDelete('cascade') : column.notNull();

  // Of rolls from before, nothing but the items is known.
  await schema.schema.alterTable('roll_pending').addColumn('version', 'integer').execute();
  await schema.schema.alterTable('roll_pending').addColumn('evidence', 'text').execute();

  await schema.schema
    .createTable('snapshots')
    .addColumn('team_id', id, ofTeam)
    .addColumn('hash', id, required)
    .addColumn('text', 'text', required)
    .addPrimaryKeyConstraint('snapshots_key', ['team_id', 'hash'])
    .execute();
  await byKey(
    schema.schema
      .createTable('template_versions')
      .addColumn('team_id', id, ofTeam)
      .addColumn('template_id', id, required)
      .addColumn('version', 'integer', required)
      .addColumn('config', id)
      .addPrimaryKeyConstraint('template_versions_key', ['team_id', 'template_id', 'version']) as never,
  ).execute();
  await byKey(
    schema.schema
      .createTable('noted_versions')
      .addColumn('team_id', id, ofTeam)
      .addColumn('version', 'integer', required)
      .addPrimaryKeyConstraint('noted_versions_key', ['team_id']) as never,
  ).execute();
  // The present version is noted soon; rolls on earlier ones were not observed.
  await sql`insert into noted_versions (team_id, version)
    select id, version - 1 from teams where version > 0`.execute(schema);

  await schema.schema
    .createTable('roll_evidence')
    .addColumn('team_id', id, ofTeam)
    .addColumn('template_id', id, required)
    .addColumn('version', 'integer', required)
    .addColumn('day', id, required)
    .addColumn('rolls', sql`bigint`, required)
    .addColumn('counts', 'text', required)
    .addPrimaryKeyConstraint('roll_evidence_key', ['team_id', 'template_id', 'version', 'day'])
    .execute();
  await byKey(
    schema.schema
      .createTable('evidence_due')
      .addColumn('team_id', id, ofTeam)
      .addColumn('template_id', id, required)
      .addColumn('version', 'integer', required)
      .addColumn('stamp', id, required)
      .addPrimaryKeyConstraint('evidence_due_key', ['team_id', 'template_id', 'version']) as never,
  ).execute();
  await byKey(
    schema.schema
      .createTable('evidence_streams')
      .addColumn('team_id', id, ofTeam)
      .addColumn('template_id', id, required)
      .addColumn('config', id, required)
      .addColumn('streams', 'integer', required)
      .addColumn('evidence', double, required)
      .addColumn('greatest', double, required)
      .addColumn('looked_at', sql`bigint`, required)
      .addColumn('alarmed_at', sql`bigint`)
      .addPrimaryKeyConstraint('evidence_streams_key', ['team_id', 'template_id', 'config']) as never,
  ).execute();
};
