import { TABLES } from '../tables.ts';
import type { Client } from './client.ts';

/**
 * Tables that have grown to several times the size that the planner assumes. Autovacuum analyzes them only once a
 * minute; until then, the planner takes a table to be nearly empty and reads all rows of a team to find one.
 */
const GROWN = `select relname as name from pg_class
  where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname = any($1)
    and pg_relation_size(oid) > 4 * 8192 * greatest(relpages, 1)`;

/** The same of the shards on all servers of a cluster: here, distributed tables are empty. */
const GROWN_SHARDS = `select distinct json_array_elements_text(result::json) as name from run_command_on_all_nodes(format(
  $$select coalesce(json_agg(parent.relname), '[]') from pg_dist_shard join pg_class as parent on parent.oid = logicalrelid
    join pg_class as shard on shard.relnamespace = parent.relnamespace and shard.relname = parent.relname || '_' || shardid
    where parent.relnamespace = %L::regnamespace and parent.relkind = 'r' and parent.relname = any(%L)
      and pg_relation_size(shard.oid) > 4 * 8192 * greatest(shard.relpages, 1)$$, current_schema(), $1::text[]))
  where success`;

export const findGrown = async (client: Client): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>(client.isCitus ? GROWN_SHARDS : GROWN, [TABLES]);
  return rows.map(({ name }) => name);
};

/** Updates the planner statistics of tables, except those that another node is analyzing. */
export const analyze = async (client: Client, tables: readonly string[]): Promise<void> => {
  for (const name of tables) await client.query(`analyze (skip_locked) "${name}"`);
};
