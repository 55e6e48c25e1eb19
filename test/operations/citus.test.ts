import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { MIGRATIONS } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open.ts';
import { foldCounts, teamsToFold } from '../../src/features/statistics/roll-counts.service.ts';
import { deleteOldResponses } from '../../src/http/idempotency.store.ts';
import { OF_TEAMS, script } from '../citus.ts';
import { startService } from '../harness.ts';
import { walkThroughInterface } from '../walk.ts';

const { TEST_CITUS_URL } = process.env;
const skip = TEST_CITUS_URL === undefined && 'TEST_CITUS_URL names no coordinator of a Citus cluster';

describe('on Citus, with the tables distributed by team', { skip }, () => {
  const schema = `test_${Date.now()}`;
  const url = `${TEST_CITUS_URL}?options=-c%20search_path%3D${schema}`;
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

  const spread = async (): Promise<string[]> => {
    const { rows } = await administrator.query(
      "select logicalrelid::text as name from pg_dist_partition where partmethod = 'h' and logicalrelid::regclass::text = any($1)",
      [[...OF_TEAMS, 'later']],
    );
    return rows.map(({ name }) => name).sort();
  };

  test('every operation works, for teams on several workers', { timeout: 300_000 }, async () => {
    assert.deepEqual(await spread(), [...OF_TEAMS].sort());
    const service = await startService(url);
    try {
      const teams = [service, await service.anotherTeam(), await service.anotherTeam()];
      await Promise.all(teams.map((team) => walkThroughInterface(team)));
    } finally {
      await service.stop();
    }
  });

  test('so does background work', { timeout: 120_000 }, async () => {
    const database = openDatabase(url);
    try {
      await database.checkConnections(1);
      await database.maintain();
      await database.read('', teamsToFold);
      const { rows } = await administrator.query('select id from teams');
      for (const { id } of rows) await database.transaction(id, (tx) => foldCounts(tx, 100));
      assert.ok((await database.transaction('', (tx) => deleteOldResponses(tx, Date.now() + 1, 1000))) > 20);
    } finally {
      await database.close();
    }
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
