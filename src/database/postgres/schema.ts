import { sql } from 'kysely';
import type { Queries } from '../work.ts';

/** The schema that tables are made in and looked for. */
export const currentSchema = async (queries: Queries): Promise<string> => {
  const { rows } = await sql<{ name: string | null }>`select current_schema() as name`.execute(queries);
  const name = rows[0]?.name;
  if (name) return name;
  throw new Error('the search_path names no schema that is there: create it first');
};
