import type { Client } from './client.ts';

/** The number of connections that the server allows this user on this database, shared by all clients. */
const CONNECTION_LIMIT = `select pg_backend_pid() as pid, least(
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true), '0')::int,
    (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
    (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as allowed`;

/** Fails if all processes together may open more connections than the server allows. */
export const checkConnectionLimit = async (client: Client, processes: number, connections: number): Promise<void> => {
  const { rows } = await client.query<{ pid: number; allowed: number }>(CONNECTION_LIMIT);
  const [{ pid, allowed } = { pid: 0, allowed: Number.POSITIVE_INFINITY }] = rows;
  // A pooler has its own connection limit, and reports a different process id than the server.
  const isPooled = pid !== (client as Client & { processID?: number }).processID;
  const wanted = processes * connections;
  if (isPooled || wanted <= allowed) return;
  throw new Error(
    `${processes} WORKERS with ${connections} DATABASE_CONNECTIONS need ${wanted} connections, but the server allows ${allowed}: ` +
      'lower one of the two, or raise max_connections',
  );
};
