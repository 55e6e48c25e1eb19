import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { MIGRATIONS } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open.ts';
import { earliestId } from '../../src/shared/ids.ts';
import { LIMITS } from '../../src/shared/limits.ts';
import { doAllChores, lookAtAll } from '../chores.ts';
import { OF_TEAMS, script } from '../citus.ts';
import { type Client, type Service, startService } from '../harness.ts';
import { walkThroughInterface } from '../walk.ts';

const { TEST_CITUS_URL } = process.env;
const skip = TEST_CITUS_URL === undefined && 'TEST_CITUS_URL names no coordinator of a Citus cluster';

/** Statements about tables, with their parameters, that were sent while a function ran. */
const statementsOf = async (run: () => Promise<void>): Promise<{ text: string; values: unknown[] }[]> => {
  const sent = new Map<string, unknown[]>();
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
  pg.Client.prototype.query = function spy(this: pg.Client, ...args: unknown[]) {
    const [given, values] = args as [string | { text: string; values?: unknown[] }, unknown[] | undefined];
    const text = typeof given === 'string' ? given : given.text;
    if (/^(select|insert|update|delete)\b/.test(text))
      sent.set(text, (typeof given === 'string' ? values : given.values) ?? []);
    return query.apply(this, args);
  } as typeof pg.Client.prototype.query;
  try {
    await run();
  } finally {
    pg.Client.prototype.query = query as typeof pg.Client.prototype.query;
  }
  return [...sent].map(([text, values]) => ({ text, values }));
};

