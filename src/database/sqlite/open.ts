import { sql } from 'kysely';
import { unavailable } from '../../errors.ts';
import { LIMITS } from '../../limits.ts';
import { takeTurns } from '../../turns.ts';
import { requiresRows } from '../declarations.ts';
import { createFairQueue } from '../fair-queue.ts';
import { migrate } from '../migrate.ts';
import type { Purpose } from '../observer.ts';
import { unobserved } from '../observer.ts';
import { createUnits } from '../queue.ts';
import type { Driver, Session } from '../session.ts';
import { Collision, type Database, NO_TEAM } from '../work.ts';
import { type Connection, connect } from './connection.ts';
import { rollBack } from './driver.ts';
import { createFileWatch, prepareFile, restrictFiles } from './file.ts';
import { removeBefore } from './removal.ts';
import { setStatistics } from './statistics.ts';
import { createSyncer } from './syncer.ts';
import { loadOn, snapshotOn } from './transfer.ts';

/** Infrastructure errors: the file is locked by another process, or the disk is full or broken. */
const UNAVAILABLE_CODES = new Set([5, 6, 10, 13, 14]);
/** Foreign key, restricted deletion, primary key, unique key. */
const COLLISION_CODES = new Set([787, 1811, 1555, 2067]);
const NOT_A_DATABASE = 26;

const codeOf = (error: unknown): number =>
  error instanceof Error && 'errcode' in error ? Number(error.errcode) : Number.NaN;

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

/** One connection writes, for all writers in turn; the others read committed data. */
export const openSqlite = (given: string): Database => {
  const path = prepareFile(given);
  const writer = connectFirst(path);
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
  const syncer = createSyncer(path, {
    synced: (tookMs) => {
      checkFiles();
      observed.by.synced(tookMs);
    },
    failed: stopAfterFailedSync,
  });

  const sessionOf = (connection: Connection, begin: string, release: () => void): Session => ({
    queries: connection.queries,
    begin: () => connection.raw.exec(begin),
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
    const pool = pools[purpose];
    const connection = await pool.acquire();
    const begin = pool === writers ? 'begin immediate' : 'begin';
    return { connection, session: sessionOf(connection, begin, () => pool.release(connection)) };
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
  const units = createUnits(driver, observed);

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

  return {
    engine: 'sqlite',
    write: units.write as Database['write'],
    transaction: units.transaction as Database['transaction'],
    read: units.read as Database['read'],
    readUrgent: units.readUrgent as Database['readUrgent'],
    migrate: async (migrations) => {
      await migrate(writer.queries, 'sqlite', { migrations });
      setStatistics(writer.raw);
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
      setStatistics(writer.raw);
      return value;
    },
    // The file belongs to one process, so there is no connection limit.
    checkConnections: async () => {},
    ready: async () => {
      await units.read(NO_TEAM, ({ queries }) => sql`select 1`.execute(queries));
    },
    // SQLite needs no maintenance, but without writes nothing else checks the files.
    maintain: async () => checkFiles(),
    removeBefore: (table, beforeMs, shouldContinue) =>
      removeBefore(units.transaction as Database['transaction'], table, beforeMs, shouldContinue),
    observe: (observer) => {
      observed.by = observer;
    },
    close: async () => {
      await units.idle();
      await syncer.durable();
      syncer.close();
      readers.close();
      urgentReaders.close();
      writer.raw.close();
    },
  };
};
