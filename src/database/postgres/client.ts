import { Socket } from 'node:net';
import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import pg from 'pg';
import { createQueries } from '../kysely.ts';
import type { Tables } from '../tables.ts';
import type { Queries } from '../work.ts';
import type { Statement } from './statements.ts';

/** Times and counts are bigint; all of them are far below 2^53, so they are numbers here as on SQLite. */
const parsers = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.INT8, Number],
  [pg.types.builtins.NUMERIC, Number],
]);
export const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => parsers.get(oid) ?? pg.types.getTypeParser(oid, format as 'text'),
};

/**
 * A connection that sends statements as they come, without waiting for the answers of those before, and what is asked for
 * in one turn of the event loop in one go: each message by itself would cost a call to the system, here and at the server.
 */
export class Client extends pg.Client {
  readonly #socket: Socket;
  #queries: Queries | undefined;
  #isHeldBack = false;

  constructor(config: pg.ClientConfig = {}) {
    const socket = new Socket();
    super({ ...config, stream: () => socket, pipeline: true } as pg.ClientConfig);
    this.#socket = socket;
    // The query under way fails by itself when a connection breaks; without a listener this would end the process.
    this.on('error', () => {});
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
      adapter: new PostgresAdapter(),
      compiler: new PostgresQueryCompiler(),
      introspector: (db) => new PostgresIntrospector(db),
      run: async (text, values) => {
        const { rows, rowCount } = await this.query(text, values as unknown[]);
        return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
      },
    });
    return this.#queries;
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
