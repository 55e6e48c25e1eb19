import { sql } from 'kysely';
import { unavailable } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/limits.ts';
import { takeTurns } from '../../shared/turns.ts';
import { requiresRows } from '../declarations.ts';
import { createFairQueue } from '../fair-queue.ts';
import { createFence, LAST_MIGRATION } from '../fence.ts';
import { expand, migrate, pendingOf, readSchema } from '../migrate.ts';
import type { Purpose } from '../observer.ts';
import { unobserved } from '../observer.ts';
import { createUnits } from '../queue.ts';
import type { Driver, Session } from '../session.ts';
import { Collision, type Database, type Migrations, NO_TEAM } from '../work.ts';
import { createWriteWatch } from '../write-watch.ts';
import { createCheckpointer } from './checkpointer.ts';
import { type Connection, connect } from './connection.ts';
import { beginWriting, codeOf, isBusy, rollBack } from './driver.ts';
import { createFileWatch, prepareFile, restrictFiles } from './file.ts';
import { lockAsOwner } from './lock.ts';
import { createProber } from './probe.ts';
import { removeBefore } from './removal.ts';
import { setStatistics } from './statistics.ts';
import { createSyncer } from './syncer.ts';
import { loadOn, snapshotOn } from './transfer.ts';

/** Infrastructure errors: the file is locked by another process, or the disk is full or broken. */
const UNAVAILABLE_CODES = new Set([5, 6, 10, 13, 14]);
/** Foreign key, restricted deletion, primary key, unique key. */
const COLLISION_CODES = new Set([787, 1811, 1555, 2067]);
const NOT_A_DATABASE = 26;

/** A pool of connections; callers wait while all are in use. */
const createPool = (size: number, open: () => Connection) => {
  const all: Connection[] = [];
  const idle: Connection[] = [];
  const waiting: ((connection: Connection) => void)[] = [];
  return {
    acquire: (): Promise<Connection> => {
      const free = idle.pop();
      if (free !== undefined) return Promise.resolve(free);
      if (all.length === size) return new Promise((resolve) => waiting.push(resolve));
      const opened = open();
      all.push(opened);
      return Promise.resolve(opened);
    },
    release: (connection: Connection): void => {
      const next = waiting.shift();
      if (next === undefined) idle.push(connection);
      else next(connection);
    },
    closeIdle: (): void => {
      for (const connection of idle.splice(0)) {
        all.splice(all.indexOf(connection), 1);
        connection.raw.close();
      }
    },
    isBusy: (): boolean => idle.length < all.length,
    close: (): void => {
      for (const { raw } of all) raw.close();
    },
  };
};

/** Stops at once, before any response can be sent: see the syncer. */
const stop = (reason: string): never => {
  process.stderr.write(`itemwright: stopped: ${reason}\n`);
  process.exit(1);
};

const stopAfterFailedSync = (error: Error): never =>
  stop(
    `the write-ahead log could not be synced (${error.message}), so it is unknown what is on disk; check the disk and start again`,
  );

const stopWithoutFile = (path: string): never =>
  stop(
    `${path} was removed, moved or replaced while in use, so nothing can be saved; put the database back and start again`,
  );

/** The first connection to a file, which might not be a database. */
const connectFirst = (path: string): Connection => {
  try {
    const writer = connect(path, LIMITS.sqliteWriterCacheKib);
    restrictFiles(path);
    return writer;
  } catch (error) {
    throw codeOf(error) === NOT_A_DATABASE ? new Error(`${path} is not an SQLite database`, { cause: error }) : error;
  }
};

/**
 * Runs while no other process has the file open, such as a service of an earlier version. SQLite then keeps the lock of
 * a transaction until it is told otherwise.
 */
const exclusively = async (path: string, { raw }: Connection, work: () => Promise<void>): Promise<void> => {
  raw.exec('pragma locking_mode = exclusive');
  try {
    await beginWriting(raw);
    raw.exec('rollback');
    await work();
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new Error(`${path} is in use by another process, and must be migrated first: stop that one`, {
      cause: error,
    });
  } finally {
    raw.exec('pragma locking_mode = normal');
    raw.prepare('select 1 from sqlite_master').get();
  }
};

