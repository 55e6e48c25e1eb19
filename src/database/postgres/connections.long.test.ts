import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { createEmptyDatabase, type EmptyDatabase } from '../../../test/harness.ts';
import { type NetworkProxy, startProxy } from '../../../test/proxy.ts';
import { ServiceError } from '../../shared/errors.ts';
import { insertInto } from '../declarations.ts';
import { openDatabase } from '../open.ts';
import { type Database, NO_TEAM, type Work } from '../work.ts';
import { serversOf } from './address.ts';
import { Client } from './client.ts';
import { translate } from './errors.ts';
import { createPool } from './pool.ts';
import { sizesOf } from './pools.ts';

const insertEvent = insertInto('roll_events', {
  id: 'text',
  template_id: 'text',
  roller_id: 'text',
  rolled_at: 'bigint',
  results: 'text',
});

const isUnavailable = (error: unknown): true => {
  assert.ok(error instanceof ServiceError, String(error));
  assert.equal(error.code, 'SERVICE_UNAVAILABLE');
  return true;
};

describe('a URL with several servers', () => {
  for (const [url, servers] of [
    ['postgres://u:p@a:1/d?x=y', ['postgres://u:p@a:1/d?x=y']],
    [
      'postgres://u:p@a:1,b:2,c/d?x=y',
      ['postgres://u:p@a:1/d?x=y', 'postgres://u:p@b:2/d?x=y', 'postgres://u:p@c/d?x=y'],
    ],
    ['postgres://[::1]:1,[::2]/d', ['postgres://[::1]:1/d', 'postgres://[::2]/d']],
    ['postgres:///d?host=/run/a', ['postgres:///d?host=/run/a']],
    ['postgres:///d?host=a,b&port=1,2', ['postgres:///d?host=a&port=1', 'postgres:///d?host=b&port=2']],
    ['postgres:///d?host=a,b&port=7', ['postgres:///d?host=a&port=7', 'postgres:///d?host=b&port=7']],
    ['postgres://a,/d', []],
    ['mysql://a/d', []],
  ] as const)
    test(`is parsed: ${url}`, () => assert.deepEqual(serversOf(url), servers));
});

describe('connections', () => {
  for (const [connections, sizes] of [
    [5, [1, 1, 1, 1, 1]],
    [12, [3, 2, 2, 4, 1]],
    [24, [6, 4, 4, 8, 2]],
  ] as const)
    test(`are divided among the purposes: ${connections}`, () => {
      const { group, apart, transaction, read, urgent } = sizesOf(connections);
      assert.deepEqual([group, apart, transaction, read, urgent], sizes);
    });

  for (const code of ['25006', '25P03', '25P04', '55P03', '53300', '57P01', 'EMFILE', 'EPROTO', 'ERR_STREAM_DESTROYED'])
    test(`that fail with ${code} make the database unavailable`, () => {
      isUnavailable(translate(Object.assign(new Error('a fault'), { code })));
    });

  for (const code of ['23514', '42601', 'ERR_INVALID_ARG_TYPE'])
    test(`do not hide a bug such as ${code}`, () => {
      const error = Object.assign(new Error('a fault'), { code });
      assert.equal(translate(error), error);
    });

  test('without a socket make the database unavailable', async () => {
    const database = openDatabase('postgres:///x?host=/nowhere/at/all');
    await assert.rejects(
      database.read(NO_TEAM, ({ queries }) => sql`select 1`.execute(queries)),
      isUnavailable,
    );
    await assert.rejects(database.ready(), isUnavailable);
    await database.close();
  });
});

