/** Reads and fills a whole PostgreSQL database. */
import type { CompiledQuery } from 'kysely';
import { LIMITS } from '../../shared/limits.ts';
import { nextBatchRows } from '../batches.ts';
import { MIGRATION_TABLES, migrateWithin, readSchema } from '../migrate.ts';
import { TABLES } from '../tables.ts';
import type { Load, Snapshot, Table, Value } from '../work.ts';
import { arrayOf } from './arrays.ts';
import type { Client } from './client.ts';
import { isCollision } from './errors.ts';
import { currentSchema } from './schema.ts';
import { list, quoted } from './statements.ts';

/**
 * No time limit, since this takes as long as it takes. Cursors are read to the end, so they must be planned for all of
 * their rows; and numbers need all of their digits, whatever the settings of the server.
 */
const SETTINGS = `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
  set local cursor_tuple_fraction = 1; set local extra_float_digits = 1`;

const COLUMNS = `select attname as name, format_type(atttypid, null) as type, array_position(indkey::int2[], attnum) as place
  from pg_attribute left join pg_index on indrelid = attrelid and indisprimary
  where attrelid = to_regclass(quote_ident($1)) and attnum > 0 and not attisdropped order by attnum`;

interface Column {
  readonly name: string;
  readonly type: string;
  readonly place: number | null;
}

/** Reads keys in byte order, as SQLite does, whatever the collation of the database. */
const keyOf = ({ columns, key }: Table): string =>
  key
    .map((name) =>
      columns.find((column) => column.name === name)?.type === 'text' ? `${quoted(name)} collate "C"` : quoted(name),
    )
    .join(', ');

/** A snapshot within the transaction that is open on a connection. */
const snapshotOn = (client: Client): Snapshot => {
  let cursors = 0;

  async function* stream(text: string, parameters: readonly unknown[], asLists: boolean): AsyncGenerator<object[]> {
    cursors += 1;
    const cursor = `itemwright_${cursors}`;
    await client.query(`declare ${cursor} no scroll cursor for ${text}`, parameters as unknown[]);
    try {
      // The first rows show how large the others may be.
      for (let count = 1; ; ) {
        const text = `fetch ${count} from ${cursor}`;
        const { rows } = await (asLists
          ? client.query<unknown[]>({ text, rowMode: 'array' })
          : client.query<object>(text));
        if (rows.length > 0) yield rows;
        if (rows.length < count) return;
        count = Math.min(count * 10, nextBatchRows(rows));
      }
    } finally {
      // After an error the cursor is already closed; that error is the one to report.
      await client.query(`close ${cursor}`).catch(() => {});
    }
  }

  const table = async (name: string): Promise<Table | undefined> => {
    const { rows } = await client.query<Column>(COLUMNS, [name]);
    if (rows.length === 0) return undefined;
    const ofKey = rows.filter(({ place }) => place !== null).sort((a, b) => Number(a.place) - Number(b.place));
    return { name, columns: rows, key: ofKey.map((column) => column.name) };
  };

  return {
    queries: client.queries,
    table,
    schema: () => readSchema(client.queries, 'postgres'),
    rows: (table) => {
      const names = list(table.columns.map(({ name }) => name));
      return stream(`select ${names} from ${quoted(table.name)} order by ${keyOf(table)}`, [], true) as AsyncGenerator<
        Value[][]
      >;
    },
    stream: <Row>({ sql, parameters }: CompiledQuery<Row>) => stream(sql, parameters, false) as AsyncGenerator<Row[]>,
  };
};

/** The same for a transaction that may write. */
const loadOn = (client: Client): Load => {
  const newestFirst = [...TABLES].reverse();
  return {
    ...snapshotOn(client),
    insert: async ({ name, columns }, rows) => {
      const names = list(columns.map((column) => column.name));
      const given = columns.map(({ type }, place) => `$${place + 1}::${type}[]`).join(', ');
      const values = columns.map(({ type }, place) =>
        arrayOf(
          type,
          rows.map((row) => row[place]),
        ),
      );
      await client.query(`insert into ${quoted(name)} (${names}) select * from unnest(${given})`, values);
    },
    // Not `truncate`: readers that began before would find the tables empty.
    clear: async () => {
      for (const name of newestFirst) await client.query(`delete from ${quoted(name)}`);
    },
    rebuild: async (schema) => {
      await client.query(`drop table if exists ${list([...newestFirst, ...MIGRATION_TABLES])}`);
      await migrateWithin(client.queries, 'postgres', {
        to: schema,
        schemaName: await currentSchema(client.queries),
      });
    },
    upgrade: async () => migrateWithin(client.queries, 'postgres', { schemaName: await currentSchema(client.queries) }),
  };
};

/** Discards everything. If even the rollback fails, the caller drops the connection because of the original error. */
const rollBack = async (client: Client): Promise<void> => {
  await client.query('rollback').catch(() => {});
};

export const takeSnapshot = async <T>(client: Client, use: (snapshot: Snapshot) => Promise<T>): Promise<T> => {
  await client.query('begin isolation level repeatable read read only');
  try {
    await client.query(SETTINGS);
    return await use(snapshotOn(client));
  } finally {
    await rollBack(client);
  }
};

/**
 * Keeps everyone out, including readers: a transaction that has read anything ends before this, and one that has not
 * begins after. So no command decides on the old data and writes to the new.
 */
const lockAll = async (client: Client): Promise<void> => {
  for (let collisions = 0; ; collisions += 1) {
    await client.query('begin isolation level read committed');
    await client.query(SETTINGS);
    await client.query(`set local lock_timeout = ${LIMITS.postgresLoadLockMs}`);
    try {
      await client.query(`lock table ${list(TABLES)} in access exclusive mode`);
      return;
    } catch (error) {
      await rollBack(client);
      if (!isCollision(error) || collisions === LIMITS.collisions) throw error;
    }
  }
};

/** Events that are written from now on come after all that were loaded. */
const continueNumbers = async (client: Client): Promise<void> => {
  const { rows } = await client.query("select 1 where to_regclass('events_number') is not null");
  if (rows.length > 0)
    await client.query(`select setval('events_number', greatest((select last_value from events_number),
      (select coalesce(max(number), 0) from events)) + 1)`);
};

export const fill = async <T>(client: Client, use: (load: Load) => Promise<T>): Promise<T> => {
  await lockAll(client);
  try {
    const value = await use(loadOn(client));
    await continueNumbers(client);
    const { command } = await client.query('commit');
    // The commit of an aborted transaction succeeds with the tag ROLLBACK instead of failing.
    if (command === 'ROLLBACK') throw new Error('the transaction was aborted by an error that was not reported');
    return value;
  } catch (error) {
    await rollBack(client);
    throw error;
  }
};