/** Locks a database that is open already, which shows that it is one; if it has an owner, it is closed again. */
const lockOpened = (path: string, { raw }: Connection): ReturnType<typeof lockAsOwner> => {
  try {
    return lockAsOwner(path);
  } catch (error) {
    raw.close();
    throw error;
  }
};

export interface SqliteOptions {
  /** Whether this process is to be the only owner of the file: a service, or whoever works on it in place of one. */
  readonly isOwner?: boolean | undefined;
  /** Other migrations than those of this version. */
  readonly migrations?: Migrations | undefined;
}

/** One connection writes, for all writers in turn; the others read committed data. */
export const openSqlite = (given: string, { isOwner = false, migrations }: SqliteOptions = {}): Database => {
  const path = prepareFile(given);
  const writer = connectFirst(path);
  const lock = isOwner ? lockOpened(path, writer) : undefined;
  const writers = createPool(1, () => writer);
  const connectReader = () => connect(path, LIMITS.sqliteReaderCacheKib);
  const readers = createPool(LIMITS.sqliteReaders, connectReader);
  const urgentReaders = createPool(LIMITS.sqliteUrgentReaders, connectReader);
  const files = createFileWatch(path);
  const checkFiles = (): void => {
    const missing = files.missing();
    if (missing !== undefined) stopWithoutFile(missing);
  };
  const observed = unobserved();
  const checkpointer = createCheckpointer(path);
  const syncer = createSyncer(path, {
    synced: (tookMs) => {
      checkFiles();
      checkpointer.check();
      observed.by.synced(tookMs);
    },
    failed: stopAfterFailedSync,
  });

  const fence = createFence(migrations);
  /** A writer has the whole database to itself, so what it meets stays. */
  const meetSchema = ({ raw }: Connection): void => {
    lastMigration ??= raw.prepare(LAST_MIGRATION);
    fence.met(lastMigration.get()?.name as string | null);
  };
  let lastMigration: ReturnType<Connection['raw']['prepare']> | undefined;

  const sessionOf = (connection: Connection, release: () => void): Session => ({
    queries: connection.queries,
    begin: () => {
      if (connection === writer) meetSchema(connection);
      else connection.raw.exec('begin');
    },
    ask: async (questions) => {
      // Also for callers that ask one question after another.
      await takeTurns();
      const results: unknown[][][] = [];
      for (const { lookup, teamId, keys } of questions) {
        const rows: unknown[][] = [];
        for (const key of keys) {
          if (lookup.isLong || rows.length % LIMITS.rowsPerTurnCheck === LIMITS.rowsPerTurnCheck - 1) await takeTurns();
          rows.push(
            lookup.isLong ? await connection.findInTurns(lookup, teamId, key) : connection.find(lookup, teamId, key),
          );
        }
        results.push(rows);
      }
      return results;
    },
    send: async (writes) => {
      for (const { write, teamId, rows } of writes) {
        for (const [index, row] of rows.entries()) {
          if (index % LIMITS.rowsPerTurnCheck === LIMITS.rowsPerTurnCheck - 1) await takeTurns();
          if (connection.write(write, teamId, row) === 0 && requiresRows(write))
            throw new Collision(`a row of ${write.table} is missing`);
        }
      }
    },
    // A writer has the whole database to itself.
    exclude: async () => {},
    commit: async () => {
      connection.raw.exec('commit');
      syncer.committed();
    },
    durable: syncer.durable,
    end: () => {
      try {
        rollBack(connection.raw);
      } finally {
        // Whatever fails, others must not wait for the connection forever.
        release();
      }
    },
  });

  const pools = { group: writers, apart: writers, transaction: writers, read: readers, urgent: urgentReaders };
  const acquire = async (purpose: Purpose): Promise<{ connection: Connection; session: Session }> => {
    fence.pass();
    const pool = pools[purpose];
    const connection = await pool.acquire();
    const session = sessionOf(connection, () => pool.release(connection));
    if (pool !== writers) return { connection, session };
    try {
      await beginWriting(connection.raw);
      return { connection, session };
    } catch (error) {
      session.end();
      throw error;
    }
  };

  const turnsToWrite = createFairQueue(1);
  const driver: Driver = {
    queues: {
      group: turnsToWrite,
      apart: turnsToWrite,
      transaction: turnsToWrite,
      read: createFairQueue(LIMITS.sqliteReaders),
      urgent: createFairQueue(LIMITS.sqliteUrgentReaders),
    },
    open: async (purpose) => (await acquire(purpose)).session,
    // A key that a command saw as free was taken by another command of its group.
    isCollision: (error) => COLLISION_CODES.has(codeOf(error)),
    isBlocked: () => false,
    translate: (error) => (UNAVAILABLE_CODES.has(codeOf(error) & 0xff) ? unavailable(error) : error),
  };
  const prober = createProber(path, writers.isBusy);
  const watch = createWriteWatch({
    write: async (failure) => {
      if (!(await prober.write(failure))) return false;
      syncer.committed();
      await syncer.durable();
      return true;
    },
  });
  const units = createUnits(driver, observed, watch);

  /** Runs in a transaction, which is rolled back unless it is committed. */
  const within = async <T>(
    purpose: Purpose,
    use: (connection: Connection, session: Session) => Promise<T>,
  ): Promise<T> => {
    const { connection, session } = await acquire(purpose);
    try {
      session.begin();
      return await use(connection, session);
    } finally {
      session.end();
    }
  };

  /** Waits for its turn like others that write. */
  const updateStatistics = async (): Promise<void> => {
    const connection = await writers.acquire();
    try {
      await setStatistics(connection.raw);
    } finally {
      writers.release(connection);
    }
  };

  return {
    engine: 'sqlite',
    acrossTeamsMs: 0,
    write: units.write as Database['write'],
    transaction: units.transaction as Database['transaction'],
    read: units.read as Database['read'],
    readUrgent: units.readUrgent as Database['readUrgent'],
    migrate: async (given = migrations) => {
      const state = await readSchema(writer.queries, 'sqlite');
      const run = () => migrate(writer.queries, 'sqlite', { migrations: given });
      if (state === undefined) await run();
      else if (pendingOf(state, given).length > 0) {
        readers.closeIdle();
        urgentReaders.closeIdle();
        await exclusively(path, writer, run);
      }
      await updateStatistics();
    },
    expand: async () => {
      if ((await readSchema(writer.queries, 'sqlite')) === undefined)
        await migrate(writer.queries, 'sqlite', { migrations });
      else
        await within('transaction', async ({ queries }, session) => {
          await expand(queries, 'sqlite', { migrations });
          await session.commit();
        });
      await syncer.durable();
      await updateStatistics();
    },
    assertSchema: fence.pass,
    hasCompleted: fence.hasCompleted,
    checkSchema: async () => {
      fence.pass();
      await units.readUrgent(NO_TEAM, async ({ queries }) => {
        const { rows } = await sql.raw<{ name: string | null }>(LAST_MIGRATION).execute(queries);
        fence.met(rows[0]?.name);
      });
    },
    snapshot: (use) => within('read', (connection) => use(snapshotOn(connection))),
    load: async (use) => {
      const value = await within('transaction', async (connection, session) => {
        const used = await use(loadOn(connection));
        await session.commit();
        return used;
      });
      await syncer.durable();
      // Recreated tables have no statistics.
      await updateStatistics();
      return value;
    },
    // The file belongs to one process, so there is no connection limit.
    checkConnections: async () => {},
    // Its owner holds a lock.
    others: async () => 0,
    ready: watch.check,
    oldestCommitMs: watch.oldestCommitMs,
    // SQLite needs no maintenance, but without writes nothing else checks the files.
    maintain: async () => checkFiles(),
    removeBefore: (table, beforeMs, shouldContinue) =>
      removeBefore(units.transaction as Database['transaction'], table, beforeMs, shouldContinue),
    onEvents: (listener) => {
      observed.eventsOf = listener;
    },
    observe: (observer) => {
      observed.by = observer;
    },
    close: async () => {
      await units.idle();
      await syncer.durable();
      await checkpointer.close();
      syncer.close();
      readers.close();
      urgentReaders.close();
      prober.close();
      writer.raw.close();
      lock?.close();
    },
  };
};