describe('callers waiting for a connection', () => {
  test('each get the result of their own attempt', async () => {
    const attempts: PromiseWithResolvers<Client>[] = [];
    const pool = createPool({
      size: 2,
      silentChecks: 1,
      connect: () => {
        const attempt = Promise.withResolvers<Client>();
        attempts.push(attempt);
        return attempt.promise;
      },
      canReuse: () => true,
      onSilence: () => {},
    });
    const [first, second] = [pool.take(), pool.take()];
    const client = new Client();
    attempts[1]?.resolve(client);
    assert.equal(await second, client);
    attempts[0]?.reject(new Error('refused'));
    // At once, not only when the wait times out.
    await assert.rejects(first, ({ cause }) => (cause as Error).message === 'refused');
    pool.give(client);
    await pool.close();
  });
});

describe('connections through a network', () => {
  let empty: EmptyDatabase;
  let proxy: NetworkProxy;
  let watcher: pg.Client;
  let url: string;

  before(async () => {
    empty = await createEmptyDatabase('postgres');
    const through = new URL(empty.url);
    proxy = await startProxy({ host: through.hostname, port: Number(through.port) });
    through.port = String(proxy.port);
    url = through.href;
    watcher = new pg.Client({ connectionString: empty.url });
    await watcher.connect();
    const database = openDatabase(empty.url);
    await database.migrate();
    await database.close();
  });
  after(async () => {
    await watcher?.end();
    await proxy?.close();
    await empty?.drop();
  });

  const withDatabase = async (
    options: Parameters<typeof openDatabase>[1],
    use: (database: Database) => Promise<void>,
  ): Promise<void> => {
    const database = openDatabase(url, options);
    try {
      await use(database);
    } finally {
      proxy.silence(false);
      proxy.loseAnswer(undefined);
      await database.close();
    }
  };

  const read = (database: Database) => database.read('a', ({ queries }) => queries.selectFrom('users').execute());
  const record = (database: Database, id: string) =>
    database.write('a', async (work: Work) => {
      work.write(insertEvent, { id, template_id: null, roller_id: null, rolled_at: 1, results: '[]' });
    });
  const recorded = async (like: string): Promise<string[]> => {
    const { rows } = await watcher.query('select id from roll_events where id like $1 order by id', [like]);
    return rows.map(({ id }) => id);
  };
  /** Resolves once the pool has every connection back: a read is answered before its transaction has ended. */
  const allIdle = async (): Promise<void> => {
    const busy = `select count(*)::int as n from pg_stat_activity
      where datname = current_database() and application_name like 'itemwright%' and state <> 'idle'`;
    while ((await watcher.query(busy)).rows[0].n > 0) await setTimeout(10);
    await setTimeout(200);
  };
  const ten = Array.from({ length: 10 }, (_, n) => n);

  test('send nothing at startup that a pooler rejects', async () => {
    await withDatabase({}, async (database) => {
      const before = proxy.openings.length;
      await read(database);
      const opening = (proxy.openings[before] as Buffer)
        .toString('latin1', 8)
        .split('\0')
        .filter((text) => text !== '');
      const names = opening.filter((_, place) => place % 2 === 0);
      for (const name of names)
        assert.ok(['user', 'database', 'client_encoding', 'application_name'].includes(name), name);
      assert.ok(names.length >= 3);
    });
  });

  test('stay within their limit', async () => {
    await withDatabase({ connections: 5 }, async (database) => {
      let most = 0;
      let isOver = false;
      const watching = (async () => {
        while (!isOver) {
          const { rows } = await watcher.query(
            "select count(*)::int as n from pg_stat_activity where datname = current_database() and application_name like 'itemwright%'",
          );
          most = Math.max(most, rows[0].n);
        }
      })();
      await Promise.all(
        Array.from({ length: 40 }, (_, n) => [
          read(database),
          record(database, `few ${n}`),
          database.transaction('a', ({ queries }) => sql`select 1`.execute(queries)),
        ]).flat(),
      );
      isOver = true;
      await watching;
      assert.ok(most > 0 && most <= 5, `${most} connections`);
    });
  });

  test('that stop responding are dropped and replaced', { timeout: 60_000 }, async () => {
    await withDatabase({ silenceMs: 2000 }, async (database) => {
      // Three reads at once: none ends before the others have a connection, so none is still being opened afterwards.
      const three = ten.slice(0, 3);
      const ready = three.map(() => Promise.withResolvers<void>());
      await Promise.all([
        record(database, 'heard'),
        ...three.map((n) =>
          database.read('a', async ({ queries }) => {
            await sql`select 1`.execute(queries);
            ready[n]?.resolve();
            await Promise.all(ready.map(({ promise }) => promise));
          }),
        ),
      ]);
      await allIdle();
      proxy.mute();
      // There are more idle connections than these take, none of which will ever respond.
      for (const outcome of await Promise.allSettled([read(database), record(database, 'mute')])) {
        assert.equal(outcome.status, 'rejected');
        isUnavailable(outcome.reason);
      }
      // One of them was enough for the others to be replaced as well.
      await Promise.all(ten.flatMap((n) => [read(database), record(database, `again ${n}`)]));
      assert.equal((await recorded('again %')).length, 10);
    });
  });

  test('to a server that stopped responding are rejected until it responds again', { timeout: 60_000 }, async () => {
    await withDatabase({ silenceMs: 1000 }, async (database) => {
      await Promise.all([read(database), record(database, 'before it')]);
      proxy.silence(true);
      const all = [
        ...ten.map((n) => record(database, `silence ${n}`)),
        ...ten.map(() => read(database)),
        database.ready(),
      ];
      for (const outcome of await Promise.allSettled(all)) {
        assert.equal(outcome.status, 'rejected');
        isUnavailable(outcome.reason);
      }
      await assert.rejects(database.ready(), isUnavailable);
      proxy.silence(false);
      await database.ready();
      await Promise.all([read(database), record(database, 'after it')]);
      assert.deepEqual(await recorded('% it'), ['after it', 'before it']);
      assert.deepEqual(await recorded('silence %'), []);
    });
  });

  test('that were opened while the server was read-only reject no write afterwards', async () => {
    const name = new URL(empty.url).pathname.slice(1);
    const setReadOnly = (value: 'on' | 'off') =>
      watcher.query(`alter database ${name} set default_transaction_read_only = ${value}`);
    const insert = (database: Database, id: string) =>
      database.transaction('a', async ({ queries }) => {
        const row = { team_id: 'a', id, template_id: null, roller_id: null, rolled_at: 1, results: '[]' };
        await queries.insertInto('roll_events').values(row).execute();
      });
    await withDatabase({}, async (database) => {
      await setReadOnly('on');
      try {
        // Only reads, so that nothing tells the pool what kind of connection it has.
        const reading = database.transaction('a', ({ queries }) => sql`select 1`.execute(queries));
        await reading.catch(isUnavailable);
      } finally {
        await setReadOnly('off');
      }
      await insert(database, 'writable again');
      assert.deepEqual(await recorded('writable %'), ['writable again']);
    });
  });

  for (const how of ['silently', 'by cutting', 'by garbling'] as const) {
    test(`that lose the response to a commit ${how} do not run it again`, { timeout: 60_000 }, async () => {
      await withDatabase({ silenceMs: 2000 }, async (database) => {
        await record(database, `${how} before`);
        const runs = new Map<number, number>();
        proxy.loseAnswer('commit\0', how);
        const settled = await Promise.allSettled(
          ten.map((n) =>
            database.write('a', async (work: Work) => {
              runs.set(n, (runs.get(n) ?? 0) + 1);
              const row = { id: `${how} ${n}`, template_id: null, roller_id: null, rolled_at: 1, results: '[]' };
              work.write(insertEvent, row);
            }),
          ),
        );
        proxy.loseAnswer(undefined);
        for (const outcome of settled) {
          assert.equal(outcome.status, 'rejected');
          isUnavailable(outcome.reason);
        }
        assert.deepEqual(
          [...runs.values()],
          ten.map(() => 1),
        );
        assert.equal((await recorded(`${how} _`)).length, 10, 'they were committed all the same');
        await record(database, `${how} after`);
      });
    });
  }
});
