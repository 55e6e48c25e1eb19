import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { MIGRATIONS } from '../src/database/migrate.ts';
import { openDatabase } from '../src/database/open.ts';
import { createTeam } from '../src/features/teams/teams.service.ts';
import { createEmptyDatabase, ENGINES } from './harness.ts';
import { freePort, run, runToEnd } from './processes.ts';

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

    test('can be started by several processes at once', async () => {
      const empty = await createEmptyDatabase(engine);
      try {
        const all = await Promise.all(
          Array.from({ length: 3 }, (_, n) =>
            runToEnd('src/cli.ts', ['team', 'create', `Team ${n}`], { DATABASE_URL: empty.url }),
          ),
        );
        for (const { code, stderr } of all) assert.deepEqual([code, stderr], [0, '']);
        assert.equal(await countTeams(empty.url), 3);
      } finally {
        await empty.drop();
      }
    });

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
