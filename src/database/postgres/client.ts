import { Socket } from 'node:net';
import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import pg from 'pg';
import { LIMITS } from '../../shared/limits.ts';
import { createQueries } from '../kysely.ts';
import type { Tables } from '../tables.ts';
import type { Queries } from '../work.ts';
import { READ_ONLY, ReadOnlyServer } from './errors.ts';
import type { Statement } from './statements.ts';

/** Times and counts are bigint; all of them are far below 2^53, so they become numbers, as on SQLite. */
const parsers = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.INT8, Number],
  [pg.types.builtins.NUMERIC, Number],
]);
export const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => parsers.get(oid) ?? pg.types.getTypeParser(oid, format as 'text'),
};

/** The caller already holds a lock on the whole database, which ends with its transaction. */
class Adapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

/** The settings of a read-only transaction do not tell whether the server accepts writes. */
const ACCEPTS_WRITES: Statement = {
  name: 'itemwright_accepts_writes',
  text: `select not pg_is_in_recovery() and current_setting('default_transaction_read_only') = 'off'`,
};

/**
 * A connection that pipelines statements: it does not wait for earlier results, and sends all statements of one event
 * loop turn in one write. A write per message would cost a system call each, here and on the server.
 */
export class Client extends pg.Client {
  readonly #socket: Socket;
  #queries: Queries | undefined;
  #isCorked = false;
  #warnings = 0;
  /** Whether the server belongs to a Citus cluster; known once the connection is open. */
  isCitus = false;
  #metReadOnly = false;

  constructor(config: pg.ClientConfig = {}) {
    const socket = new Socket();
    super({ ...config, stream: () => socket, pipeline: true } as pg.ClientConfig);
    this.#socket = socket;
    // The running query fails anyway when a connection breaks; without a listener the process would crash.
    this.on('error', () => {});
    this.on('notice', ({ severity }) => {
      if (severity === 'WARNING') this.#warnings += 1;
    });
    this.connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === READ_ONLY) this.#metReadOnly = true;
    });
  }

  /** The number of warnings received from the server. */
  get warnings(): number {
    return this.#warnings;
  }

  /** Whether the server has rejected a write because it is read-only. */
  get metReadOnly(): boolean {
    return this.#metReadOnly;
  }

  /** The number of bytes received from the server. */
  get bytesRead(): number {
    return this.#socket.bytesRead;
  }

  /** Fails if the server is a standby, or does not accept writes for another reason. */
  async assertAcceptsWrites(): Promise<void> {
    const { rows } = await this.run(ACCEPTS_WRITES);
    if (rows[0]?.[0] === true) return;
    this.#metReadOnly = true;
    throw new ReadOnlyServer();
  }

  /** Runs a prepared statement; rows are lists of values. */
  run({ name, text }: Statement, values: unknown[] = []): Promise<pg.QueryArrayResult<unknown[]>> {
    this.#corkUntilNextTick();
    return this.#send({ name, text, values, rowMode: 'array' });
  }

  /** Like `run`, with rows as objects. */
  find({ name, text }: Statement, values: unknown[]): Promise<pg.QueryResult> {
    this.#corkUntilNextTick();
    return this.#send({ name, text, values });
  }

  /** Runs a command that begins or ends a transaction. */
  control(text: string): Promise<pg.QueryResult> {
    this.#corkUntilNextTick();
    return this.#send({ text });
  }

  /** Builds queries that run on this connection. */
  get queries(): Queries {
    this.#queries ??= createQueries<Tables>({
      adapter: new Adapter(),
      compiler: new PostgresQueryCompiler(),
      introspector: (db) => new PostgresIntrospector(db),
      run: async (text, values) => {
        const { rows, rowCount } = await this.#send({ text, values: values as unknown[] });
        return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
      },
    });
    return this.#queries;
  }

  /** Breaks the connection, whatever it is doing. Pending queries fail with the reason. */
  abort(reason: Error): void {
    this.connection.stream.destroy(reason);
    // With TLS, the stream is a different one.
    this.#socket.destroy();
  }

  /** Closes the connection, without waiting long for a server that does not respond. */
  disconnect(): void {
    this.end().catch(() => {});
    setTimeout(() => this.#socket.destroy(), LIMITS.postgresDisconnectMs).unref();
  }

  /**
   * The driver's own promises keep results alive until the next full collection of garbage: collections of the young
   * generation then copy all rows that were ever read. With a callback they do not.
   */
  #send<Result = pg.QueryResult>(query: pg.QueryConfig | pg.QueryArrayConfig): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.query(query, (error: Error | null, result: unknown) => (error ? reject(error) : resolve(result as Result)));
    });
  }

  #corkUntilNextTick(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#socket.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      this.#socket.uncork();
    });
  }
}
