import { sql } from 'kysely';
import type { Queries } from '../work.ts';

/** The schema in which tables are created and looked up. */
export const currentSchema = async (queries: Queries): Promise<string> => {
  const { rows } = await sql<{ name: string | null }>`select current_schema() as name`.execute(queries);
  const name = rows[0]?.name;
  if (name) return name;
  throw new Error('no schema in the search_path exists: create it first');
};
