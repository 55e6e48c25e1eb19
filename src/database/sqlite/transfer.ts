/** Reads and fills a whole SQLite database. */
import type { CompiledQuery } from 'kysely';
import { inBatches } from '../batches.ts';
import { MIGRATION_TABLES, migrateWithin, readSchema } from '../migrate.ts';
import { TABLES } from '../tables.ts';
import type { Load, Snapshot, Table, Value } from '../work.ts';
import type { Connection } from './connection.ts';
import { iterateLists } from './driver.ts';

const quoted = (name: string): string => `"${name}"`;
const list = (names: readonly string[]): string => names.map(quoted).join(', ');

/** A snapshot within the transaction that is open on a connection. */
export const snapshotOn = ({ raw, queries }: Connection): Snapshot => {
  // A new statement each time, since one statement cannot be at two rows at once.
  async function* stream(text: string, parameters: readonly unknown[], asLists: boolean): AsyncGenerator<object[]> {
    const statement = raw.prepare(text);
    const values = parameters as Value[];
    yield* inBatches(asLists ? iterateLists(statement, values) : (statement.iterate(...values) as Iterable<object>));
  }

  const table = (name: string): Table | undefined => {
    const found = raw.prepare('select name, type, pk from pragma_table_info(?) order by cid').all(name);
    if (found.length === 0) return undefined;
    const ofKey = found.filter(({ pk }) => pk !== 0).sort((a, b) => Number(a.pk) - Number(b.pk));
    return {
      name,
      columns: found.map((column) => ({ name: String(column.name), type: String(column.type) })),
      key: ofKey.map((column) => String(column.name)),
    };
  };

  return {
    queries,
    table: async (name) => table(name),
    schema: () => readSchema(queries, 'sqlite'),
    rows: ({ name, columns, key }) => {
      const text = `select ${list(columns.map((column) => column.name))} from ${quoted(name)} order by ${list(key)}`;
      return stream(text, [], true) as AsyncGenerator<Value[][]>;
    },
    stream: <Row>({ sql, parameters }: CompiledQuery<Row>) => stream(sql, parameters, false) as AsyncGenerator<Row[]>,
  };
};

/** The same for a transaction that may write. */
export const loadOn = (connection: Connection): Load => {
  const { raw, queries } = connection;
  const newestFirst = [...TABLES].reverse();
  return {
    ...snapshotOn(connection),
    insert: async ({ name, columns }, rows) => {
      const places = columns.map(() => '?').join(', ');
      const names = list(columns.map((column) => column.name));
      const statement = raw.prepare(`insert into ${quoted(name)} (${names}) values (${places})`);
      for (const row of rows) statement.run(...row);
    },
    clear: async () => {
      for (const name of newestFirst) raw.exec(`delete from ${quoted(name)}`);
    },
    rebuild: async (schema) => {
      for (const name of [...newestFirst, ...MIGRATION_TABLES]) raw.exec(`drop table if exists ${quoted(name)}`);
      await migrateWithin(queries, 'sqlite', { to: schema });
    },
    upgrade: () => migrateWithin(queries, 'sqlite'),
  };
};
