import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { MIGRATIONS } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open.ts';
import { TABLES } from '../../src/database/tables.ts';
import { foldCounts, teamsToFold } from '../../src/features/statistics/roll-counts.service.ts';
import { deleteOldResponses } from '../../src/http/idempotency.store.ts';
import { createEmptyDatabase, type EmptyDatabase, startService } from '../harness.ts';
import { walkThroughInterface } from '../walk.ts';

const script = await readFile(new URL('../../docs/citus.sql', import.meta.url), 'utf8');

/** The tables in a list of the script. */
const listed = (name: string): string[] => {
  const [, list = ''] = new RegExp(`\\b${name} constant text\\[\\] := array\\[([^\\]]*)\\]`).exec(script) ?? [];
  return [...list.matchAll(/'(\w+)'/g)].map(([, table]) => table as string);
};

const OF_TEAMS = listed('of_teams');

describe('the tables', () => {
  let empty: EmptyDatabase;
  let client: pg.Client;

  before(async () => {
    empty = await createEmptyDatabase('postgres');
    const database = openDatabase(empty.url);
    await database.migrate();
    await database.close();
    client = new pg.Client({ connectionString: empty.url });
    await client.connect();
  });
  after(async () => {
    await client?.end();
    await empty?.drop();
  });

  test('are all distributed by docs/citus.sql, referenced tables first', () => {
    assert.deepEqual([...listed('of_all'), ...OF_TEAMS].sort(), [...TABLES].sort());
    assert.deepEqual(
      OF_TEAMS,
      TABLES.filter((table) => OF_TEAMS.includes(table)),
    );
  });

  test('have the team in every key, which distribution requires', async () => {
    const { rows } = await client.query(
      `select relation.relname as table, index.relname as key, array(
          select attname::text from pg_attribute where attrelid = index.oid) as columns
        from pg_index join pg_class as index on index.oid = indexrelid join pg_class as relation on relation.oid = indrelid
        where indisunique and relation.relname = any($1)`,
      [OF_TEAMS],
    );
    assert.ok(rows.length >= OF_TEAMS.length);
    for (const { table, key, columns } of rows)
      assert.ok(columns.includes(table === 'teams' ? 'id' : 'team_id'), `${key} of ${table}`);
  });

  test('refer only to rows of the same team', async () => {
    const { rows } = await client.query(
      `select conname as name, pg_get_constraintdef(oid) as text from pg_constraint
        where contype = 'f' and conrelid::regclass::text = any($1)`,
      [OF_TEAMS],
    );
    assert.ok(rows.length > 10);
    for (const { name, text } of rows)
      assert.match(
        text,
        /^FOREIGN KEY \(team_id(, \w+\) REFERENCES \w+\(team_id, id\)|\) REFERENCES teams\(id\))/,
        name,
      );
  });
});

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
