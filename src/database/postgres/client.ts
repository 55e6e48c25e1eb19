import { Socket } from 'node:net';
import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import pg from 'pg';
import { LIMITS } from '../../limits.ts';
import { createQueries } from '../kysely.ts';
import type { Tables } from '../tables.ts';
import type { Queries } from '../work.ts';
import { READ_ONLY, ReadOnlyServer } from './errors.ts';
import type { Statement } from './statements.ts';

/** Times and counts are bigint; all of them are far below 2^53, so they are numbers here as on SQLite. */
const parsers = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.INT8, Number],
  [pg.types.builtins.NUMERIC, Number],
]);
export const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => parsers.get(oid) ?? pg.types.getTypeParser(oid, format as 'text'),
};

/** Whoever migrates holds a lock of the whole database already, one that ends with its transaction. */
class Adapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

/** Those of a transaction that only reads say nothing of the server. */
const ACCEPTS_WRITES: Statement = {
  name: 'itemwright_accepts_writes',
  text: `select not pg_is_in_recovery() and current_setting('default_transaction_read_only') = 'off'`,
};

/**
 * A connection that sends statements as they come, without waiting for the answers of those before, and what is asked for
 * in one turn of the event loop in one go: each message by itself would cost a call to the system, here and at the server.
 */
export class Client extends pg.Client {
  readonly #socket: Socket;
  #queries: Queries | undefined;
  #isHeldBack = false;
  #warnings = 0;
  #metReadOnly = false;

  constructor(config: pg.ClientConfig = {}) {
    const socket = new Socket();
    super({ ...config, stream: () => socket, pipeline: true } as pg.ClientConfig);
    this.#socket = socket;
    // The query under way fails by itself when a connection breaks; without a listener this would end the process.
    this.on('error', () => {});
    this.on('notice', ({ severity }) => {
      if (severity === 'WARNING') this.#warnings += 1;
    });
    this.connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === READ_ONLY) this.#metReadOnly = true;
    });
  }

  /** How often the server has warned of something. */
  get warnings(): number {
    return this.#warnings;
  }

  /** Whether the server has refused a write because it accepts none. */
  get metReadOnly(): boolean {
    return this.#metReadOnly;
  }

  /** How much the server has said so far. */
  get bytesRead(): number {
    return this.#socket.bytesRead;
  }

  /** Fails where the server is a standby, or accepts no writes for another reason. */
  async assertAcceptsWrites(): Promise<void> {
    const { rows } = await this.run(ACCEPTS_WRITES);
    if (rows[0]?.[0] === true) return;
    this.#metReadOnly = true;
    throw new ReadOnlyServer();
  }

  /** Runs a statement that the server keeps prepared; rows are lists of values. */
  run({ name, text }: Statement, values: unknown[] = []): Promise<pg.QueryArrayResult<unknown[]>> {
    this.#holdBack();
    return this.query<unknown[]>({ name, text, values, rowMode: 'array' });
  }

  /** The same with rows as objects. */
  find({ name, text }: Statement, values: unknown[]): Promise<pg.QueryResult> {
    this.#holdBack();
    return this.query({ name, text, values });
  }

  /** Runs a command that begins or ends a transaction. */
  control(text: string): Promise<pg.QueryResult> {
    this.#holdBack();
    return this.query(text);
  }

  /** Builds queries that run on this connection. */
  get queries(): Queries {
    this.#queries ??= createQueries<Tables>({
      adapter: new Adapter(),
      compiler: new PostgresQueryCompiler(),
      introspector: (db) => new PostgresIntrospector(db),
      run: async (text, values) => {
        const { rows, rowCount } = await this.query(text, values as unknown[]);
        return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
      },
    });
    return this.#queries;
  }

  /** Breaks the connection off, whatever it is at. What it was asked fails with the reason. */
  abort(reason: Error): void {
    this.connection.stream.destroy(reason);
    // With TLS that is another stream.
    this.#socket.destroy();
  }

  /** Takes leave of the server, but does not wait long for one that does not answer. */
  leave(): void {
    this.end().catch(() => {});
    setTimeout(() => this.#socket.destroy(), LIMITS.postgresLeaveMs).unref();
  }

  #holdBack(): void {
    if (this.#isHeldBack) return;
    this.#isHeldBack = true;
    this.#socket.cork();
    process.nextTick(() => {
      this.#isHeldBack = false;
      this.#socket.uncork();
    });
  }
}
