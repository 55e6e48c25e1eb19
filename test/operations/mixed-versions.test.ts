/** Nodes on a database that a newer version migrates: none writes to a schema that it does not know. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { pino } from 'pino';
import { backup } from '../../src/cli/backup.ts';
import { check } from '../../src/cli/check.ts';
import { restore } from '../../src/cli/restore.ts';
import { LATEST, MIGRATIONS } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open.ts';
import { createTeam } from '../../src/features/teams/teams.service.ts';
import { watchSchema } from '../../src/maintenance/schema-watch.ts';
import { LIMITS } from '../../src/shared/limits.ts';
import { basic, createEmptyDatabase, type EmptyDatabase, ENGINES, type Service, startService } from '../harness.ts';
import { freePort, type Running, run, runToEnd } from '../processes.ts';
import { NEXT, NEXT_NAME } from '../releases/next.ts';
import { openService, type ReleasedService } from '../releases/service.ts';
import { assertDone } from '../rules.ts';

const assertUndamaged = async (databaseUrl: string): Promise<void> => {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  assert.ok(await check.run({ databaseUrl, argument: undefined, options: {}, print }), lines.join('\n'));
};

const TEAM = 'mixed';
const SECRET = 'a-secret-for-two-versions';
const headers = { authorization: basic(TEAM, SECRET), 'content-type': 'application/json' };

interface Node {
  readonly running: Running;
  send(method: string, path: string, body?: object): Promise<{ status: number; body: { code?: string } }>;
}

const startNode = async (script: string, databaseUrl: string, environment = {}): Promise<Node> => {
  const port = await freePort();
  const running = run(script, [], {
    ...{ DATABASE_URL: databaseUrl, PORT: String(port), ITEMWRIGHT_TEAM_ID: TEAM, ITEMWRIGHT_SECRET: SECRET },
    ...environment,
  });
  await running.said('"msg":"listening"');
  return {
    running,
    send: async (method, path, body) => {
      const address = `http://127.0.0.1:${port}${path}`;
      const response = await fetch(address, { method, headers, body: body && JSON.stringify(body) });
      return { status: response.status, body: (await response.json()) as { code?: string } };
    },
  };
};

const stopNode = async ({ running }: Node): Promise<void> => {
  running.child.kill('SIGTERM');
  assert.equal((await running.ended).code, 0);
};

describe('the last release beside this version', () => {
  let released: ReleasedService;
  before(async () => {
    released = await openService();
  });
  after(() => released.remove());

  const versionsOf = async ({ send }: Node): Promise<number> => {
    const { body } = await send('GET', '/catalog/versions?limit=1000');
    return (body as unknown as unknown[]).length;
  };

  test('goes on after the first half of the migration, and writes nothing after the second, on postgres', async () => {
    const empty = await createEmptyDatabase('postgres');
    const old = await startNode(released.script, empty.url);
    try {
      for (const id of ['coin', 'sword']) assertDone((await old.send('POST', '/items', { id, name: id })) as never);
      const migrate = async (option: string) => {
        const ended = await runToEnd('src/cli.ts', ['migrate', option], { DATABASE_URL: empty.url });
        assert.deepEqual([ended.code, ended.stderr], [0, '']);
        return ended.stdout;
      };
      const refused = await runToEnd('src/cli.ts', ['migrate', '--contract'], { DATABASE_URL: empty.url });
      assert.deepEqual([refused.code, /run migrate --expand first/.test(refused.stderr)], [1, true]);
      assert.match(await migrate('--expand'), /prepared for .*: nodes of both versions can run/);

      const now = await startNode('src/main.ts', empty.url, { MIGRATE: 'expand' });
      try {
        for (const [index, node] of [old, now, old, now].entries()) {
          const item = { name: `after ${index}`, rollNumerator: 1 };
          assert.equal((await node.send('PUT', '/items/coin', item)).status, 200);
          for (const other of [old, now]) assert.equal((await other.send('POST', '/items/roll', {})).status, 200);
        }
        assert.equal(await versionsOf(now), 6);
        await assertUndamaged(empty.url);

        assert.match(await migrate('--contract'), new RegExp(`is at ${LATEST}\n$`));
        const attempts = [
          await old.send('PUT', '/items/coin', { name: 'Too late', rollNumerator: 9 }),
          await old.send('POST', '/items/roll', {}),
          await old.send('POST', '/items', { name: 'Too late' }),
          await old.send('POST', '/users', {}),
          await old.send('DELETE', '/items/sword'),
        ];
        assert.deepEqual(
          attempts.map(({ status }) => status),
          [503, 503, 503, 503, 503],
        );
        assert.equal((await now.send('PUT', '/items/coin', { name: 'Coin', rollNumerator: 1 })).status, 200);
        assert.equal(await versionsOf(now), 7);
        assert.equal((await now.send('POST', '/items/roll', {})).status, 200);
      } finally {
        await stopNode(now);
      }
      await assertUndamaged(empty.url);
      const again = await runToEnd(released.script, [], { DATABASE_URL: empty.url, PORT: '0' });
      assert.equal(again.code, 1);
      assert.match(again.stderr, /^itemwright: cannot start: /);
    } finally {
      await stopNode(old);
      await empty.drop();
    }
  });

  test('keeps this version from starting on its SQLite file, which goes on undamaged', async () => {
    const empty = await createEmptyDatabase('sqlite');
    const old = await startNode(released.script, empty.url);
    try {
      assert.equal((await old.send('POST', '/items', { id: 'coin', name: 'Coin' })).status, 200);
      const { code, stderr } = await runToEnd('src/main.ts', [], { DATABASE_URL: empty.url, PORT: '0' });
      assert.equal(code, 1);
      assert.match(
        stderr,
        /^itemwright: cannot start: (a service is already running on .*|.* is in use by another process.*)\n$/,
      );
      assert.equal((await old.send('PUT', '/items/coin', { name: 'Still there', rollNumerator: 1 })).status, 200);
      await stopNode(old);
      const now = await startNode('src/main.ts', empty.url);
      assert.equal(await versionsOf(now), 2);
      await stopNode(now);
      await assertUndamaged(empty.url);
    } finally {
      old.running.child.kill('SIGKILL');
      await empty.drop();
    }
  });
});

/** Runs a newer version, as a process of its own: two connections of one process would block each other on SQLite. */
const asNext = async (step: string, databaseUrl: string): Promise<void> => {
  const { code, stderr } = await runToEnd('test/releases/next-version.ts', [step], { DATABASE_URL: databaseUrl });
  assert.deepEqual([code, stderr], [0, '']);
};

