import type { Compilable, Kysely } from 'kysely';
import type { Reader } from './database.ts';
import type { Tables } from './tables.ts';

/** What runs a finished statement on one connection, without a query builder in between. */
export interface Connection {
  readonly engine: string;
  /** Each statement has a name of its own, under which a server may keep it prepared. */
  run(name: string, sql: string, values: unknown[]): unknown[] | Promise<unknown[]>;
}

const connections = new WeakMap<object, Connection>();

/** Tells on which connection the queries of this builder run. */
export const bindConnection = (queries: object, connection: Connection): void => {
  connections.set(queries, connection);
};

const connectionOf = (queries: object): Connection => {
  const connection = connections.get(queries);
  if (connection === undefined) throw new Error('these queries are bound to no connection');
  return connection;
};

/** Stands in a query for a value that is given when the query runs: a member of one of the given rows. */
class Placeholder {
  readonly row: number;
  readonly member: string;

  constructor(row: number, member: string) {
    this.row = row;
    this.member = member;
  }
}

interface Compiled {
  readonly name: string;
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

type Build<Row> = (queries: Kysely<Tables>, rows: Row[]) => Compilable<unknown>;

/** Statements of a process are numbered, so that no two share a name. */
let compiledSoFar = 0;

const compileFor = <Row extends object>(build: Build<Row>, queries: Reader, count: number): Compiled => {
  const rows = Array.from({ length: count }, (_, row) => {
    return new Proxy({}, { get: (_target, member) => new Placeholder(row, String(member)) }) as Row;
  });
  const { sql, parameters } = build(queries, rows).compile();
  compiledSoFar += 1;
  return { name: `itemwright_${compiledSoFar}`, sql, parameters };
};

const runner = <Row extends object>(build: Build<Row>) => {
  // Engines spell a query each in their own way, and the number of rows is part of the text.
  const known = new Map<string, Compiled[]>();
  return (queries: Reader, rows: readonly Row[]): unknown[] | Promise<unknown[]> => {
    const connection = connectionOf(queries);
    let byCount = known.get(connection.engine);
    if (byCount === undefined) {
      byCount = [];
      known.set(connection.engine, byCount);
    }
    let compiled = byCount[rows.length];
    if (compiled === undefined) {
      compiled = compileFor(build, queries, rows.length);
      byCount[rows.length] = compiled;
    }
    const { name, sql, parameters } = compiled;
    const values = new Array<unknown>(parameters.length);
    for (let index = 0; index < parameters.length; index += 1) {
      const parameter = parameters[index];
      values[index] =
        parameter instanceof Placeholder
          ? (rows[parameter.row] as Record<string, unknown>)[parameter.member]
          : parameter;
    }
    return connection.run(name, sql, values);
  };
};

/**
 * A query that is built and compiled once, and then run with other values: for the paths where building it each time
 * costs more than running it. `build` gets placeholders where the values will stand.
 */
export const statement = <Values extends object, R>(
  build: (queries: Kysely<Tables>, values: Values) => Compilable<unknown>,
): ((queries: Reader, values: Values) => Promise<R[]>) => {
  const run = runner<Values>((queries, [values]) => build(queries, values as Values));
  return async (queries, values) => (await run(queries, [values])) as R[];
};

/** The most rows of one statement; more are written some at a time. */
const MOST_ROWS = 256;

/** The same for an insertion of many rows; it is compiled once for each number of rows. */
export const rowsStatement = <Row extends object>(
  build: Build<Row>,
): ((queries: Reader, rows: readonly Row[]) => Promise<void>) => {
  const run = runner(build);
  return async (queries, rows) => {
    if (rows.length === 0) return;
    if (rows.length <= MOST_ROWS) {
      await run(queries, rows);
      return;
    }
    const sent = [];
    // None waits for another, so that all of them are sent before whatever comes next.
    for (let start = 0; start < rows.length; start += MOST_ROWS)
      sent.push(run(queries, rows.slice(start, start + MOST_ROWS)));
    await Promise.all(sent);
  };
};
