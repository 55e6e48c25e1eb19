import { randomInt } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { ServiceError, unavailable } from '../errors.ts';
import { Collision } from './collision.ts';
import type { Database, Transaction } from './database.ts';
import { type Ledger, openLedger } from './deferred.ts';
import { migrate } from './migrate.ts';
import { inPassing, openPassing } from './passing.ts';
import { bindConnection } from './statement.ts';
import type { Tables } from './tables.ts';

const POOL_SIZE = 16;
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 15_000;
const ATTEMPTS = 20;
const BACKOFF_MS = 5;

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

/**
 * Sends what is asked for in one turn of the event loop in one go: each message by itself would cost a call to the
 * system, here and at the server.
 */
const sendTogether = (client: pg.PoolClient): pg.PoolClient['query'] => {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  let isHeld = false;
  const release = (): void => {
    isHeld = false;
    stream.uncork();
  };
  return ((...query: Parameters<pg.PoolClient['query']>) => {
    if (!isHeld) {
      isHeld = true;
      stream.cork();
      process.nextTick(release);
    }
    return client.query(...query);
  }) as never;
};

/** What belongs to one connection, which transactions use one after another. */
interface Session {
  readonly send: pg.PoolClient['query'];
  readonly queries: Kysely<Tables>;
  readonly ledger: Ledger;
  readonly passing: ReturnType<typeof openPassing>;
  /** Whether a transaction is under way to whose end statements may be sent. */
  isOpen: boolean;
}

export const openPostgres = (url: string): Database => {
  const pool = new pg.Pool({
    connectionString: url,
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    application_name: 'itemwright',
    types,
    pipeline: true,
  } as pg.PoolConfig);
  // An idle connection that breaks is replaced on the next use; without a listener it would end the process.
  pool.on('error', () => {});
  // The query under way fails by itself when a connection breaks; the connection tells it once more.
  pool.on('connect', (client) => client.on('error', () => {}));
  const queries = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });

  // Builders are made once for each connection; what they build runs on that connection alone.
  const sessions = new WeakMap<pg.PoolClient, Session>();
  const sessionOf = (client: pg.PoolClient): Session => {
    const known = sessions.get(client);
    if (known !== undefined) return known;
    const builder = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: poolOf(client) }) });
    const send = sendTogether(client);
    const session: Session = {
      send,
      queries: builder,
      ledger: openLedger(builder),
      passing: openPassing(builder),
      isOpen: false,
    };
    bindConnection(builder, {
      engine: 'postgres',
      run: async (name, text, values) => {
        if (!session.isOpen) throw new Error('a statement came after the end of its transaction');
        return (await send({ name, text, values })).rows;
      },
    });
    sessions.set(client, session);
    return session;
  };

  /**
   * Statements are sent as they come, without waiting for the answers of those before. So the beginning of a transaction
   * travels with its first statement, and its end with whatever its command left to the end.
   */
  const inTransaction = async <T>(begin: string, work: (queries: Kysely<Tables>) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    const session = sessionOf(client);
    const { send, queries: builder, ledger, passing } = session;
    let broken: Error | undefined;
    try {
      session.isOpen = true;
      inPassing(builder as Transaction, send(begin));
      const value = await work(builder);
      ledger.finish(builder as Transaction);
      session.isOpen = false;
      const committed = send('commit');
      committed.catch(() => {});
      await passing.settle();
      // An aborted transaction answers its commit with a rollback, and no error.
      if ((await committed).command === 'ROLLBACK')
        throw new Error('the transaction was aborted by an error that nobody passed on');
      return value;
    } catch (error) {
      session.isOpen = false;
      ledger.rewind(0);
      const first = await passing.settle().then(
        () => error,
        (earlier: unknown) => earlier,
      );
      await client.query('rollback').catch((fault: Error) => {
        broken = fault;
      });
      throw first;
    } finally {
      // A connection that cannot even roll back is thrown away.
      client.release(broken);
    }
  };

  const write: Database['write'] = async (command) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await inTransaction('begin', (builder) => command(builder as Transaction));
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

  const alone: Database['alone'] = async (statement) => {
    try {
      const client = await pool.connect();
      const session = sessionOf(client);
      try {
        session.isOpen = true;
        return await statement(session.queries);
      } finally {
        session.isOpen = false;
        // The pool throws a connection away that broke.
        client.release();
      }
    } catch (error) {
      throw translate(error);
    }
  };

  return {
    engine: 'postgres',
    write,
    alone,
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
    // Not left to the query builder, which closes only what it has used itself.
    close: () => pool.end(),
  };
};
