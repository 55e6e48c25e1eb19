import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { check } from '../../src/cli/check.ts';
import { MIGRATIONS } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open.ts';
import { schemaAge } from '../../src/database/transfer.ts';
import { shownEntity } from '../../src/features/catalog/entities.service.ts';
import { createTeam } from '../../src/features/teams/teams.service.ts';
import { ENTITY_KINDS } from '../../src/shared/context.ts';
import { basic, type Client, createEmptyDatabase, ENGINES, type Service, startService } from '../harness.ts';
import { OLD_KEY, OLD_REQUEST, oldResponse, oldRowsOf, secretOf } from '../old-rows.ts';
import { freePort, run, runToEnd } from '../processes.ts';
import { assertDone } from '../rules.ts';

/** The tables of the service, without those of the migrator. */
const tablesOf = (database: ReturnType<typeof openDatabase>): Promise<string[]> =>
  database.read('', async ({ queries: reader }) => {
    const tables = await reader.introspection.getTables();
    return tables.map(({ name }) => name).filter((name) => !name.startsWith('migrations'));
  });

const countTeams = async (databaseUrl: string): Promise<number> => {
  const database = openDatabase(databaseUrl);
  const teams = await database.read('', ({ queries: reader }) => reader.selectFrom('teams').select('id').execute());
  await database.close();
  return teams.length;
};

/** Counters in the old format, in shards: two of item a on the second day. */
const OLD_COUNTS: [string, string[], (string | number)[][]][] = [
  [
    'roll_item_days',
    ['team_id', 'day', 'template_id', 'item_id', 'shard', 'count'],
    [
      ['one', '2026-01-01', '', 'a', 0, 3],
      ['one', '2026-01-02', '', 'a', 0, 1],
      ['one', '2026-01-02', '', 'a', 1, 1],
      ['one', '2026-01-02', '', 'b', 1, 3],
      ['one', '2026-01-02', 't', 'a', 0, 4],
    ],
  ],
  [
    'roll_item_totals',
    ['team_id', 'template_id', 'item_id', 'shard', 'count'],
    [
      ['one', '', 'a', 0, 4],
      ['one', '', 'a', 1, 1],
      ['one', '', 'b', 1, 3],
      ['one', 't', 'a', 0, 4],
    ],
  ],
];

const OLD_TEAMS = ['one', 'two'];

/** Which tables the migrations change; all others have the same rows afterwards. */
const CHANGED: Record<string, readonly string[]> = {
  '0003-item-instance-history': ['item_instance_history'],
  '0005-roll-counts': ['roll_item_totals', 'roll_item_days', 'roll_days', 'roll_counts'],
  '0007-leaner-rows': [
    ...['users', 'item_instances', 'item_instance_history', 'item_instance_spaces', 'occupied_cells', 'roll_events'],
  ],
  '0009-removal-by-time': ['roll_events'],
  '0010-counters-in-parts': ['roll_counts'],
  '0011-catalog-versions': ['teams', 'roll_events', 'catalog_versions', 'catalog_changes'],
  '0013-evidence': ['roll_pending', 'noted_versions'],
  '0014-verifiable-rolls': ['teams', 'templates'],
  '0016-second-edition': ['classifier_options', 'items', 'item_instances', 'item_instance_history', 'roll_events'],
};

type Rows = Record<string, string[]>;

/** All rows of all tables, as sorted texts. Tables that are empty, such as new ones, are left out. */
const readRows = async (database: ReturnType<typeof openDatabase>): Promise<Rows> => {
  const tables = await tablesOf(database);
  return database.read('', async ({ queries }) => {
    const all: Rows = {};
    for (const table of tables) {
      const { rows } = await sql`select * from ${sql.table(table)}`.execute(queries);
      if (rows.length > 0) all[table] = rows.map((row) => JSON.stringify(row)).sort();
    }
    return all;
  });
};

const without = (rows: Rows, tables: readonly string[]): Rows =>
  Object.fromEntries(Object.entries(rows).filter(([table]) => !tables.some((name) => table.startsWith(name))));

