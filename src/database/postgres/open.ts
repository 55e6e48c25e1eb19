import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { LIMITS } from '../../shared/limits.ts';
import { createFairQueue } from '../fair-queue.ts';
import { createFence } from '../fence.ts';
import { expand, MIGRATION_TABLES, migrate, pendingOf, readSchema } from '../migrate.ts';
import { type Purpose, unobserved } from '../observer.ts';
import { createUnits } from '../queue.ts';
import type { Database, Migrations, Queries } from '../work.ts';
import { createWriteWatch } from '../write-watch.ts';
import type { Client } from './client.ts';
import { createConnector } from './connect.ts';
import { checkConnectionLimit } from './connection-limit.ts';
import { isBlocked, isCollision, isLockFailure, translate } from './errors.ts';
import { analyze, findGrown } from './maintenance.ts';
import { countOthers } from './others.ts';
import { addIndexes, addPartitions, dropPartitions } from './partitions.ts';
import { createPools } from './pools.ts';
import { probeWrite } from './probe.ts';
import { currentSchema } from './schema.ts';
import { createStatements, meetSchema, PostgresSession } from './session.ts';
import { fill, takeSnapshot } from './transfer.ts';

export interface PostgresOptions {
  /** How many connections this process may open, for all purposes together. */
  readonly connections?: number | undefined;
  /** Overrides how long a busy connection may receive nothing. */
  readonly silenceMs?: number | undefined;
  /** Other migrations than those of this version. */
  readonly migrations?: Migrations | undefined;
}

/** The same in every process, including older versions that held this lock for the session. */
const MIGRATION_LOCK = 8090141;

/** Migrating a large table takes time, and another node may be doing it. */
const lockMigrations = async (tx: Queries): Promise<void> => {
  for (const limit of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'])
    await sql`select set_config(${limit}, '0', true)`.execute(tx);
  await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(tx);
  // Requests of other nodes wait behind a lock that is waited for, so give up early and try again.
  await sql`select set_config('lock_timeout', ${String(LIMITS.postgresMigrationLockMs)}, true)`.execute(tx);
};

/**
 * Lets all transactions end that write, and keeps others from beginning, until the migration is completed: they have
 * read the table. Those that go on see which schema they have met.
 */
const lockOutWriters = async (tx: Queries): Promise<void> => {
  await sql`lock table ${sql.table(MIGRATION_TABLES[0])} in access exclusive mode`.execute(tx);
};

/** Gives up if a lock is not available in time: whoever waits for one silently might be taken for dead. */
const withinLockTime = async (client: Client, ms: number, use: () => Promise<void>): Promise<void> => {
  await client.control(`begin; set local lock_timeout = ${ms}`);
  try {
    await use();
  } finally {
    await client.control('rollback');
  }
};

export const openPostgres = (
  url: string,
  { connections = LIMITS.postgresConnections, silenceMs = LIMITS.postgresSilenceMs, migrations }: PostgresOptions = {},
): Database => {
  const connector = createConnector(url);
  const pools = createPools(connector, { connections, silenceMs });
  const statements = createStatements();
  const fence = createFence(migrations);

  let grownDueMs = 0;
  let partitionsDueMs = 0;

  const observed = unobserved();
  const watch = createWriteWatch({
    look: () => borrow('group', (client) => client.assertAcceptsWrites()),
    write: (failure) => borrow('group', (client) => probeWrite(client, failure)),
  });
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
      open: async (purpose, teamId) => {
        fence.pass();
        const client = await pools.take(purpose);
        const giveBack = () => pools.give(purpose, client);
        return new PostgresSession({ client, purpose, teamId, statements, fence, giveBack });
      },
      isCollision,
      isBlocked,
      // What a newer schema does not have is not the fault of a command.
      translate: (error) => fence.refusal() ?? translate(error),
    },
    observed,
    watch,
  );

  const meet = (client: Client): Promise<void> => meetSchema(client, fence);

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

  /** Changes the schema in one transaction, one process at a time. */
  const changeSchema = (change: (tx: Queries) => Promise<void>): Promise<void> =>
    apart(async (client) => {
      for (let attempt = 1; ; attempt += 1)
        try {
          await client.queries.transaction().execute(async (tx) => {
            await lockMigrations(tx);
            await change(tx);
          });
          return;
        } catch (error) {
          if (!isLockFailure(error) || attempt === LIMITS.migrationAttempts) throw error;
          await delay(LIMITS.migrationRestMs);
        }
    });

  return {
    engine: 'postgres',
    get acrossTeamsMs() {
      return connector.isCitus ? LIMITS.citusAcrossTeamsMs : 0;
    },
    write: units.write as Database['write'],
    transaction: units.transaction as Database['transaction'],
    read: units.read as Database['read'],
    readUrgent: units.readUrgent as Database['readUrgent'],
    migrate: async (given) => {
      await changeSchema(async (tx) => {
        const state = await readSchema(tx, 'postgres');
        if (pendingOf(state, given ?? migrations).length === 0) return;
        if (state !== undefined) await lockOutWriters(tx);
        await migrate(tx, 'postgres', { migrations: given ?? migrations, schemaName: await currentSchema(tx) });
      });
      if (given === undefined) await apart((client) => addPartitions(client, meet, Date.now()));
    },
    expand: async () => {
      await changeSchema(async (tx) => {
        const isNew = (await readSchema(tx, 'postgres')) === undefined;
        await (isNew ? migrate : expand)(tx, 'postgres', { migrations, schemaName: await currentSchema(tx) });
      });
      await apart((client) => addPartitions(client, meet, Date.now()));
    },
    assertSchema: fence.pass,
    hasCompleted: fence.hasCompleted,
    checkSchema: async () => {
      fence.pass();
      await borrow('read', (client) => withinLockTime(client, LIMITS.schemaCheckMs, () => meet(client)));
    },
    checkConnections: (processes) => apart((client) => checkConnectionLimit(client, processes, connections)),
    others: () => apart(countOthers),
    ready: watch.check,
    oldestCommitMs: watch.oldestCommitMs,
    snapshot: (use) => apart((client) => takeSnapshot(client, use)),
    load: (use) => apart((client) => fill(client, use)),
    maintain: async () => {
      const grown = await borrow('transaction', async (client) => {
        if (client.isCitus && Date.now() < grownDueMs) return [];
        grownDueMs = Date.now() + LIMITS.citusGrownMs;
        return findGrown(client);
      });
      if (grown.length > 0) await apart((client) => analyze(client, grown));
      if (Date.now() < partitionsDueMs) return;
      await apart(async (client) => {
        await addPartitions(client, meet, Date.now());
        await addIndexes(client, meet, Date.now());
      });
      partitionsDueMs = Date.now() + LIMITS.postgresPartitionsMs;
    },
    removeBefore: (table, beforeMs, shouldContinue) =>
      apart((client) => dropPartitions(client, meet, table, beforeMs, shouldContinue)),
    onEvents: (listener) => {
      observed.eventsOf = listener;
    },
    observe: (observer) => {
      observed.by = observer;
    },
    close: async () => {
      await units.idle();
      await pools.close();
    },
  };
};
