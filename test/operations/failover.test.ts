import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { type Service, startService } from '../harness.ts';
import { type Postgres, startPostgres } from '../postgres.ts';

const DATABASE = 'failover';
let primary: Postgres;
let standby: Postgres;
let service: Service;

const ask = async (server: Postgres, statement: string) => {
  const client = new pg.Client({ connectionString: server.url(DATABASE) });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
};

const until = async (server: Postgres, statement: string) => {
  while ((await ask(server, statement)).length === 0) await setTimeout(20);
};

/** Which standbys must have a commit before it succeeds: any, none, or one that does not exist. */
const waitFor = async (server: Postgres, names: string) => {
  await ask(server, `alter system set synchronous_standby_names = '${names}'`);
  await ask(server, 'select pg_reload_conf()');
  await until(server, `select 1 where current_setting('synchronous_standby_names') = '${names}'`);
};

before(async () => {
  primary = await startPostgres({ durable: true });
  await primary.create(DATABASE);
  standby = await primary.createStandby();
  const [first, second] = [primary, standby].map((server) => new URL(server.url(DATABASE)).host);
  // The standby comes first, so that it is tried and skipped.
  service = await startService(`postgres://postgres:postgres@${second},${first}/${DATABASE}`);
});
after(async () => {
  await service?.stop();
  await standby?.stop();
  await primary?.stop();
});

const write = (id: string) => service.post('/users', { id });

test('a commit that the server did not wait for is not reported as done', async () => {
  await waitFor(primary, 'nobody');
  try {
    const writing = write('cancelled');
    const waiting = "from pg_stat_activity where wait_event = 'SyncRep' and application_name like 'itemwright%'";
    await until(primary, `select 1 ${waiting}`);
    await ask(primary, `select pg_cancel_backend(pid) ${waiting}`);
    assert.equal((await writing).status, 503);
  } finally {
    await waitFor(primary, '');
  }
  assert.equal((await ask(primary, "select 1 from users where id = 'cancelled'")).length, 1, 'it exists, for now');
});

test('a standby that takes over from a killed server has every acknowledged write, and the service follows', async () => {
  await until(primary, "select 1 from pg_stat_replication where state = 'streaming'");
  await waitFor(primary, '*');
  const acknowledged = new Set<string>();
  const statuses = new Set<number>();
  let isOver = false;
  const writer = async (number: number): Promise<void> => {
    for (let count = 0; !isOver; count += 1) {
      const id = `user-${number}-${count}`;
      const { status } = await write(id);
      statuses.add(status);
      if (status === 200) acknowledged.add(id);
      else await setTimeout(20);
    }
  };
  const writers = Array.from({ length: 8 }, (_, number) => writer(number));
  while (acknowledged.size < 200) await setTimeout(20);
  await primary.crash();
  const before = acknowledged.size;
  assert.equal((await service.anyone().get('/readyz')).status, 503, 'the standby accepts no writes yet');
  await ask(standby, 'select pg_promote()');
  while (acknowledged.size < before + 100) await setTimeout(20);
  isOver = true;
  await Promise.all(writers);
  assert.equal((await service.anyone().get('/readyz')).status, 200);
  assert.deepEqual([...statuses].sort(), [200, 503]);
  const kept = new Set((await ask(standby, 'select id from users')).map(({ id }) => id));
  assert.deepEqual(
    [...acknowledged].filter((id) => !kept.has(id)),
    [],
  );
});

test('is not ready while commits wait for a standby that took over, and is again when they need not', async () => {
  // The server that took over gets a standby of its own, which takes over in turn while the other is still up.
  const next = await standby.createStandby();
  const busy = await startService(standby.url(DATABASE));
  const idle = await startService(standby.url(DATABASE));
  const readiness = async (node: Service) => (await node.anyone().get('/readyz')).status;
  const untilReadiness = async (node: Service, expected: number) => {
    while ((await readiness(node)) !== expected) await setTimeout(50);
  };
  try {
    await until(standby, "select 1 from pg_stat_replication where state = 'streaming'");
    await waitFor(standby, '*');
    assert.equal((await busy.post('/users', { id: 'confirmed' })).status, 200);
    for (const node of [busy, idle]) assert.equal(await readiness(node), 200);
    await ask(next, 'select pg_promote()');
    await until(standby, 'select 1 where not exists (select from pg_stat_replication)');

    const hanging = busy.post('/users', { id: 'hanging' });
    await Promise.all([busy, idle].map((node) => untilReadiness(node, 503)));
    for (const node of [busy, idle]) assert.equal(await readiness(node), 503, 'it stays so');
    assert.equal((await busy.get('/users?limit=1')).status, 200, 'reads go on');

    // No more standby to wait for: what waits is committed, and both nodes notice without any traffic.
    await waitFor(standby, '');
    assert.ok([200, 503].includes((await hanging).status));
    await Promise.all([busy, idle].map((node) => untilReadiness(node, 200)));
    assert.equal((await busy.post('/users', { id: 'after' })).status, 200);
  } finally {
    await waitFor(standby, '');
    await busy.stop();
    await idle.stop();
    await next.stop();
  }
});
