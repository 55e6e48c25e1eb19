import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { openDatabase } from '../../src/database/open.ts';
import { type ApiResponse, type Service, startService } from '../harness.ts';
import { type Postgres, startPostgres } from '../postgres.ts';

let postgres: Postgres;
let service: Service;

before(async () => {
  postgres = await startPostgres();
  service = await startService(postgres.url('postgres'));
});
after(async () => {
  await service?.stop();
  await postgres?.stop();
});

const assertUnavailable = ({ status, body, headers }: ApiResponse, what: string) => {
  assert.equal(status, 503, what);
  assert.deepEqual(body, { code: 'SERVICE_UNAVAILABLE', message: 'Service unavailable', issues: [] }, what);
  assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/, what);
};

test('responds with 503 while the database is down, and recovers by itself', async () => {
  for (let round = 0; round < 2; round += 1) {
    assert.equal((await service.post('/users', { id: `before-${round}` })).status, 200);
    // Several connections are open, so that more than one of them breaks.
    const responses = await Promise.all(Array.from({ length: 20 }, () => service.get('/users')));
    for (const { status } of responses) assert.equal(status, 200);
    assert.equal((await service.anyone().get('/readyz')).status, 200);

    await postgres.pause();
    for (const [what, call] of [
      ['a read', () => service.get('/users')],
      ['a write', () => service.post('/users', {})],
      ['a roll', () => service.post('/items/roll')],
      ['a new caller', () => service.anyone('Basic eDp5').get('/users')],
      ['readiness', () => service.anyone().get('/readyz')],
    ] as const) {
      for (let n = 0; n < 2; n += 1) assertUnavailable(await call(), what);
    }
    const many = await Promise.all(Array.from({ length: 40 }, (_, n) => service.post('/users', { id: `lost-${n}` })));
    for (const response of many) assertUnavailable(response, 'many writes');
    const health = await service.anyone().get('/healthz');
    assert.deepEqual([health.status, health.body.status], [200, 'ok']);

    await postgres.resume();
    assert.equal((await service.anyone().get('/readyz')).status, 200);
    const users = await service.get('/users');
    assert.equal(users.status, 200);
    assert.deepEqual(
      users.body.map(({ id }: { id: string }) => id),
      Array.from({ length: round + 1 }, (_, n) => `before-${n}`),
    );
    assert.equal((await service.post('/items', { id: `item-${round}`, name: 'Item' })).status, 200);
    assert.equal((await service.post('/items/roll')).status, 200);
  }
});

test('completes nothing that was lost with the database', async () => {
  const writes = Promise.all(
    Array.from({ length: 30 }, (_, n) => service.post('/spaces', { id: `s-${n}`, name: 'S', cols: 1, rows: 1 })),
  );
  const [responses] = await Promise.all([writes, postgres.pause()]);
  await postgres.resume();
  const kept = new Set((await service.get('/spaces')).body.map(({ id }: { id: string }) => id));
  for (const [n, response] of responses.entries()) {
    if (response.status === 200) assert.ok(kept.has(`s-${n}`), 'an acknowledged write is kept');
    else assertUnavailable(response, `write ${n}`);
  }
});

/** A connection that may write even when the database is read-only for others. */
const connectAsAdministrator = async (): Promise<pg.Client> => {
  const administrator = new pg.Client({
    connectionString: postgres.url('postgres'),
    options: '-c default_transaction_read_only=off',
  });
  await administrator.connect();
  return administrator;
};

const write = (id: string) => service.post('/users', { id });

test('rejects writes while the server is read-only, keeps reading, and recovers at once', async () => {
  const administrator = await connectAsAdministrator();
  /** Makes new connections read-only, or writable again; existing ones do not change. */
  const setReadOnly = (isReadOnly: boolean) =>
    administrator.query(
      `alter database postgres ${isReadOnly ? 'set default_transaction_read_only = on' : 'reset default_transaction_read_only'}`,
    );
  try {
    for (let round = 0; round < 2; round += 1) {
      await setReadOnly(true);
      await administrator.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'itemwright%'",
      );
      // Broken connections are noticed; then those that replace them are read-only.
      while ((await service.anyone().get('/readyz')).status !== 503) await setTimeout(10);
      while ((await service.get('/users')).status !== 200) await setTimeout(10);
      const rejected = await Promise.all(Array.from({ length: 20 }, (_, n) => write(`refused-${round}-${n}`)));
      for (const response of rejected) assertUnavailable(response, 'a write');
      assertUnavailable(await service.post('/spaces', { name: 'S', cols: 1, rows: 1 }), 'a change of the catalog');
      assertUnavailable(await service.anyone().get('/readyz'), 'readiness');
      const reads = await Promise.all(Array.from({ length: 20 }, () => service.get('/users')));
      for (const { status } of reads) assert.equal(status, 200, 'a read');

      await setReadOnly(false);
      assert.equal((await service.anyone().get('/readyz')).status, 200);
      const accepted = await Promise.all(Array.from({ length: 20 }, (_, n) => write(`accepted-${round}-${n}`)));
      for (const { status } of accepted) assert.equal(status, 200, 'a write');
      const reader = await administrator.query(
        "select count(*)::int as n from users where id like 'accepted%' or id like 'refused%'",
      );
      assert.equal(reader.rows[0].n, 20 * (round + 1));
    }
  } finally {
    await setReadOnly(false);
    await administrator.end();
  }
});

test('is not ready once the server is read-only, even on existing connections', async () => {
  const administrator = await connectAsAdministrator();
  const setReadOnly = async (value: 'on' | 'off') => {
    await administrator.query(`alter system set default_transaction_read_only = ${value}`);
    await administrator.query('select pg_reload_conf()');
  };
  /** The server reloads its settings in its own time. */
  const untilReadiness = async (expected: number) => {
    for (;;) {
      const response = await service.anyone().get('/readyz');
      if (response.status === expected) return response;
      await setTimeout(10);
    }
  };
  try {
    assert.equal((await service.anyone().get('/readyz')).status, 200);
    await setReadOnly('on');
    assertUnavailable(await untilReadiness(503), 'readiness');
    assertUnavailable(await write('not-now'), 'a write');
    assert.equal((await service.get('/users')).status, 200);
    await setReadOnly('off');
    await untilReadiness(200);
    assert.equal((await write('now')).status, 200);
  } finally {
    await setReadOnly('off');
    await administrator.end();
  }
});

test('leaves no connection behind when it is closed, even without a migration', async () => {
  const database = openDatabase(await postgres.create('closed'));
  await database.read('', ({ queries }) => sql`select 1`.execute(queries));
  await database.close();
  const watcher = new pg.Client({ connectionString: postgres.url('postgres') });
  await watcher.connect();
  // The server takes a moment to notice.
  const left = "select pid from pg_stat_activity where datname = 'closed'";
  for (let look = 0; look < 100 && (await watcher.query(left)).rows.length > 0; look += 1) await setTimeout(10);
  assert.deepEqual((await watcher.query(left)).rows, []);
  await watcher.end();
});
