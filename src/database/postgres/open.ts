import { sql } from 'kysely';
import { LIMITS } from '../../limits.ts';
import { createFairQueue } from '../fair-queue.ts';
import { migrate } from '../migrate.ts';
import { type Purpose, unobserved } from '../observer.ts';
import { createUnits } from '../queue.ts';
import type { Database, Queries } from '../work.ts';
import type { Client } from './client.ts';
import { createConnector } from './connect.ts';
import { checkConnectionLimit } from './connection-limit.ts';
import { isBlocked, isCollision, translate } from './errors.ts';
import { analyze, findGrown } from './maintenance.ts';
import { addPartitions, dropPartitions } from './partitions.ts';
import { createPools } from './pools.ts';
import { currentSchema } from './schema.ts';
import { createStatements, PostgresSession } from './session.ts';
import { fill, takeSnapshot } from './transfer.ts';

export interface PostgresOptions {
  /** How many connections this process may open, for all purposes together. */
  readonly connections?: number | undefined;
  /** Overrides how long a busy connection may receive nothing. */
  readonly silenceMs?: number | undefined;
}

/** The same in every process, including older versions that held this lock for the session. */
const MIGRATION_LOCK = 8090141;

/** Migrating a large table takes time, and another node may be doing it. */
const lockMigrations = async (tx: Queries): Promise<void> => {
  for (const limit of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'])
    await sql`select set_config(${limit}, '0', true)`.execute(tx);
  await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(tx);
};

export const openPostgres = (
  url: string,
  { connections = LIMITS.postgresConnections, silenceMs = LIMITS.postgresSilenceMs }: PostgresOptions = {},
): Database => {
  const connector = createConnector(url);
  const pools = createPools(connector, { connections, silenceMs });
  const statements = createStatements();

  let partitionsDueMs = 0;

  const observed = unobserved();
  const units = createUnits(
    {
      queues: {
        group: createFairQueue(pools.sizes.group),
        apart: createFairQueue(pools.sizes.apart),
        // If there are several, one is kept back for background work, which does not queue.
        transaction: createFairQueue(Math.max(1, pools.sizes.transaction - 1)),
        read: createFairQueue(pools.sizes.read),
        urgent: createFairQueue(pools.sizes.urgent),
      },
      open: async (purpose) => {
        const client = await pools.take(purpose);
        return new PostgresSession(client, purpose, statements, () => pools.give(purpose, client));
      },
      isCollision,
      isBlocked,
      translate,
    },
    observed,
  );

  /** Uses a pooled connection. */
  const borrow = async <T>(purpose: Purpose, use: (client: Client) => Promise<T>): Promise<T> => {
    const client = await pools.take(purpose);
    try {
      return await use(client);
    } catch (error) {
      throw translate(error);
    } finally {
      pools.give(purpose, client);
    }
  };

  /** Uses a separate connection, for work that may take longer than a request. */
  const apart = async <T>(use: (client: Client) => Promise<T>): Promise<T> => {
    const client = await connector.connect({ mustAcceptWrites: false });
    try {
      return await use(client);
    } finally {
      client.disconnect();
    }
  };

  return {
    engine: 'postgres',
    write: units.write as Database['write'],
    transaction: units.transaction as Database['transaction'],
    read: units.read as Database['read'],
    readUrgent: units.readUrgent as Database['readUrgent'],
    migrate: (migrations) =>
      apart(async (client) => {
        await client.queries.transaction().execute(async (tx) => {
          await lockMigrations(tx);
          await migrate(tx, 'postgres', { migrations, schemaName: await currentSchema(tx) });
        });
        if (migrations === undefined) await addPartitions(client, Date.now());
      }),
    checkConnections: (processes) => apart((client) => checkConnectionLimit(client, processes, connections)),
    ready: () => borrow('transaction', (client) => client.assertAcceptsWrites()),
    snapshot: (use) => apart((client) => takeSnapshot(client, use)),
    load: (use) => apart((client) => fill(client, use)),
    maintain: async () => {
      const grown = await borrow('transaction', findGrown);
      if (grown.length > 0) await apart((client) => analyze(client, grown));
      if (Date.now() < partitionsDueMs) return;
      await apart((client) => addPartitions(client, Date.now()));
      partitionsDueMs = Date.now() + LIMITS.postgresPartitionsMs;
    },
    removeBefore: (table, beforeMs, shouldContinue) =>
      apart((client) => dropPartitions(client, table, beforeMs, shouldContinue)),
    observe: (observer) => {
      observed.by = observer;
    },
    close: async () => {
      await units.idle();
      await pools.close();
    },
  };
};
