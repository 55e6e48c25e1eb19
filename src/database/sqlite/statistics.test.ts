import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createEmptyDatabase } from '../../../test/harness.ts';
import { openDatabase } from '../open.ts';
import { NO_TEAM } from '../work.ts';

test('SQLite uses the most selective index, and never reads all rows of a team', async () => {
  const { url, drop } = await createEmptyDatabase('sqlite');
  const database = openDatabase(url);
  await database.migrate();
  await database.close();
  const raw = new DatabaseSync(url.replace('sqlite:', ''));
  const planOf = (query: string): string[] =>
    raw
      .prepare(`explain query plan ${query}`)
      .all()
      .map(({ detail }) => String(detail));
  for (const [query, found] of [
    [
      "select id from item_instances where team_id = 'a' and user_id = 'b' order by id",
      /of_user \(team_id=\? AND user_id/,
    ],
    [
      "delete from item_instance_spaces where team_id = 'a' and item_instance_id = 'b'",
      /by_instance \(team_id=\? AND item/,
    ],
    ["select * from item_instances where team_id = 'a' and id = 'b'", /PRIMARY KEY \(team_id=\? AND id=\?\)/],
    [
      "select item_instance_id, max(x) from item_instance_spaces where team_id = 'a' and user_space_id = 'b' group by 1",
      /PRIMARY KEY \(team_id=\? AND user_space_id=\?\)/,
    ],
    [
      "select id from item_instance_spaces where team_id = 'a' and part = 0 order by created_at, id limit 10",
      /in_order \(team_id=\?\)/,
    ],
  ] as const)
    assert.match(planOf(query)[0] ?? '', found, query);
  raw.close();
  await drop();
});

test('a start waits for a transaction of the same process instead of keeping it from ending', async () => {
  const { url, drop } = await createEmptyDatabase('sqlite');
  const [first, second] = [openDatabase(url), openDatabase(url)];
  await first.migrate();
  const writing = first.transaction(NO_TEAM, () => delay(200));
  await delay(50);
  await second.migrate();
  await writing;
  for (const database of [first, second]) await database.close();
  await drop();
});
