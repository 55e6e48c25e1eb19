import { sql } from 'kysely';
import { LIMITS } from '../../limits.ts';
import { createFairQueue } from '../fair-queue.ts';
import { migrate } from '../migrate.ts';
import { type Purpose, unobserved } from '../observer.ts';
import { createUnits } from '../queue.ts';
import type { Database, Queries } from '../work.ts';
import type { Client } from './client.ts';
import { createConnector } from './connect.ts';
import { isBlocked, isCollision, translate } from './errors.ts';
import { analyze, findGrown } from './maintenance.ts';
import { addPartitions, dropPartitions } from './partitions.ts';
import { createPools } from './pools.ts';
import { checkRoom } from './room.ts';
import { currentSchema } from './schema.ts';
import { createStatements, PostgresSession } from './session.ts';
import { fill, takeSnapshot } from './transfer.ts';

export interface PostgresOptions {
  /** How many connections this process may open, over all purposes. */
  readonly connections?: number | undefined;
  /** For how long a connection in use may bring nothing, if not for as long as usual. */
  readonly silenceMs?: number | undefined;
}

/** The same number in every process, also in those that ran before this lock ended with its transaction. */
const MIGRATION_LOCK = 8090141;

/** A large table may take its time, and so may the node that came first. */
const waitForTurn = async (tx: Queries): Promise<void> => {
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
        // One is left out, where there are several: what the service does by itself takes no turn.
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

  /** On a connection from the pool. */
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

  /** On a connection of its own, for what may take longer than requests may. */
  const apart = async <T>(use: (client: Client) => Promise<T>): Promise<T> => {
    const client = await connector.connect({ mustAcceptWrites: false });
    try {
      return await use(client);
    } finally {
      client.leave();
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
          await waitForTurn(tx);
          await migrate(tx, 'postgres', { migrations, schemaName: await currentSchema(tx) });
        });
        if (migrations === undefined) await addPartitions(client, Date.now());
      }),
    checkConnections: (processes) => apart((client) => checkRoom(client, processes, connections)),
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
    removeBefore: (table, beforeMs, goesOn) => apart((client) => dropPartitions(client, table, beforeMs, goesOn)),
    observe: (observer) => {
      observed.by = observer;
    },
    close: async () => {
      await units.idle();
      await pools.close();
    },
  };
};