for (const engine of ENGINES)
  describe(`a node whose database a newer version has migrated, on ${engine}`, () => {
    let empty: EmptyDatabase;
    let service: Service;

    before(async () => {
      empty = await createEmptyDatabase(engine);
      service = await startService(empty.url);
      assertDone(await service.post('/items', { id: 'coin', name: 'Coin' }));
    });
    after(async () => {
      await service.stop();
      await empty.drop();
    });

    test('goes on after the first half of the migration, and so do its commands', async () => {
      for (const step of ['expand', 'expand']) await asNext(step, empty.url);
      assert.deepEqual(await service.database.snapshot((snapshot) => snapshot.schema()), {
        contracted: LATEST,
        expanded: NEXT_NAME,
      });
      assertDone(await service.put('/items/coin', { name: 'Coin', rollNumerator: 2 }));
      assertDone(await service.post('/items/roll', {}));
      assertDone(await service.get('/readyz'));
      await assertUndamaged(empty.url);
      // It would leave out what it does not know.
      await assert.rejects(
        backup.run({ databaseUrl: empty.url, argument: join(tmpdir(), 'never.backup'), options: {}, print: () => {} }),
        /is prepared for a newer version of Itemwright .*: use that version/,
      );
      // Others may join: nodes of this version, which leave the schema as it is, and of the newer one.
      for (const migrations of engine === 'postgres' ? [undefined, NEXT] : []) {
        const options = { databaseOptions: { migrations }, migrates: migrations === undefined };
        const other = await startService(empty.url, {}, undefined, options);
        assertDone(await other.post('/items', { name: 'Coin' }));
        await other.stop();
      }
    });

    test('serves nothing after the second half, and says why, once', async () => {
      const seen: string[] = [];
      const logger = pino({}, { write: (line: string) => void seen.push(JSON.parse(line).msg) });
      let isStopped = false;
      const watch = watchSchema(service.database, logger, async () => {
        isStopped = true;
      });
      const versions = assertDone(await service.get('/catalog/versions')).body.length;
      // A service on SQLite has the file to itself, but a restored backup may come from a newer version.
      await asNext(engine === 'postgres' ? 'contract' : 'record', empty.url);
      // At once, whatever was noticed before.
      const refused = await service.put('/items/coin', { name: 'Too late', rollNumerator: 3 });
      assert.equal(refused.status, 503);
      assert.match(refused.body.issues[0].message, new RegExp(`was migrated to ${NEXT_NAME}`));
      const statuses = [
        await service.post('/items/roll', {}),
        await service.get('/catalog'),
        await service.delete('/items/coin'),
        await service.get('/readyz'),
      ].map(({ status }) => status);
      assert.deepEqual(statuses, [503, 503, 503, 503]);
      assert.match((await service.get('/readyz')).body.issues[0].message, /does not know/);
      assertDone(await service.get('/healthz'));
      for (let left = 100; !isStopped && left > 0; left -= 1) await delay(LIMITS.schemaCheckMs / 10);
      await delay(2 * LIMITS.schemaCheckMs);
      watch.stop();
      assert.deepEqual(
        seen.map((line) => line.slice(0, 34)),
        ['this node serves nothing any more:'],
      );
      const next = openDatabase(empty.url, { migrations: NEXT });
      const { rows } = await next.read('', ({ queries }) =>
        sql<{ version: number }>`select version from catalog_versions where team_id = ${service.teamId}`.execute(
          queries,
        ),
      );
      assert.equal(rows.length, versions);
      await next.close();
    });
  });

