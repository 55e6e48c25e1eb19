/**
 * Moves a large database from SQLite to PostgreSQL and back: `node bench/move.ts [rolls] [instances]`. Row counts and
 * hashes of every table, and the responses of the service, must be the same everywhere. Backup, restore and check are
 * timed too, unless the last argument is `--moves`.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backup } from '../src/cli/backup.ts';
import { check } from '../src/cli/check.ts';
import type { Command } from '../src/cli/command.ts';
import { move } from '../src/cli/move.ts';
import { restore } from '../src/cli/restore.ts';
import type { Options } from '../src/cli/shared.ts';
import { openDatabase } from '../src/database/open.ts';
import { tableIn } from '../src/database/transfer.ts';
import type { Load, Value } from '../src/database/work.ts';
import { newId } from '../src/shared/ids.ts';
import { utcDay } from '../src/shared/time.ts';
import { basic, type Client, startService } from '../test/harness.ts';
import { responsesOf } from '../test/played.ts';
import { startPostgres } from '../test/postgres.ts';

const [ROLLS, INSTANCES] = [Number(process.argv[2] ?? 1_000_000), Number(process.argv[3] ?? 100_000)];
const USERS = Math.ceil(INSTANCES / 10);
const ITEMS = 200;
const BAG = { cols: 10, rows: 10 };
/** How many pages of each list to request. */
const PAGES = 3;
const ROWS_AT_ONCE = 2000;
const START_MS = Date.UTC(2026, 0, 1);
/** The rolls are spread over thirty days. */
const MS_PER_ROLL = Math.floor((30 * 86_400_000) / ROLLS);

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const itemId = (index: number): string => `item-${index % ITEMS}`;
const userId = (index: number): string => `player-${index}`;
const bagId = (index: number): string => `bag-${index}`;

/** Creates the catalog through the API. */
const furnish = async (client: Client): Promise<void> => {
  const must = async (path: string, body: object) => {
    const response = await client.post(path, body);
    assert.equal(response.status, 200, JSON.stringify(response.body));
    return response.body;
  };
  await must('/attributes', { id: 'power', name: 'Power', min: 0, max: 1 });
  const { classifierOptions } = await must('/classifiers', {
    name: 'Rarity',
    classifierOptions: [{ name: 'five' }, { name: 'three' }],
  });
  for (let index = 0; index < ITEMS; index += 1)
    await must('/items', {
      id: itemId(index),
      name: `Item ${index}`,
      itemAttributes: [{ attributeId: 'power', min: 0, max: 1 }],
      classifierOptionIds: [classifierOptions[index % 10 === 0 ? 0 : 1].id],
    });
  await must('/spaces', { id: 'bag', name: 'Bag', ...BAG });
  await must('/templates', {
    id: 'banner',
    name: 'Banner',
    config: { baseRates: { five: 0.01, three: 0.99 }, pityTier: 'five', pityThreshold: 90 },
  });
};

