import { TABLES } from '../tables.ts';
import type { Client } from './client.ts';

/**
 * Tables that have grown to several times the size that the planner assumes. Autovacuum analyzes them only once a
 * minute; until then, the planner takes a table to be nearly empty and reads all rows of a team to find one.
 */
const GROWN = `select relname as name from pg_class
  where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname = any($1)
    and pg_relation_size(oid) > 4 * 8192 * greatest(relpages, 1)`;

export const findGrown = async (client: Client): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>(GROWN, [TABLES]);
  return rows.map(({ name }) => name);
};

/** Updates the planner statistics of tables, except those that another node is analyzing. */
export const analyze = async (client: Client, tables: readonly string[]): Promise<void> => {
  for (const name of tables) await client.query(`analyze (skip_locked) "${name}"`);
};