test('a name of connections in the URL is not used: the database tells versions apart by it', async () => {
  const empty = await createEmptyDatabase('postgres');
  const database = openDatabase(`${empty.url}?application_name=itemwright`);
  await database.migrate();
  const { rows } = await database.transaction('', async ({ queries }) => {
    await queries.insertInto('milestones').values({ name: 'written', reached_at: 0 }).execute();
    return sql<{ name: string }>`select current_setting('application_name') as name`.execute(queries);
  });
  assert.equal(rows[0]?.name, `itemwright ${LATEST.slice(0, 4)}`);
  await database.close();
  await empty.drop();
});

for (const engine of ENGINES)
  describe(`an idle node on ${engine}`, () => {
    test('writes nothing, even before it has noticed', async () => {
      const empty = await createEmptyDatabase(engine);
      const node = openDatabase(empty.url);
      await node.migrate();
      const add = (database: typeof node, table: string, name: string) =>
        database.transaction('', ({ queries }) =>
          sql`insert into ${sql.table(table)} values (${name}, 1)`.execute(queries),
        );
      await add(node, 'milestones', 'before');
      const next = openDatabase(empty.url, { migrations: NEXT });
      await add(next, 'migrations', NEXT_NAME);
      try {
        await assert.rejects(add(node, 'milestones', 'after'), { code: 'SERVICE_UNAVAILABLE' });
        assert.throws(() => node.assertSchema(), { code: 'SERVICE_UNAVAILABLE' });
        const names = await next.read('', ({ queries }) => queries.selectFrom('milestones').select('name').execute());
        assert.deepEqual(
          names.map(({ name }) => name),
          ['before'],
        );
      } finally {
        await Promise.all([node.close(), next.close()]);
        await empty.drop();
      }
    });

    test('notices within a second that its database was migrated', async () => {
      const empty = await createEmptyDatabase(engine);
      const node = await startNode('src/main.ts', empty.url);
      try {
        await asNext('record', empty.url);
        await node.running.said('this node serves nothing any more');
        assert.equal((await node.send('GET', '/readyz')).status, 503);
        assert.equal((await node.send('GET', '/team')).status, 503);
        await stopNode(node);
        assert.equal(node.running.stdout().match(/this node serves nothing/g)?.length, 1);
        assert.doesNotMatch(node.running.stdout(), /will retry/);
      } finally {
        node.running.child.kill('SIGKILL');
        await empty.drop();
      }
    });
  });

