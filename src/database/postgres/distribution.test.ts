import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { listed, OF_TEAMS } from '../../../test/citus.ts';
import { createEmptyDatabase, type EmptyDatabase } from '../../../test/harness.ts';
import { MIGRATION_TABLES } from '../migrate.ts';
import { openDatabase } from '../open.ts';
import { TABLES } from '../tables.ts';

describe('the tables on PostgreSQL', () => {
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

  test('are all distributed by docs/operate/citus.sql, referenced tables first', () => {
    assert.deepEqual([...listed('of_all'), ...OF_TEAMS].sort(), [...TABLES, ...MIGRATION_TABLES].sort());
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
