/**
 * What differs on a Citus cluster, where the tables may be distributed by team and the connection may be to any of its
 * servers.
 */
import type { Client } from './client.ts';
import { named, type Statement } from './statements.ts';

const IS_CITUS: Statement = named(`select to_regclass('pg_catalog.pg_dist_local_group') is not null`);

/** Whether a database belongs to a cluster. */
export const isInCluster = async (client: Client): Promise<boolean> =>
  (await client.run(IS_CITUS)).rows[0]?.[0] === true;

/** Only the coordinator, which is the server of group 0, can change tables. */
export const canChangeTables = async (client: Client): Promise<boolean> => {
  if (!client.isCitus) return true;
  const { rows } = await client.query('select groupid from pg_dist_local_group');
  return rows[0]?.groupid === 0;
};

/**
 * Commands that change settings until the end of a transaction, on the workers of a cluster too. Each has to be sent on
 * its own, since Citus passes on the text of the whole message.
 */
export const setLocal = (
  { isCitus }: Pick<Client, 'isCitus'>,
  settings: Readonly<Record<string, string | number>>,
): string[] => [
  ...(isCitus ? [`set local citus.propagate_set_commands = 'local'`] : []),
  ...Object.entries(settings).map(([name, value]) => `set local ${name} = ${value}`),
];
