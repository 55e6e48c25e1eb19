import { type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely';
import type { Engine } from '../work.ts';
import { spellingOf } from './spelling.ts';

/** Changes of a catalog that are collected until they are published, now or at a time. */
export const up = async (schema: Kysely<unknown>, engine: Engine): Promise<void> => {
  const { id, byKey } = spellingOf(engine);
  /** On Citus, a new table cannot refer to one that is already distributed. */
  const ofTeam = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder =>
    engine === 'sqlite' ? column.notNull().references('teams.id').onDelete('cascade') : column.notNull();
  await byKey(
    schema.schema
      .createTable('catalog_drafts')
      .addColumn('team_id', id, ofTeam)
      .addColumn('id', id, (column) => column.notNull())
      .addColumn('revision', 'integer', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('base_version', 'integer', (column) => column.notNull())
      .addColumn('changes', 'text', (column) => column.notNull())
      .addColumn('count', 'integer', (column) => column.notNull())
      .addColumn('created_at', sql`bigint`, (column) => column.notNull())
      .addColumn('updated_at', sql`bigint`, (column) => column.notNull())
      .addColumn('author_id', id)
      .addColumn('author_name', 'text', (column) => column.notNull())
      .addColumn('publish_at', sql`bigint`)
      .addColumn('publisher_id', id)
      .addColumn('publisher_name', 'text')
      .addColumn('rebase', 'integer', (column) => column.notNull())
      .addColumn('message', 'text')
      .addColumn('failure', 'text')
      .addPrimaryKeyConstraint('catalog_drafts_key', ['team_id', 'id']) as never,
  ).execute();
  await schema.schema.createIndex('catalog_drafts_due').on('catalog_drafts').column('publish_at').execute();
};
