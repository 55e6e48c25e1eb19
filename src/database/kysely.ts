import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  type Driver,
  Kysely,
  type QueryCompiler,
  type QueryResult,
} from 'kysely';

/** What it takes to build queries for an engine and run them on one connection. */
export interface QueryParts {
  readonly adapter: DialectAdapter;
  readonly compiler: QueryCompiler;
  readonly introspector: Dialect['createIntrospector'];
  run(sql: string, parameters: readonly unknown[]): Promise<QueryResult<unknown>>;
}

/** Creates a query builder whose queries all run on one connection, in whatever transaction is open there. */
export const createQueries = <Tables>({ adapter, compiler, introspector, run }: QueryParts): Kysely<Tables> => {
  const connection: DatabaseConnection = {
    executeQuery: <R>({ sql, parameters }: CompiledQuery) => run(sql, parameters) as Promise<QueryResult<R>>,
    streamQuery: () => {
      throw new Error('streaming queries is not supported');
    },
  };
  const execute = async (sql: string): Promise<void> => {
    await connection.executeQuery(CompiledQuery.raw(sql));
  };
  // Only migrations begin transactions through Kysely.
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    beginTransaction: () => execute('begin'),
    commitTransaction: () => execute('commit'),
    rollbackTransaction: () => execute('rollback'),
    releaseConnection: async () => {},
    destroy: async () => {},
  };
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => adapter,
      createDriver: () => driver,
      createQueryCompiler: () => compiler,
      createIntrospector: introspector,
    },
  });
};