/** Runs one migration after another, and has teams write their rows after each as the version of that time did. */
const upgradeStepByStep = async (url: string): Promise<void> => {
  const database = openDatabase(url);
  try {
    let before: Rows = {};
    const steps = Object.entries(MIGRATIONS);
    for (const [index, [name]] of steps.entries()) {
      await database.migrate(Object.fromEntries(steps.slice(0, index + 1)));
      const changed = CHANGED[name] ?? [];
      assert.deepEqual(without(await readRows(database), changed), without(before, changed), name);
      await database.transaction('', async ({ queries }) => {
        for (const team of OLD_TEAMS)
          for (const [table, rows] of Object.entries(oldRowsOf(team)[name] ?? {}))
            for (const row of rows)
              await sql`insert into ${sql.table(table)} values (${sql.join(row)})`.execute(queries);
      });
      before = await readRows(database);
    }
  } finally {
    await database.close();
  }
};

const assertConsistent = async (databaseUrl: string): Promise<void> => {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  assert.ok(await check.run({ databaseUrl, argument: undefined, options: {}, print }), lines.join('\n'));
};

/** What remains of old roll events: the rollers that still exist, by event. */
const rollersOf = (service: Service, team: string) =>
  service.database.read(team, ({ queries }) =>
    queries
      .selectFrom('roll_events')
      .leftJoin('users', (join) =>
        join.onRef('users.team_id', '=', 'roll_events.team_id').onRef('users.roller_id', '=', 'roll_events.roller_id'),
      )
      .select(['users.id as roller', 'roll_events.results', 'roll_events.template_id'])
      .where('roll_events.team_id', '=', team)
      .orderBy('roll_events.id')
      .execute(),
  );

/** Asserts that the first version of an old team is exactly what the team has. */
const assertFirstVersion = async (client: Client): Promise<void> => {
  const { body: versions } = assertDone(await client.get('/catalog/versions'));
  const { changes, ...first } = assertDone(await client.get('/catalog/versions/1')).body;
  assert.deepEqual(
    [versions.length, versions[0].changes, first.count, first.source, first.author, first.message],
    [
      1,
      changes.length,
      changes.length,
      'import',
      { secretId: null, name: 'Itemwright' },
      'The catalog when versions were introduced',
    ],
  );
  for (const kind of ENTITY_KINDS) {
    const path = `/${kind}s`;
    const { body: present } = assertDone(await client.get(path));
    const recorded = changes.filter((change: { kind: string }) => change.kind === kind);
    assert.ok(present.length > 0, `no ${kind}`);
    assert.deepEqual(
      recorded.map(({ id }: { id: string }) => id).sort(),
      present.map(({ id }: { id: string }) => id).sort(),
    );
    for (const { id, action, before, after } of recorded) {
      assert.deepEqual([action, before], ['create', null]);
      const shown = shownEntity(kind, assertDone(await client.get(`${path}/${id}`)).body);
      // What tiers are bound to is not shown.
      assert.deepEqual({ ...after, bindings: {} }, { ...shown, bindings: {} });
    }
  }
};

