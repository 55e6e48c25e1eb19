import pg from 'pg';
import { LIMITS } from '../../limits.ts';
import { createFairQueue } from '../fair-queue.ts';
import { migrate } from '../migrate.ts';
import { createUnits } from '../queue.ts';
import type { Purpose } from '../session.ts';
import type { Database } from '../work.ts';
import { Client, types } from './client.ts';
import { isBlocked, isCollision, translate } from './errors.ts';
import { analyzeGrown } from './maintenance.ts';
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
    // One more than there are turns: what the service does by itself takes no turn.
    transaction: createPool(LIMITS.postgresTransactions + 1),
    read: createPool(LIMITS.postgresReaders),
    urgent: createPool(LIMITS.postgresUrgentReaders),
  };
  const statements = createStatements();
  const connect = async (purpose: Purpose) => (await pools[purpose].connect()) as Client & pg.PoolClient;

  const units = createUnits({
    queues: {
      group: createFairQueue(LIMITS.postgresGroups),
      apart: createFairQueue(LIMITS.postgresApart),
      transaction: createFairQueue(LIMITS.postgresTransactions),
      read: createFairQueue(LIMITS.postgresReaders),
      urgent: createFairQueue(LIMITS.postgresUrgentReaders),
    },
    open: async (purpose) => new PostgresSession(await connect(purpose), purpose, statements),
    isCollision,
    isBlocked,
    translate,
  });

  return {
    engine: 'postgres',
    write: units.write as Database['write'],
    transaction: units.transaction as Database['transaction'],
    read: units.read as Database['read'],
    readUrgent: units.readUrgent as Database['readUrgent'],
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
    maintain: async () => {
      const client = await connect('transaction');
      try {
        await analyzeGrown(client);
      } finally {
        client.release();
      }
    },
    close: async () => {
      await units.idle();
      await Promise.all(Object.values(pools).map((pool) => pool.end()));
    },
  };
};