/** Inserts the rows of many users directly. */
const fill = async (load: Load, teamId: string): Promise<void> => {
  const insert = async (name: string, columns: readonly string[], count: number, row: (index: number) => Value[]) => {
    const known = await tableIn(load, name);
    const table = {
      ...known,
      columns: columns.map((column) => ({
        name: column,
        type: known.columns.find((one) => one.name === column)?.type ?? 'text',
      })),
    };
    for (let start = 0; start < count; start += ROWS_AT_ONCE) {
      const some = Math.min(ROWS_AT_ONCE, count - start);
      await load.insert(
        table,
        Array.from({ length: some }, (_, index) => [teamId, ...row(start + index)]),
      );
    }
  };
  const rollerIds = Array.from({ length: USERS }, newId);
  const instanceIds = Array.from({ length: INSTANCES }, newId);
  await insert('users', ['team_id', 'id', 'roller_id', 'created_at', 'updated_at'], USERS, (index) => [
    userId(index),
    rollerIds[index] as string,
    START_MS + index,
    START_MS + index,
  ]);
  await insert('user_states', ['team_id', 'user_id', 'scope', 'template_id', 'state'], USERS, (index) => [
    userId(index),
    'template:banner',
    'banner',
    JSON.stringify({ own: { rolls: 100, sparkPoints: 0, idle: null }, pity: { counters: [], losses: index % 2 } }),
  ]);
  const instanceColumns = ['team_id', 'id', 'item_id', 'user_id', 'attribute_values', 'cause', 'request_id'];
  await insert('item_instances', [...instanceColumns, 'created_at', 'updated_at'], INSTANCES, (index) => [
    instanceIds[index] as string,
    itemId(index),
    userId(index % USERS),
    JSON.stringify({ power: Math.sqrt(index) % 1 }),
    'request',
    `request-${index}`,
    START_MS + index,
    START_MS + index,
  ]);
  // One in five was transferred from a neighbour.
  const eventColumns = ['team_id', 'item_instance_id', 'sequence', 'item_id', 'event', 'from_user_id', 'to_user_id'];
  await insert(
    'item_instance_history',
    [...eventColumns, 'cause', 'created_at', 'request_id'],
    INSTANCES / 5,
    (index) => [
      instanceIds[index * 5] as string,
      2,
      itemId(index * 5),
      'transferred',
      userId((index * 5 + 1) % USERS),
      userId((index * 5) % USERS),
      'request',
      START_MS + index,
      null,
    ],
  );
  await insert('user_spaces', ['team_id', 'id', 'user_id', 'space_id', 'created_at', 'updated_at'], USERS, (index) => [
    bagId(index),
    userId(index),
    'bag',
    START_MS + index,
    START_MS + index,
  ]);
  const cellColumns = ['team_id', 'user_space_id', 'y', 'x', 'item_instance_id', 'part', 'id', 'rotated'];
  await insert('item_instance_spaces', [...cellColumns, 'created_at', 'updated_at'], INSTANCES, (index) => [
    bagId(index % USERS),
    0,
    Math.floor(index / USERS),
    instanceIds[index] as string,
    0,
    newId(),
    0,
    START_MS + index,
    START_MS + index,
  ]);
  const placedIn = (user: number): number => Math.ceil((INSTANCES - user) / USERS);
  await insert('user_space_rows', ['team_id', 'user_space_id', 'y', 'taken'], USERS, (index) => [
    bagId(index),
    0,
    (2 ** placedIn(index) - 1).toString(16),
  ]);
  const counts = new Map<string, Map<string, number>>();
  const count = (day: string, templateId: string, item: string): void => {
    const key = `${day}\n${templateId}`;
    const ofKey = counts.get(key) ?? new Map<string, number>();
    counts.set(key, ofKey.set(item, (ofKey.get(item) ?? 0) + 1));
  };
  await insert('roll_events', ['team_id', 'id', 'template_id', 'roller_id', 'rolled_at', 'results'], ROLLS, (index) => {
    const templateId = index % 2 === 0 ? 'banner' : null;
    const rolledAt = START_MS + index * MS_PER_ROLL;
    for (const day of [utcDay(rolledAt), '']) count(day, templateId ?? '', itemId(index));
    return [
      newId(),
      templateId,
      rollerIds[index % USERS] as string,
      rolledAt,
      `[["${itemId(index)}",${Math.sqrt(index) % 1}]]`,
    ];
  });
  const counters = [...counts];
  await insert(
    'roll_counts',
    ['team_id', 'day', 'template_id', 'part', 'rolls', 'counts'],
    counters.length,
    (index) => {
      const [key, ofKey] = counters[index] as (typeof counters)[number];
      const [day = '', templateId = ''] = key.split('\n');
      return [day, templateId, 0, ofKey.values().reduce((sum, one) => sum + one, 0), JSON.stringify([...ofKey].flat())];
    },
  );
};

/** Runs a command as the CLI would, and prints how long it took. */
const run = async (what: string, command: Command, databaseUrl: string, argument?: string, options: Options = {}) => {
  const lines: string[] = [];
  const startedMs = performance.now();
  const before = process.cpuUsage();
  assert.ok(await command.run({ databaseUrl, argument, options, print: (line) => lines.push(line) }), lines.join('\n'));
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const { user, system } = process.cpuUsage(before);
  print(
    `${what.padEnd(28)} ${seconds.padStart(8)} s, of which ${((user + system) / 1e6).toFixed(1)} s CPU in this process`,
  );
  return lines;
};

const folder = await mkdtemp(join(tmpdir(), 'itemwright-move-'));
const postgres = await startPostgres();
try {
  const [first, last, restored] = ['first', 'last', 'restored'].map((name) => `sqlite:${join(folder, `${name}.db`)}`);
  const middle = await postgres.create('moved');
  const service = await startService(first as string);
  await furnish(service);
  await service.stop();
  const { teamId, secret } = service;
  const database = openDatabase(first as string);
  const startedMs = performance.now();
  await database.load((load) => fill(load, teamId));
  await database.close();
  print(
    `${ROLLS} rolls and ${INSTANCES} instances created in ${((performance.now() - startedMs) / 1000).toFixed(1)} s\n`,
  );

  const away = await run('move SQLite to PostgreSQL', move, first as string, undefined, { to: middle });
  const home = await run('move PostgreSQL to SQLite', move, middle, undefined, { to: last });
  const places = [first, middle, last] as string[];
  if (!process.argv.includes('--moves')) {
    const file = join(folder, 'backup.jsonl.gz');
    await run('check on SQLite', check, first as string);
    await run('check on PostgreSQL', check, middle);
    await run('backup of PostgreSQL', backup, middle, file);
    await run('restore to SQLite', restore, restored as string, file);
    await run('restore to PostgreSQL', restore, middle, file, { replace: true });
    await run('backup of SQLite', backup, restored as string, file, { force: true });
    print(`backup file ${(await stat(file)).size} bytes`);
    places.push(restored as string);
  }
  print('');

  for (const line of away.slice(0, -1)) print(line);
  assert.deepEqual(home.slice(0, -1), away.slice(0, -1), 'both moves copied the same data');
  const responses: unknown[] = [];
  for (const url of places) {
    const moved = await startService(url);
    responses.push(await responsesOf(moved.anyone(basic(teamId, secret)), PAGES));
    await moved.stop();
  }
  for (const other of responses) assert.deepEqual(other, responses[0]);
  print(`\n${Object.keys(responses[0] as object).length} responses of the service are the same everywhere`);
  const { heapUsed, rss } = process.memoryUsage();
  print(`memory at the end: ${Math.round(heapUsed / 2 ** 20)} MiB of heap, ${Math.round(rss / 2 ** 20)} MiB in total`);
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