describe('on Citus, with the tables distributed by team', { skip }, () => {
  const schema = `test_${Date.now()}`;
  const onServer = (server: string): string => `${server}?options=-c%20search_path%3D${schema}`;
  const url = onServer(TEST_CITUS_URL ?? '');
  let administrator: pg.Client;

  before(async () => {
    const client = new pg.Client({ connectionString: TEST_CITUS_URL });
    await client.connect();
    await client.query(`create schema ${schema}`);
    await client.end();
    const database = openDatabase(url);
    await database.migrate();
    await database.close();
    administrator = new pg.Client({ connectionString: url });
    await administrator.connect();
    await administrator.query(script);
  });
  after(async () => {
    await administrator?.query(`drop schema ${schema} cascade`);
    await administrator?.end();
  });

  const withService = async (use: (service: Service) => Promise<void>, at = url): Promise<void> => {
    const service = await startService(at);
    try {
      await use(service);
    } finally {
      await service.stop();
    }
  };

  const spread = async (): Promise<string[]> => {
    const { rows } = await administrator.query(
      "select logicalrelid::text as name from pg_dist_partition where partmethod = 'h' and logicalrelid::regclass::text = any($1)",
      [[...OF_TEAMS, 'later']],
    );
    return rows.map(({ name }) => name).sort();
  };

  /** The URL of the worker that has the rows of a team, or of the other one. */
  const workerOf = async ({ teamId }: Client, hasTeam = true): Promise<string> => {
    const { rows } = await administrator.query(
      `select nodename, nodeport from pg_dist_node join pg_dist_placement using (groupid)
        where (shardid = get_shard_id_for_distribution_column('teams', $1::text)) = $2 and groupid > 0 limit 1`,
      [teamId, hasTeam],
    );
    const worker = new URL(TEST_CITUS_URL ?? '');
    worker.hostname = rows[0].nodename;
    worker.port = rows[0].nodeport;
    return onServer(worker.href);
  };

  test('every operation works, for teams on several workers', { timeout: 300_000 }, async () => {
    assert.deepEqual(await spread(), [...OF_TEAMS].sort());
    await withService(async (service) => {
      const teams = [service, await service.anotherTeam(), await service.anotherTeam()];
      await Promise.all(teams.map((team) => walkThroughInterface(team)));
    });
  });

  test('statements of one team are for one shard, and are not collected by the coordinator', {
    timeout: 300_000,
  }, async () => {
    const statements = await statementsOf(() =>
      withService(async (service) => {
        await walkThroughInterface(service);
        // Several rows in one statement.
        await Promise.all(['a', 'b', 'c'].map((id) => service.post('/users', { id: `user-${id}` })));
      }),
    );
    const faults: string[] = [];
    let explained = 0;
    await administrator.query(`begin; set local enable_seqscan = off`);
    for (const { text, values } of statements) {
      if (!/team_id"? = (\$|cast)|insert into "?\w+"? \("?team_id/.test(text)) continue;
      await administrator.query('savepoint one');
      const { rows } = await administrator.query(`explain (costs off) ${text}`, values);
      await administrator.query('rollback to savepoint one');
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      explained += 1;
      if (/Task Count: (?!1$)/m.test(plan) || /pull to coordinator|Distributed Subplan/.test(plan))
        faults.push(`${text}\n${plan}`);
    }
    await administrator.query('rollback');
    assert.ok(explained > 100, `${explained} statements`);
    assert.deepEqual(faults, []);
  });

  test('so does all background work, including retention', { timeout: 300_000 }, async () => {
    await withService(async (service) => {
      const teams = [service, await service.anotherTeam(), await service.anotherTeam()];
      await lookAtAll(service);
      await doAllChores(service, teams);
      for (const { teamId } of teams) {
        const left = await administrator.query(
          `select (select count(*) from roll_events where team_id = $1) as rolls,
            (select count(*) from item_instance_history where team_id = $1) as events,
            (select count(*) from catalog_drafts where team_id = $1) as drafts`,
          [teamId],
        );
        assert.deepEqual(left.rows[0], { rolls: '0', events: '0', drafts: '0' });
      }
      await service.database.checkConnections(1);
    });
  });

  test('partitions are added, and rows moved to them', { timeout: 120_000 }, async () => {
    const { rows } = await administrator.query(
      `select inhrelid::regclass::text as name from pg_inherits
        where inhparent = 'roll_events'::regclass and inhrelid <> 'roll_events_rest'::regclass`,
    );
    for (const { name } of rows) await administrator.query(`drop table ${name}`);
    for (const team of ['one', 'two'])
      await administrator.query(`insert into roll_events (team_id, id, rolled_at, results) values ($1, $2, 0, '[]')`, [
        team,
        earliestId(Date.now()),
      ]);
    const recorded = async (table: string): Promise<number> => {
      const found = await administrator.query(`select count(*) from ${table} where team_id in ('one', 'two')`);
      return Number(found.rows[0].count);
    };
    assert.equal(await recorded('roll_events_rest'), 2);
    const database = openDatabase(url);
    await database.maintain();
    await database.close();
    assert.equal(await recorded('roll_events_rest'), 0);
    assert.equal(await recorded('roll_events'), 2);
  });

  test('a row that someone else has locked delays nobody else', { timeout: 120_000 }, async () => {
    await withService(async (service) => {
      await service.post('/items', { id: 'coin', name: 'Coin' });
      await service.post('/templates', { id: 'banner', name: 'Banner', config: { baseRates: { a: 1 } } });
      await Promise.all(['ann', 'bob'].map((id) => service.post('/users', { id })));
      await service.post('/item-instances', { id: 'locked', itemId: 'coin', userId: 'ann' });
      const other = new pg.Client({ connectionString: url });
      await other.connect();
      try {
        await other.query('begin');
        await other.query('update item_instances set updated_at = 1 where team_id = $1 and id = $2', [
          service.teamId,
          'locked',
        ]);
        const waiting = service.post('/item-instances/locked/transfer', { userId: 'ann', toUserId: 'bob' });
        await delay(LIMITS.postgresGroupLockMs / 2);
        let isWaiting = true;
        waiting.finally(() => {
          isWaiting = false;
        });
        // They end while the other one waits, without a limit on how fast they are.
        for (let count = 0; count < 20; count += 1)
          assert.equal((await service.post('/item-instances', { itemId: 'coin', userId: 'bob' })).status, 200);
        assert.equal(isWaiting, true);
        await other.query('rollback');
        assert.equal((await waiting).status, 200);
      } finally {
        await other.end();
      }
    });
  });

  test('settings of a transaction reach the worker', { timeout: 120_000 }, async () => {
    await withService(async (service) => {
      const { rows } = await service.database.read(service.teamId, ({ queries }) =>
        sql<{ seqscan: string; lock: string }>`select current_setting('enable_seqscan') as seqscan,
          current_setting('lock_timeout') as lock from teams where id = ${service.teamId}`.execute(queries),
      );
      assert.deepEqual(rows, [{ seqscan: 'off', lock: '0' }]);
    });
  });

  test('tables that have grown on the workers are analyzed', { timeout: 120_000 }, async () => {
    await withService(async (service) => {
      await administrator.query(
        `insert into users (team_id, id, created_at, updated_at, roller_id)
          select $1, 'grown-' || number, 0, 0, 'roller-' || number from generate_series(1, 20000) as number`,
        [service.teamId],
      );
      const database = openDatabase(url);
      await database.maintain();
      await database.close();
      const { rows } = await administrator.query(
        `select result::int as pages from run_command_on_shards('users',
          $$select relpages from pg_class where oid = '%s'::regclass$$) where success`,
      );
      assert.ok(Math.max(...rows.map(({ pages }) => pages)) > 100);
    });
  });

  test('nodes may be connected to the workers', { timeout: 300_000 }, async () => {
    await withService(async (coordinator) => {
      for (const hasTeam of [true, false])
        await withService(
          async (node) => {
            // Its own team may be anywhere; this one is known to be there, or not.
            await walkThroughInterface(node);
            await node.database.maintain();
            await doAllChores(node, [node]);
            const { rows } = await administrator.query('select count(*) from roll_events where team_id = $1', [
              node.teamId,
            ]);
            assert.equal(rows[0].count, '0');
          },
          await workerOf(coordinator, hasTeam),
        );
    });
  });

  test('a lock of a team holds between nodes on different servers', { timeout: 120_000 }, async () => {
    await withService(async (service) => {
      const databases = [
        openDatabase(url),
        openDatabase(await workerOf(service)),
        openDatabase(await workerOf(service, false)),
      ];
      const order: string[] = [];
      await Promise.all(
        databases.map((database, index) =>
          database.transaction(service.teamId, async (tx) => {
            await tx.exclude('grids');
            order.push(`in ${index}`);
            await delay(300);
            order.push(`out ${index}`);
          }),
        ),
      );
      for (let place = 0; place < order.length; place += 2)
        assert.equal(order[place]?.slice(3), order[place + 1]?.slice(4), order.join(', '));
      for (const database of databases) await database.close();
    });
  });

  test('later migrations run, and the same script distributes new tables', { timeout: 120_000 }, async () => {
    const database = openDatabase(url);
    try {
      await database.migrate({
        ...MIGRATIONS,
        '9999-later': async (migrating) => {
          await migrating.schema.alterTable('users').addColumn('note', 'text').execute();
          await migrating.schema.createIndex('users_noted').on('users').columns(['team_id', 'note']).execute();
          await sql`create table later
            (team_id text collate "C" not null, id text not null, primary key (team_id, id))`.execute(migrating);
        },
      });
      const later = script.replace("'teams',", "'teams',\n    'later',");
      await administrator.query(later);
      assert.ok((await spread()).includes('later'));
    } finally {
      await database.close();
    }
  });
});
