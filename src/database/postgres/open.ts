import pg from 'pg';
import { LIMITS } from '../../limits.ts';
import { migrate } from '../migrate.ts';
import { type Purpose, unobserved } from '../observer.ts';
import { createUnits } from '../queue.ts';
import type { Database } from '../work.ts';
import { Client, types } from './client.ts';
import { isBlocked, isCollision, translate } from './errors.ts';
import { analyzeGrown } from './maintenance.ts';
import { addPartitions, dropPartitions } from './partitions.ts';
import { createStatements, PostgresSession } from './session.ts';

export const openPostgres = (url: string): Database => {
  const createPool = (size: number): pg.Pool => {
    const config: pg.PoolConfig = {
      connectionString: url,
      max: size,
      connectionTimeoutMillis: LIMITS.postgresConnectMs,
      statement_timeout: LIMITS.postgresStatementMs,
      idle_in_transaction_session_timeout: LIMITS.postgresStatementMs,
      application_name: 'itemwright',
      types,
      Client,
    };
    const pool = new pg.Pool(config);
    // An idle connection that breaks is replaced on the next use.
    pool.on('error', () => {});
    return pool;
  };
  // Each purpose has connections of its own, so that none waits for what another has taken.
  const pools: Record<Purpose, pg.Pool> = {
    group: createPool(LIMITS.postgresGroups),
    apart: createPool(LIMITS.postgresApart),
    transaction: createPool(LIMITS.postgresTransactions),
    read: createPool(LIMITS.postgresReaders),
  };
  const statements = createStatements();
  const connect = async (purpose: Purpose) => (await pools[purpose].connect()) as Client & pg.PoolClient;

  /** For what the engine does by itself, beside all units of work. */
  const withClient = async (work: (client: Client) => Promise<void>): Promise<void> => {
    const client = await connect('transaction');
    try {
      await work(client);
    } finally {
      client.release();
    }
  };
  let partitionsDueMs = 0;

  const observed = unobserved();
  const units = createUnits(
    {
      open: async (purpose) => new PostgresSession(await connect(purpose), purpose, statements),
      isCollision,
      isBlocked,
      translate,
    },
    observed,
  );

  return {
    engine: 'postgres',
    write: units.write as Database['write'],
    transaction: units.transaction as Database['transaction'],
    read: units.read as Database['read'],
    migrate: async (migrations) => {
      const client = await connect('transaction');
      let broken: Error | undefined;
      try {
        // A large table may take its time, and so may the node that came first.
        await client.query('set statement_timeout = 0');
        // Kysely's own lock is taken after it made its tables; two nodes that make them at once would collide.
        await client.query('select pg_advisory_lock(8090141)');
        try {
          await migrate(client.queries, 'postgres', migrations);
          if (migrations === undefined) await addPartitions(client, Date.now());
        } finally {
          await client.query('select pg_advisory_unlock(8090141)');
          await client.query('reset statement_timeout');
        }
      } catch (error) {
        broken = error as Error;
        throw error;
      } finally {
        client.release(broken);
      }
    },
    maintain: () =>
      withClient(async (client) => {
        await analyzeGrown(client);
        if (Date.now() < partitionsDueMs) return;
        await addPartitions(client, Date.now());
        partitionsDueMs = Date.now() + LIMITS.postgresPartitionsMs;
      }),
    removeBefore: (table, beforeMs, goesOn) => withClient((client) => dropPartitions(client, table, beforeMs, goesOn)),
    observe: (observer) => {
      observed.by = observer;
    },
    close: async () => {
      await units.idle();
      await Promise.all(Object.values(pools).map((pool) => pool.end()));
    },
  };
};
