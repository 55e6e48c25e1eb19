import { randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { ServiceError, unavailable } from '../errors.ts';
import { Collision } from './collision.ts';
import type { Database, Transaction } from './database.ts';
import { openLedger } from './deferred.ts';
import { migrate } from './migrate.ts';
import { bindConnection } from './statement.ts';
import type { Tables } from './tables.ts';

const POOL_SIZE = 16;
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 15_000;
const ATTEMPTS = 20;
const BACKOFF_MS = 5;

/** The lowest number that no living connection holds; the lock goes with the connection. */
const CLAIM_SHARD = `select set_config('itemwright.shard', shard::text, false)
  from (select shard from generate_series(0, 9999) shard where pg_try_advisory_lock(8090142, shard) limit 1) free`;

/** Times and counts are bigint; all of them are far below 2^53, so they are numbers here as on SQLite. */
const parsers = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.INT8, Number],
  [pg.types.builtins.NUMERIC, Number],
]);
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    parsers.get(oid) ?? pg.types.getTypeParser(oid, format as 'text'),
};

/**
 * What another transaction may have caused: a serialisation failure, a deadlock, or a key that was taken or removed
 * between a command's check and its write (23001 is what PostgreSQL 18 calls a row kept by `on delete restrict`). Run
 * again, the command sees what the other did and answers accordingly.
 */
const RETRIED_CODES = new Set(['40001', '40P01', '23505', '23503', '23001']);

const isCollision = (error: unknown): boolean => error instanceof Collision || RETRIED_CODES.has(codeOf(error) ?? '');

/** The server is away, starting, stopping or full, or a statement waited too long. */
const isUnavailable = (code: string | undefined, error: Error): boolean =>
  code === undefined
    ? /connection|timeout|terminated|not queryable/i.test(error.message)
    : /^(08|53|57|58)/.test(code) || /^E(CONN|PIPE|HOSTUNREACH|NETUNREACH|TIMEDOUT|NOTFOUND|AI_AGAIN)/.test(code);

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;

const translate = (error: unknown): unknown => {
  if (!(error instanceof Error) || error instanceof ServiceError) return error;
  return isUnavailable(codeOf(error), error) ? unavailable(error) : error;
};

/** A pool of just this connection, for a builder that is to use no other. */
const poolOf = (client: pg.PoolClient) => ({
  connect: async () => ({ query: client.query.bind(client), release: () => {} }) as unknown as pg.PoolClient,
  end: async () => {},
  options: {},
  Client: pg.Client,
});

export const openPostgres = (url: string): Database => {
  const pool = new pg.Pool({
    connectionString: url,
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    application_name: 'itemwright',
    types,
  });
  // An idle connection that breaks is replaced on the next use; without a listener it would end the process.
  pool.on('error', () => {});
  // Each connection, on whatever node, counts in a shard of its own while it lives: transactions never wait for a counter.
  pool.on('connect', (client) => {
    // The query under way fails by itself when a connection breaks; the connection tells it once more.
    client.on('error', () => {});
    client.query(CLAIM_SHARD).catch(() => {});
  });
  const queries = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });

  // Builders are made once for each connection; what they build runs on that connection alone.
  const builders = new WeakMap<pg.PoolClient, Kysely<Tables>>();
  const builderOf = (client: pg.PoolClient): Kysely<Tables> => {
    const known = builders.get(client);
    if (known !== undefined) return known;
    const builder = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: poolOf(client) }) });
    bindConnection(builder, {
      engine: 'postgres',
      run: async (name, text, values) => (await client.query({ name, text, values })).rows,
    });
    builders.set(client, builder);
    return builder;
  };

  const inTransaction = async <T>(begin: string, work: (queries: Kysely<Tables>) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      await client.query(begin);
      const value = await work(builderOf(client));
      const { command } = await client.query('commit');
      // An aborted transaction answers its commit with a rollback, and no error.
      if (command === 'ROLLBACK') throw new Error('the transaction was aborted by an error that nobody passed on');
      return value;
    } catch (error) {
      await client.query('rollback').catch((fault: Error) => {
        broken = fault;
      });
      throw error;
    } finally {
      // A connection that cannot even roll back is thrown away.
      client.release(broken);
    }
  };

  const write: Database['write'] = async (command) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await inTransaction('begin', async (queries) => {
          const tx = queries as unknown as Transaction;
          const ledger = openLedger(tx);
          const value = await command(tx);
          await ledger.finish(tx);
          return value;
        });
      } catch (error) {
        if (attempt === ATTEMPTS || !isCollision(error)) throw translate(error);
        // Those who collided would collide again if they all came back at once.
        await setTimeout(randomInt(BACKOFF_MS * attempt));
      }
    }
  };

  const read: Database['read'] = async (query) => {
    try {
      return await inTransaction('start transaction isolation level repeatable read read only', query);
    } catch (error) {
      throw translate(error);
    }
  };

  return {
    engine: 'postgres',
    write,
    read,
    migrate: async (migrations) => {
      // Kysely's own lock is taken after it made its tables; two nodes that make them at once would collide.
      await queries.connection().execute(async (connection) => {
        // A large table may take its time, and so may the node that came first.
        await sql`set statement_timeout = 0`.execute(connection);
        await sql`select pg_advisory_lock(8090141)`.execute(connection);
        try {
          await migrate(connection as never, 'postgres', migrations);
        } finally {
          await sql`select pg_advisory_unlock(8090141)`.execute(connection);
          await sql`reset statement_timeout`.execute(connection);
        }
      });
    },
    close: () => queries.destroy(),
  };
};
