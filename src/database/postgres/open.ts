import pg from 'pg';
import { LIMITS } from '../../limits.ts';
import type { Lookup, Write } from '../declarations.ts';
import { migrate } from '../migrate.ts';
import { createUnits } from '../queue.ts';
import type { Purpose, Session } from '../session.ts';
import { Collision, type Database } from '../work.ts';
import { Client, types } from './client.ts';
import { isBlocked, isCollision, translate } from './errors.ts';
import { analyzeGrown } from './maintenance.ts';
import {
  compileLookup,
  compileWrite,
  type LookupStatements,
  lookupValues,
  type Statement,
  writeValues,
} from './statements.ts';

/**
 * Lookups and writes name rows by key, so nothing but an index serves, also while a new table has no statistics yet. And a
 * group waits only so long for rows that another transaction has locked; then its commands run apart.
 */
const settingsFor = (lockTimeoutMs: number): Statement => ({
  name: `itemwright_settings_${lockTimeoutMs}`,
  text: `select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
    set_config('enable_mergejoin', 'off', true), set_config('lock_timeout', '${lockTimeoutMs}', true)`,
});

const SETTINGS: Record<Purpose, Statement | null> = {
  group: settingsFor(LIMITS.postgresGroupLockMs),
  apart: settingsFor(0),
  transaction: null,
  read: settingsFor(0),
};

const BEGIN: Record<Purpose, string> = {
  group: 'begin isolation level read committed',
  apart: 'begin isolation level read committed',
  transaction: 'begin isolation level read committed',
  read: 'begin isolation level repeatable read read only',
};

/** The same number in every process for the same lock of the same team. */
const LOCK = "hashtextextended($1::text || ' ' || $2::text, 0)";
const SHARE: Statement = { name: 'itemwright_share', text: `select pg_advisory_xact_lock_shared(${LOCK})` };
const EXCLUDE: Statement = { name: 'itemwright_exclude', text: `select pg_advisory_xact_lock(${LOCK})` };

/** The rows of each key, from rows that each begin with the number of their key. */
const rowsByKey = ({ rows, fields }: pg.QueryArrayResult<unknown[]>, keys: number): unknown[][] => {
  const found: Record<string, unknown>[][] = Array.from({ length: keys }, () => []);
  const names = fields.map(({ name }) => name);
  for (const values of rows) {
    const row: Record<string, unknown> = {};
    for (let index = 1; index < values.length; index += 1) row[names[index] as string] = values[index];
    found[(values[0] as number) - 1]?.push(row);
  }
  return found;
};

/** Waits for all, and fails with the first that failed. */
const settled = async <T>(promises: readonly (Promise<T> | T)[]): Promise<T[]> => {
  const outcomes = await Promise.allSettled(promises);
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
};

/** Statements are compiled once for each database, whatever connection they run on. */
const createStatements = () => {
  // A client that never connects only builds queries.
  const { queries } = new Client();
  const lookups = new Map<Lookup, LookupStatements>();
  const writes = new Map<Write<unknown>, Statement>();
  return {
    ofLookup: (lookup: Lookup): LookupStatements => {
      let statement = lookups.get(lookup);
      if (statement === undefined) {
        statement = compileLookup(lookup, queries);
        lookups.set(lookup, statement);
      }
      return statement;
    },
    ofWrite: (write: Write<unknown>): Statement => {
      let statement = writes.get(write);
      if (statement === undefined) {
        statement = compileWrite(write);
        writes.set(write, statement);
      }
      return statement;
    },
  };
};

type Statements = ReturnType<typeof createStatements>;

