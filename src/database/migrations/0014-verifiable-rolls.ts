import { type Kysely, sql } from 'kysely';
import type { Engine } from '../work.ts';
import { spellingOf } from './spelling.ts';

/** Templates and teams whose rolls players can verify, their seeds, and receipts; templates whose odds are public. */
export const up = async (schema: Kysely<unknown>, engine: Engine): Promise<void> => {
  const { id, byKey } = spellingOf(engine);
  await schema.schema
    .alterTable('templates')
    .addColumn('verifiable', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await schema.schema
    .alterTable('templates')
    .addColumn('disclosure', 'text', (column) => column.notNull().defaultTo('private'))
    .execute();
  await schema.schema
    .alterTable('snapshots')
    .addColumn('is_public', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await schema.schema
    .alterTable('teams')
    .addColumn('verifiable_rolls', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  // Neither table refers to users by a foreign key: on Citus, a new table cannot refer to one that is already distributed.
  await byKey(
    schema.schema
      .createTable('fairness_seeds')
      .addColumn('team_id', id, (column) => column.notNull())
      .addColumn('user_id', id, (column) => column.notNull())
      .addColumn('epoch', 'integer')
      .addColumn('seed', 'text')
      .addColumn('client_seed', 'text')
      .addColumn('manifest', id)
      .addColumn('rotation', id)
      .addColumn('next_seed', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('fairness_seeds_key', ['team_id', 'user_id']) as never,
  ).execute();
  // In the order of insertion: by key, SQLite would spend a page on every receipt.
  await schema.schema
    .createTable('receipts')
    .addColumn('team_id', id, (column) => column.notNull())
    .addColumn('user_id', id, (column) => column.notNull())
    .addColumn('epoch', 'integer', (column) => column.notNull())
    .addColumn('scope', id, (column) => column.notNull())
    .addColumn('nonce', sql`bigint`, (column) => column.notNull())
    .addColumn('hash', id, (column) => column.notNull())
    .addColumn('receipt', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('receipts_key', ['team_id', 'user_id', 'epoch', 'scope', 'nonce'])
    .execute();
};