/** Reads everything that an old team has, and goes on with it. */
const continueWith = async (service: Service, team: string): Promise<void> => {
  const client = service.anyone(basic(team, secretOf(team)));
  const read = async (path: string) => assertDone(await client.get(path)).body;
  const idsOf = async (path: string) => (await read(path)).map(({ id }: { id: string }) => id);

  assert.equal((await read('/team')).name, `Team ${team}`);
  await assertFirstVersion(client);
  const [, edge] = await read('/attributes');
  assert.deepEqual(
    [edge.name, edge.min, edge.max],
    ['Ünï "quoted" \'one\' \\ {a,b} NULL 👾', -Number.MAX_VALUE, 5e-324],
  );
  assert.deepEqual(await idsOf('/items'), ['sword', 'coin']);
  assert.deepEqual(await idsOf('/users'), ['auth0|🐉', 'ann', 'bob']);
  assert.deepEqual(await idsOf('/item-instances'), ['blade', 'penny', 'traded', 'reborn', 'loose']);
  assert.deepEqual(await idsOf('/item-instances?userId=bob'), ['traded', 'reborn', 'loose']);

  const blade = await read('/item-instances/blade');
  assert.equal(blade.attributes[0].value, 12.5);
  const dates = { createdAt: '1970-01-01T00:00:00.006Z', updatedAt: '1970-01-01T00:00:00.007Z' };
  assert.deepEqual(blade.itemInstanceSpace, {
    ...{ id: 'p-blade', itemInstanceId: 'blade', teamUserSpaceId: 'bag-of-ann', teamId: team, ...dates },
    ...{ spacePositionX: 1, spacePositionY: 0, rotated: true },
  });
  const { itemInstances } = await read('/users/ann/spaces/bag-of-ann');
  assert.deepEqual(
    itemInstances.map(({ id, itemInstanceSpace: place }: typeof blade) => [
      ...[id, place.spacePositionX, place.spacePositionY, place.rotated],
    ]),
    [
      ['blade', 1, 0, true],
      ['penny', 0, 3, false],
    ],
  );

  type Event = { sequence: number; event: string; cause: string } & Record<string, string | null>;
  const history = async (id: string) =>
    (await read(`/item-instances/${id}/history`)).map((event: Event) => [
      ...[event.sequence, event.event, event.fromUserId, event.toUserId, event.cause, event.requestId],
      Date.parse(event.createdAt as string),
    ]);
  assert.deepEqual(await history('blade'), [[1, 'created', null, 'ann', 'unknown', null, 5]]);
  assert.deepEqual(await history('traded'), [
    [1, 'created', null, 'ann', 'roll', `roll of ${team}`, 7],
    [2, 'transferred', 'ann', 'bob', 'request', null, 8],
  ]);
  assert.deepEqual(await history('reborn'), [
    [1, 'created', null, 'ann', 'request', 'first', 7],
    [2, 'deleted', 'ann', null, 'batch', 'second', 7],
    [3, 'created', null, 'bob', 'request', 'third', 8],
  ]);
  assert.deepEqual(await history('melted'), [
    [1, 'created', null, null, 'template:banner', null, 7],
    [2, 'deleted', null, null, 'user deleted', null, 8],
  ]);

  const statistics = await read('/roll-events/stats');
  assert.deepEqual([statistics.totalRolls, statistics.rollsByTemplate], [7, { banner: 2 }]);
  const rates = await read('/roll-events/drop-rates?from=2026-01-02&to=2026-01-02');
  assert.deepEqual(
    rates.map(({ itemName, dropCount }: { itemName: string; dropCount: number }) => [itemName, dropCount]).sort(),
    [
      ['Coin', 5],
      ['Relic', 1],
      ['Sword', 1],
    ],
  );
  assert.deepEqual(
    (await rollersOf(service, team)).map(({ roller, results }) => [roller, results]),
    [
      ['ann', '[["coin"],["coin"]]'],
      [null, '[["relic"]]'],
      ['bob', '[["sword",12.5]]'],
      [null, '[["coin"]]'],
      [null, '[["coin"]]'],
      ['ann', '[["coin"]]'],
    ],
  );

  const replayed = assertDone(
    await client.post('/item-instances', OLD_REQUEST, { headers: { 'idempotency-key': OLD_KEY } }),
  );
  assert.deepEqual([replayed.body, replayed.headers.get('idempotency-replayed')], [oldResponse(team), 'true']);

  const { rolls, sinceTop, next } = await read('/users/ann/templates/banner');
  assert.deepEqual([rolls, sinceTop, next[0].rate], [9, 9, 1]);
  const rolled = assertDone(
    await client.post('/templates/banner/roll', { userId: 'ann', userSpaceId: 'bag-of-ann' }),
  ).body;
  assert.deepEqual([rolled.rolls[0].item.id, rolled.state.rolls, rolled.state.sinceTop], ['sword', 10, 0]);
  const { spacePositionX, spacePositionY, rotated } = rolled.rolls[0].itemInstance.itemInstanceSpace;
  assert.deepEqual([spacePositionX, spacePositionY, rotated], [0, 0, false], 'in the first free cells');
  assert.equal((await read('/roll-events/stats')).totalRolls, 8);

  const at = { userId: 'ann', userSpaceId: 'bag-of-ann' };
  const onto = { ...at, itemId: 'coin', spacePositionX: 3, spacePositionY: 0 };
  assert.equal((await client.post('/item-instances', onto)).status, 409);
  assertDone(await client.post('/item-instances/blade/move', { ...at, spacePositionX: 1, spacePositionY: 3 }));
  assertDone(await client.post('/item-instances', onto));
  assertDone(await client.post('/item-instances/traded/transfer', { userId: 'bob', toUserId: 'ann' }));
  assertDone(await client.delete('/item-instances/reborn'));
  assert.deepEqual((await history('traded')).at(-1).slice(0, 4), [3, 'transferred', 'bob', 'ann']);
  assert.equal((await history('reborn')).length, 4);
  assertDone(await client.delete('/users/ann'));
  assert.ok((await rollersOf(service, team)).every(({ roller }) => roller !== 'ann'));
  assert.equal((await read('/roll-events/stats')).totalRolls, 8);
};