/** One transaction on a connection of the pool. */
const openSession = (client: Client & pg.PoolClient, purpose: Purpose, statements: Statements): Session => {
  let begun: Promise<unknown> = Promise.reject(new Error('the transaction has not begun'));
  begun.catch(() => {});
  let isCommitted = false;
  let settings = SETTINGS[purpose];
  /** Settings are sent once, in front of the first statement that they matter to. */
  const set = (isNeeded: boolean): ReturnType<Client['run']> | undefined => {
    if (settings === null || !isNeeded) return undefined;
    const sent = client.run({ ...settings });
    settings = null;
    return sent;
  };
  return {
    get queries() {
      return client.queries;
    },
    begin: () => {
      begun = client.run({ text: BEGIN[purpose] });
      // Whoever asks or sends next hears of it.
      begun.catch(() => {});
    },
    ask: async (questions) => {
      const configured = set(questions.some(({ lookup }) => Object.keys(lookup.keys).length > 0));
      const lock = questions.find(({ lookup }) => lookup.shares !== null);
      const shared = lock && client.run({ ...SHARE, values: [lock.teamId, lock.lookup.shares] });
      const answers = questions.map(({ lookup, teamId, keys }) => {
        const statement = statements.ofLookup(lookup)[keys.length === 1 ? 'one' : 'many'];
        const values = lookupValues(statement, teamId, keys);
        return client.run({ name: statement.name, text: statement.text, values });
      });
      // Should the transaction not have begun, these have locked nothing, and nothing follows them.
      const [results] = await Promise.all([settled(answers), settled([begun, configured, shared])]);
      return results.map((result, index) => rowsByKey(result, questions[index]?.keys.length ?? 0));
    },
    send: async (writes) => {
      await begun;
      const configured = set(writes.some(({ write }) => write.mode === 'update' || write.mode === 'delete'));
      const sent = writes.map(({ write, teamId, rows }) => {
        const { name, text } = statements.ofWrite(write);
        return client.run({ name, text, values: writeValues(write, teamId, rows) });
      });
      const [, ...results] = await settled([configured, ...sent]);
      for (const [index, { write, rows }] of writes.entries()) {
        const mustBeThere = write.mode === 'update' || write.mode === 'delete';
        if (mustBeThere && results[index]?.rowCount !== rows.length)
          throw new Collision(`rows of ${write.table} are missing`);
      }
    },
    exclude: async (teamId, lock) => {
      await begun;
      await client.run({ ...EXCLUDE, values: [teamId, lock] });
    },
    commit: async () => {
      await begun;
      const { command } = await client.run({ text: 'commit' });
      // An aborted transaction answers its commit with a rollback, and no error.
      if (command === 'ROLLBACK') throw new Error('the transaction was aborted by an error that nobody passed on');
      isCommitted = true;
    },
    // The server answers a commit once it is on its disk.
    durable: () => Promise.resolve(),
    end: () => {
      if (isCommitted) client.release();
      else
        client.run({ text: 'rollback' }).then(
          () => client.release(),
          // A connection that cannot even roll back is thrown away.
          (error: Error) => client.release(error),
        );
    },
  };
};

export const openPostgres = (url: string): Database => {
  const createPool = (size: number): pg.Pool => {
    const config: pg.PoolConfig = {
      connectionString: url,
      max: size,
      connectionTimeoutMillis: LIMITS.postgresConnectMs,
      statement_timeout: LIMITS.postgresStatementMs,
      idle_in_transaction_session_timeout: LIMITS.postgresStatementMs,
      application_name: 'itemwright',
      types,
      Client,
    };
    const pool = new pg.Pool(config);
    // An idle connection that breaks is replaced on the next use.
    pool.on('error', () => {});
    return pool;
  };
  // Each purpose has connections of its own, so that none waits for what another has taken.
  const pools: Record<Purpose, pg.Pool> = {
    group: createPool(LIMITS.postgresGroups),
    apart: createPool(LIMITS.postgresApart),
    transaction: createPool(LIMITS.postgresTransactions),
    read: createPool(LIMITS.postgresReaders),
  };
  const statements = createStatements();
  const connect = async (purpose: Purpose) => (await pools[purpose].connect()) as Client & pg.PoolClient;

  const units = createUnits({
    open: async (purpose) => openSession(await connect(purpose), purpose, statements),
    isCollision,
    isBlocked,
    translate,
  });

  return {
    engine: 'postgres',
    write: units.write as Database['write'],
    transaction: units.transaction as Database['transaction'],
    read: units.read as Database['read'],
    migrate: async (migrations) => {
      const client = await connect('transaction');
      let broken: Error | undefined;
      try {
        // A large table may take its time, and so may the node that came first.
        await client.query('set statement_timeout = 0');
        // Kysely's own lock is taken after it made its tables; two nodes that make them at once would collide.
        await client.query('select pg_advisory_lock(8090141)');
        try {
          await migrate(client.queries, 'postgres', migrations);
        } finally {
          await client.query('select pg_advisory_unlock(8090141)');
          await client.query('reset statement_timeout');
        }
      } catch (error) {
        broken = error as Error;
        throw error;
      } finally {
        client.release(broken);
      }
    },
    maintain: async () => {
      const client = await connect('transaction');
      try {
        await analyzeGrown(client);
      } finally {
        client.release();
      }
    },
    close: async () => {
      await units.idle();
      await Promise.all(Object.values(pools).map((pool) => pool.end()));
    },
  };
};