describe('a backup between the halves of a migration', () => {
  for (const engine of ENGINES)
    test(`is restored, and migrated, from ${engine}`, async () => {
      const [from, to] = [await createEmptyDatabase(engine), await createEmptyDatabase('sqlite')];
      const file = `${to.url.slice('sqlite:'.length)}.backup`;
      try {
        const source = openDatabase(from.url);
        await source.migrate(Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < LATEST)));
        await source.expand();
        await source.transaction('', (tx) => createTeam(tx, 1, { name: 'Kept' }));
        await source.close();
        const call = { options: {}, argument: file, print: () => {} };
        assert.ok(await backup.run({ ...call, databaseUrl: from.url }));
        const header = JSON.parse(
          gunzipSync(await readFile(file))
            .toString()
            .split('\n', 1)[0] as string,
        );
        assert.deepEqual([header.schema, header.contracted], [LATEST, Object.keys(MIGRATIONS).sort().at(-2)]);
        assert.ok(await restore.run({ ...call, databaseUrl: to.url }));
        const target = openDatabase(to.url);
        const state = await target.snapshot((snapshot) => snapshot.schema());
        assert.deepEqual(state, { contracted: LATEST, expanded: LATEST });
        const teams = await target.read('', ({ queries }) => queries.selectFrom('teams').select('name').execute());
        assert.deepEqual(
          teams.map(({ name }) => name),
          ['Kept'],
        );
        await target.close();
        // Whoever restores into a database in use must not complete its upgrade by the way.
        await assert.rejects(restore.run({ ...call, databaseUrl: from.url }), /is not empty/);
        const again = openDatabase(from.url);
        assert.notEqual((await again.snapshot((snapshot) => snapshot.schema()))?.contracted, LATEST);
        await again.close();
      } finally {
        await Promise.all([from.drop(), to.drop()]);
      }
    });
});

describe('a migration on postgres', () => {
  test('waits for transactions that have begun, and those that begin later meet the new schema', async () => {
    const empty = await createEmptyDatabase('postgres');
    const present = openDatabase(empty.url);
    const next = openDatabase(empty.url, { migrations: NEXT });
    let end: () => void = () => {};
    try {
      await present.migrate();
      await next.expand();
      const isOver = new Promise<void>((resolve) => {
        end = resolve;
      });
      let begun: () => void = () => {};
      const hasBegun = new Promise<void>((resolve) => {
        begun = resolve;
      });
      const milestone = (name: string) => ({ name, reached_at: 1 });
      const early = present.transaction('', async ({ queries }) => {
        await queries.selectFrom('milestones').select('name').execute();
        begun();
        await isOver;
        await queries.insertInto('milestones').values(milestone('early')).execute();
      });
      await hasBegun;
      let isMigrated = false;
      const migrating = next.migrate().then(() => {
        isMigrated = true;
      });
      await delay(500);
      assert.equal(isMigrated, false);
      const late = present.transaction('', ({ queries }) =>
        queries.insertInto('milestones').values(milestone('late')).execute(),
      );
      late.catch(() => {});
      await delay(100);
      end();
      await early;
      await migrating;
      // It began before or after the migration, but never in the middle of it.
      const wrote = await late.then(
        () => true,
        ({ code }) => assert.equal(code, 'SERVICE_UNAVAILABLE') ?? false,
      );
      const rows = await next.read('', ({ queries }) => queries.selectFrom('milestones').select('name').execute());
      assert.deepEqual(rows.map(({ name }) => name).sort(), wrote ? ['early', 'late'] : ['early']);
      await assert.rejects(
        present.transaction('', ({ queries }) => queries.insertInto('milestones').values(milestone('never')).execute()),
        { code: 'SERVICE_UNAVAILABLE' },
      );
    } finally {
      end();
      await Promise.all([present.close(), next.close()]);
      await empty.drop();
    }
  });

  test('goes one schema at a time if it has halves', async () => {
    const empty = await createEmptyDatabase('postgres');
    const { '0015-rolling-upgrades': _, ...older } = NEXT;
    const before = Object.fromEntries(Object.entries(older).filter(([name]) => name < '0015'));
    const database = openDatabase(empty.url, { migrations: NEXT });
    try {
      await database.migrate(before);
      await assert.rejects(
        database.expand(),
        /a rolling upgrade goes from one schema to the next, but the database is/,
      );
      await database.migrate();
    } finally {
      await database.close();
      await empty.drop();
    }
  });
});