for (const engine of ENGINES) {
  describe(`migrations on ${engine}`, () => {
    test('leave nothing behind when one fails, not even the earlier ones', async () => {
      const empty = await createEmptyDatabase(engine);
      const database = openDatabase(empty.url);
      try {
        await assert.rejects(
          database.migrate({
            '0001-first': async (schema) => {
              await schema.schema.createTable('one').addColumn('id', 'text').execute();
              await sql`insert into one (id) values ('a')`.execute(schema);
            },
            '0002-second': async (schema) => {
              await schema.schema.createTable('two').addColumn('id', 'text').execute();
              throw new Error('the second step fails');
            },
          }),
          /the second step fails/,
        );
        assert.deepEqual(await tablesOf(database), []);
        // PostgreSQL also rolls back the migration table itself.
        if (engine === 'sqlite') {
          const noted = await database.read('', ({ queries: reader }) => sql`select * from migrations`.execute(reader));
          assert.deepEqual(noted.rows, []);
        }
        await database.migrate();
        assert.ok((await tablesOf(database)).includes('teams'), 'it can be migrated afterwards');
      } finally {
        await database.close();
        await empty.drop();
      }
    });

    test('run once each, whatever has already run', async () => {
      const empty = await createEmptyDatabase(engine);
      const database = openDatabase(empty.url);
      try {
        const ran: string[] = [];
        const step = (name: string) => async () => {
          ran.push(name);
        };
        await database.migrate({ '0001-a': step('a') });
        await database.migrate({ '0001-a': step('a') });
        await database.migrate({ '0001-a': step('a'), '0002-b': step('b') });
        assert.deepEqual(ran, ['a', 'b']);
      } finally {
        await database.close();
        await empty.drop();
      }
    });

    test('one by one keep the data of the first version, which the service then works with', async () => {
      const empty = await createEmptyDatabase(engine);
      try {
        await upgradeStepByStep(empty.url);
        await assertConsistent(empty.url);
        const service = await startService(empty.url);
        try {
          for (const team of OLD_TEAMS) await continueWith(service, team);
        } finally {
          await service.stop();
        }
        await assertConsistent(empty.url);
      } finally {
        await empty.drop();
      }
    });

    test('keep the counts from before counters were split into parts', async () => {
      const empty = await createEmptyDatabase(engine);
      const database = openDatabase(empty.url);
      try {
        const before = Object.entries(MIGRATIONS).filter(([name]) => name < '0005');
        await database.migrate(Object.fromEntries(before));
        await database.transaction('', async ({ queries: tx }) => {
          await sql`insert into teams (id, name, catalog_version, templates_version, item_count, created_at, updated_at)
            values ('one', 'One', 'c', 't', 0, 0, 0)`.execute(tx);
          for (const [table, columns, rows] of OLD_COUNTS) {
            for (const row of rows)
              await sql`insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
                values (${sql.join(row)})`.execute(tx);
          }
        });
        await database.migrate();
        const kept = await database.read('', ({ queries: reader }) =>
          reader.selectFrom('roll_counts').selectAll().orderBy('day').orderBy('template_id').execute(),
        );
        const key = { team_id: 'one' };
        assert.deepEqual(
          kept.map((row) => ({ ...row })),
          [
            { ...key, day: '', template_id: '', part: 0, rolls: 8, counts: '["a",5,"b",3]' },
            { ...key, day: '', template_id: 't', part: 0, rolls: 4, counts: '["a",4]' },
            { ...key, day: '2026-01-01', template_id: '', part: 0, rolls: 3, counts: '["a",3]' },
            { ...key, day: '2026-01-02', template_id: '', part: 0, rolls: 5, counts: '["a",2,"b",3]' },
            { ...key, day: '2026-01-02', template_id: 't', part: 0, rolls: 4, counts: '["a",4]' },
          ],
        );
      } finally {
        await database.close();
        await empty.drop();
      }
    });

    test('are known by their numbers, so that renaming one does not run it again', async () => {
      const empty = await createEmptyDatabase(engine);
      const database = openDatabase(empty.url);
      try {
        await database.migrate(Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0007')));
        await database.transaction('', async ({ queries }) => {
          await sql`update migrations set name = '0006-an-earlier-name' where name like '0006%'`.execute(queries);
        });
        assert.equal(schemaAge('0006-an-earlier-name'), 'older');
        await database.migrate();
        const contracted = Object.keys(MIGRATIONS).at(-1);
        const state = await database.snapshot((snapshot) => snapshot.schema());
        assert.deepEqual(state, { contracted, expanded: contracted });
        await database.migrate();
      } finally {
        await database.close();
        await empty.drop();
      }
    });

    test('can be started by several processes at once', async () => {
      const empty = await createEmptyDatabase(engine);
      try {
        const all = await Promise.all(
          Array.from({ length: 3 }, () => runToEnd('test/migrate.ts', [], { DATABASE_URL: empty.url })),
        );
        for (const { code, stderr } of all) assert.deepEqual([code, stderr], [0, '']);
        assert.equal(await countTeams(empty.url), 0);
      } finally {
        await empty.drop();
      }
    });

    // SQLite belongs to one service: see test/operations/sqlite-file.test.ts.
    if (engine === 'postgres')
      test('and the first team are created once by two nodes that start together', async () => {
        const empty = await createEmptyDatabase(engine);
        const nodes = await Promise.all(
          [0, 1].map(async () => run('src/main.ts', [], { DATABASE_URL: empty.url, PORT: String(await freePort()) })),
        );
        try {
          await Promise.all(nodes.map((node) => node.said('"msg":"listening"')));
          assert.equal(await countTeams(empty.url), 1);
        } finally {
          for (const { child } of nodes) child.kill('SIGTERM');
          const ended = await Promise.all(nodes.map((node) => node.ended));
          await empty.drop();
          assert.deepEqual(
            ended.map(({ code }) => code),
            [0, 0],
          );
          assert.equal(
            ended.filter(({ stderr }) => stderr.includes('secret ')).length,
            1,
            'one of them shows the secret',
          );
        }
      });
  });
}

describe('a second schema in one PostgreSQL database', () => {
  test('can contain its own service', async () => {
    const empty = await createEmptyDatabase('postgres');
    const first = openDatabase(empty.url);
    const second = openDatabase(`${empty.url}?options=-c%20search_path%3Dsecond`);
    try {
      await first.migrate();
      await assert.rejects(second.migrate(), /search_path/);
      await first.transaction('', ({ queries: tx }) => sql`create schema second`.execute(tx));
      await second.migrate();
      await second.migrate();
      await second.maintain();
      for (const [database, names] of [
        [first, ['one']],
        [second, ['two', 'three']],
      ] as const)
        for (const name of names) await database.transaction('', (tx) => createTeam(tx, Date.now(), { name }));
      const countOf = async (database: typeof first) =>
        (await database.read('', ({ queries }) => queries.selectFrom('teams').select('id').execute())).length;
      assert.deepEqual([await countOf(first), await countOf(second)], [1, 2]);
    } finally {
      await Promise.all([first.close(), second.close()]);
      await empty.drop();
    }
  });
});
