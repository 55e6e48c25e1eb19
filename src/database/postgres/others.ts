import { LIMITS } from '../../shared/limits.ts';
import type { Client } from './client.ts';

/**
 * Connections of ours that other processes use. A pooler keeps connections of a service that has stopped, so one counts only
 * if it did something lately: whatever a service is asked, its chores look after the database every second or so. Of
 * another user's connections, the server may hide when that was.
 */
const OTHERS = `select count(*)::int as others from pg_stat_activity
  where datname = current_database() and application_name like 'itemwright%' and pid <> pg_backend_pid()
    and (coalesce(state, 'active') <> 'idle' or state_change > clock_timestamp() - $1::int * interval '1 millisecond')`;

export const countOthers = async (client: Client): Promise<number> => {
  const { rows } = await client.query<{ others: number }>(OTHERS, [LIMITS.postgresInUseMs]);
  return rows[0]?.others ?? 0;
};
