import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { backup } from '../../src/cli/backup.ts';
import { type Contents, readBackup, writeBackup } from '../../src/cli/backup-file.ts';
import { check } from '../../src/cli/check.ts';
import { restore } from '../../src/cli/restore.ts';
import type { Options } from '../../src/cli/shared.ts';
import { MIGRATIONS } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open.ts';
import { TABLES } from '../../src/database/tables.ts';
import { digestOf as contentsOf, tableIn } from '../../src/database/transfer.ts';
import type { Database, Snapshot, Value } from '../../src/database/work.ts';
import { digestOf } from '../../src/shared/digest.ts';
import {
  basic,
  createEmptyDatabase,
  ENGINES,
  type Engine,
  onEveryQuietDatabase,
  type Service,
  startQuietService,
  startService,
} from '../harness.ts';
import { createGame, responsesOf } from '../played.ts';
import { run, runToEnd } from '../processes.ts';

const COMMANDS = { backup, restore, check };

/** Runs a command in this process, which is faster, and returns its output; it must succeed. */
const itemwright = async (
  databaseUrl: string,
  name: keyof typeof COMMANDS,
  argument?: string,
  options: Options = {},
) => {
  const lines: string[] = [];
  const call = { databaseUrl, argument, options, print: (line: string) => void lines.push(line) };
  assert.ok(await COMMANDS[name].run(call), lines.join('\n'));
  return lines.join('\n');
};

/** Runs a command in its own process, as beside a running service. */
const itemwrightApart = async (databaseUrl: string, ...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await runToEnd('src/cli.ts', args, { DATABASE_URL: databaseUrl });
  assert.equal(stderr, '', args.join(' '));
  assert.equal(code, 0, stdout);
  return stdout;
};

const tablesOf = ({ tables }: Contents) => tables.map(({ table, rows, sha256 }) => ({ table, rows, sha256 }));

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'itemwright-backup-'));
});
after(() => rm(folder, { recursive: true, force: true }));
let files = 0;
const newFile = (): string => {
  files += 1;
  return join(folder, `${files}.jsonl.gz`);
};

/** A database whose backup and restore take a while. */
const createLargeDatabase = async () => {
  const made = await createEmptyDatabase('sqlite');
  const database = openDatabase(made.url);
  await database.migrate();
  await database.load(async (load) => {
    const team: Value[] = ['t', 'T', 'v', 0, 1, 1, 0, 0];
    await load.insert(await tableIn(load, 'teams'), [team]);
    const rolls = Array.from({ length: 50_000 }, (_, index): Value[] => ['t', `roll-${index}`, null, null, 1, '[]']);
    await load.insert(await tableIn(load, 'roll_events'), rolls);
  });
  await database.close();
  return made;
};

/** The contents of a database, according to a backup of it. */
const holdings = async (databaseUrl: string) => {
  const file = newFile();
  await itemwright(databaseUrl, 'backup', file);
  return tablesOf(await readBackup(file));
};

/** The service on another database, called by the team of the first. */
const withService = async <T>(
  url: string,
  { teamId, secret }: Service,
  use: (other: Service, asBefore: Service) => Promise<T>,
) => {
  const other = await startQuietService(url);
  try {
    return await use(other, other.anyone(basic(teamId, secret)) as Service);
  } finally {
    await other.stop();
  }
};

/** A backup as another version would have written it. */
const backupAsOf = async (database: Database, schema: string, tables: readonly string[]): Promise<string> => {
  const file = newFile();
  const taken = { engine: database.engine, schema, takenAt: new Date().toISOString(), tables };
  await database.snapshot((snapshot) => writeBackup(snapshot, createWriteStream(file), taken));
  return file;
};

onEveryQuietDatabase('a backup', (service, engine) => {
  let game: Awaited<ReturnType<typeof createGame>>;
  before(async () => {
    game = await createGame(service());
    await game.play(6);
  });

  for (const other of ENGINES) {
    test(`is restored on ${other}, where the service responds as before`, async () => {
      const keyed = ['/items/roll', { userId: 'replayed' }, { headers: { 'idempotency-key': `to ${other}` } }] as const;
      const { body: rolled } = await service().post(...keyed);
      const file = newFile();
      assert.match(
        await itemwright(service().databaseUrl, 'backup', file),
        new RegExp(`${TABLES.length} tables, [\\d,]+ rows`),
      );
      const expected = await responsesOf(service());
      assert.ok(Object.keys(expected).length > 40);
      const empty = await createEmptyDatabase(other);
      try {
        assert.match(await itemwright(empty.url, 'restore', file), /^restored [\d,]+ rows/m);
        assert.deepEqual(await holdings(empty.url), tablesOf(await readBackup(file)));
        await withService(empty.url, service(), async (_, asBefore) => {
          assert.deepEqual(await responsesOf(asBefore), expected);
          const again = await asBefore.post(...keyed);
          assert.equal(again.headers.get('idempotency-replayed'), 'true');
          assert.deepEqual(again.body, rolled);
        });
      } finally {
        await empty.drop();
      }
    });
  }

  test('contains nothing that is written after it starts', async () => {
    const look = async (snapshot: Snapshot) => {
      const digests = [];
      for (const name of ['users', 'item_instances', 'roll_events'])
        digests.push(await contentsOf(snapshot, await tableIn(snapshot, name)));
      return digests;
    };
    const { database } = service();
    const [first, second] = await database.snapshot(async (snapshot) => {
      const before = await look(snapshot);
      assert.equal((await service().post('/items/roll', { userId: 'late' })).status, 200);
      return [before, await look(snapshot)];
    });
    assert.deepEqual(second, first);
    for (const [index, digest] of (await database.snapshot(look)).entries()) assert.notDeepEqual(digest, first[index]);
  });

  test('is a consistent snapshot of a service under load', async () => {
    let isOver = false;
    const playing = game.play(Number.POSITIVE_INFINITY, () => isOver);
    const file = newFile();
    await itemwrightApart(service().databaseUrl, 'backup', file);
    isOver = true;
    await playing;
    const empty = await createEmptyDatabase(engine);
    try {
      await itemwright(empty.url, 'restore', file);
      assert.match(await itemwright(empty.url, 'check'), /^no problems found/);
    } finally {
      await empty.drop();
    }
  });

  test('replaces the data of a running service, which continues with the restored data', async () => {
    const file = newFile();
    await itemwright(service().databaseUrl, 'backup', file);
    const expected = await responsesOf(service());
    const empty = await createEmptyDatabase(engine);
    try {
      await withService(empty.url, service(), async (other, asBefore) => {
        // The same team with another catalog, compiled and cached by the service.
        await other.post('/items', { id: 'other', name: 'Other' });
        assert.equal((await other.post('/items/roll', {})).body.item.id, 'other');
        const before = await holdings(empty.url);
        await assert.rejects(itemwright(empty.url, 'restore', file), /is not empty \(teams has rows\); use --replace/);
        assert.deepEqual(await holdings(empty.url), before);
        let isOver = false;
        const statuses = new Set<number>();
        const rolling = (async () => {
          while (!isOver) statuses.add((await other.post('/items/roll', {})).status);
        })();
        await itemwrightApart(empty.url, 'restore', '--replace', file);
        isOver = true;
        await rolling;
        // The team is gone once the data is replaced; a secret that is wrong is then tried too often.
        const expectedStatuses = [200, 503, ...(statuses.has(401) ? [401, 429] : [])];
        for (const status of statuses) assert.ok(expectedStatuses.includes(status), String(status));
        assert.deepEqual(await responsesOf(asBefore), expected);
        assert.match(await itemwright(empty.url, 'check'), /^no problems found/);
      });
    } finally {
      await empty.drop();
    }
  });

  test('that replaces an earlier state of the same team leaves nothing of it cached in a running service', async () => {
    const team = await service().anotherTeam();
    await team.post('/items', { id: 'first', name: 'First' });
    assert.equal((await team.post('/items/roll', {})).body.item.id, 'first');
    const file = newFile();
    await itemwright(service().databaseUrl, 'backup', file);
    await team.put('/items/first', { name: 'First', rollNumerator: 0 });
    await team.post('/items', { id: 'second', name: 'Second' });
    assert.equal((await team.post('/items/roll', {})).body.item.id, 'second');
    await itemwrightApart(service().databaseUrl, 'restore', '--replace', file);
    assert.equal((await team.post('/items/roll', {})).body.item.id, 'first');
    assert.equal((await team.get('/items/second')).status, 404);
  });

  test('is readable only by its owner, overwrites nothing without --force, and leaves no other files', async () => {
    const own = await mkdtemp(join(folder, 'own-'));
    const file = join(own, 'file');
    await itemwright(service().databaseUrl, 'backup', file);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const first = await readFile(file);
    await assert.rejects(
      itemwright(service().databaseUrl, 'backup', file),
      /already exists; use --force to overwrite it/,
    );
    assert.deepEqual(await readFile(file), first);
    await itemwright(service().databaseUrl, 'backup', file, { force: true });
    await assert.rejects(itemwright(service().databaseUrl, 'backup', join(own, 'no', 'folder')), /ENOENT/);
    assert.deepEqual(await readdir(own), ['file']);
  });

  describe('is rejected, and nothing is changed,', () => {
    const textOf = async (file: string): Promise<string> => gunzipSync(await readFile(file)).toString('utf8');
    const change =
      (edit: (text: string) => string) =>
      async (file: string): Promise<Buffer> => {
        const text = await textOf(file);
        const edited = edit(text);
        assert.notEqual(edited, text);
        return gzipSync(edited);
      };
    const cut = (share: number) => async (file: string) => {
      const bytes = await readFile(file);
      return bytes.subarray(0, Math.floor(bytes.length * share));
    };
    const damages: [string, (file: string) => Promise<Buffer>, RegExp][] = [
      ['truncated early', cut(0.1), /is truncated/],
      ['truncated late', cut(0.999), /is truncated/],
      [
        'a changed byte',
        async (file) => {
          const bytes = await readFile(file);
          bytes[Math.floor(bytes.length / 2)] = (bytes[Math.floor(bytes.length / 2)] as number) ^ 1;
          return bytes;
        },
        /is (damaged|cut off)/,
      ],
      [
        'a changed row',
        change((text) => text.replace('"Power",0,1000', '"Power",0,1001')),
        /table attributes does not match/,
      ],
      ['a missing row', change((text) => text.replace(/^\[.*\n/m, '')), /is damaged: table/],
      [
        'a missing table',
        change((text) => text.replace(/^\{"table":"spaces"[\s\S]*?(?=^\{"table")/m, '')),
        /is damaged/,
      ],
      ['a changed first line', change((text) => text.replace('"takenAt":"2', '"takenAt":"3')), /is damaged/],
      ['a missing last line', change((text) => text.replace(/\{"end".*\n$/, '')), /is truncated/],
      ['an incomplete last line', change((text) => text.slice(0, -10)), /is truncated/],
      ['swapped lines', change((text) => text.replace(/^(\{"table".*\n)(\{"rows".*\n)/m, '$2$1')), /is damaged/],
      ['a null line', change((text) => text.replace(/^\{"table":"spaces".*$/m, 'null')), /is damaged/],
      ['data past the end', change((text) => `${text}${text}`), /continues past its end/],
      ['a later format', change((text) => text.replace('"format":1', '"format":2')), /newer version/],
      ['another gzip file', async () => gzipSync('hello\nworld\n'), /is not an Itemwright backup/],
      ['another file', async () => Buffer.from('PK: hello'), /is not an Itemwright backup/],
      ['an empty file', async () => Buffer.from(''), /is (not an Itemwright backup|truncated)/],
    ];
    let file: string;
    let target: Awaited<ReturnType<typeof createEmptyDatabase>>;
    let held: Awaited<ReturnType<typeof holdings>>;
    before(async () => {
      file = newFile();
      await itemwright(service().databaseUrl, 'backup', file);
      target = await createEmptyDatabase(engine);
      await (await startService(target.url)).stop();
      held = await holdings(target.url);
    });
    after(() => target?.drop());

    test('if it is damaged in any way', async () => {
      for (const [what, damage, expected] of damages) {
        const damaged = newFile();
        await writeFile(damaged, await damage(file));
        await assert.rejects(readBackup(damaged), expected, what);
      }
      const [, damage, expected] = damages.at(0) as (typeof damages)[number];
      const damaged = newFile();
      await writeFile(damaged, await damage(file));
      await assert.rejects(itemwright(target.url, 'restore', damaged, { replace: true }), expected);
      assert.deepEqual(await holdings(target.url), held);
    });

    test('if it was created by a newer version', async () => {
      const newer = await backupAsOf(service().database, '9999-later', TABLES);
      await assert.rejects(
        itemwright(target.url, 'restore', newer, { replace: true }),
        /newer version of Itemwright \(9999-later\)/,
      );
      assert.deepEqual(await holdings(target.url), held);
    });

    test('if the restore is killed in the middle', async () => {
      const source = await createLargeDatabase();
      const large = newFile();
      await itemwright(source.url, 'backup', large);
      await source.drop();
      const restoring = run('src/cli.ts', ['restore', '--replace', large], { DATABASE_URL: target.url });
      // By then the restore has deleted the old rows, and many new ones are still to come.
      await restoring.said('user_space_rows');
      restoring.child.kill('SIGKILL');
      const { code, stdout } = await restoring.ended;
      assert.equal(code, null);
      assert.doesNotMatch(stdout, /roll_events/);
      assert.deepEqual(await holdings(target.url), held);
    });

    test('if it does not exist', async () => {
      await assert.rejects(itemwright(target.url, 'restore', join(folder, 'nothing')), /no such file/);
    });
  });
});

/** The tables before placements and their cells were merged. */
const TABLES_OF_0006 = [
  ...['milestones', 'teams', 'secrets', 'attributes', 'classifiers', 'classifier_options'],
  ...['items', 'item_classifiers', 'item_attributes', 'deleted_items'],
  ...['templates', 'template_options', 'template_items', 'users', 'user_states'],
  ...['item_instances', 'item_instance_history', 'spaces', 'user_spaces', 'item_instance_spaces', 'occupied_cells'],
  ...['user_space_rows', 'stored_answers', 'roll_events', 'roll_counts', 'roll_pending'],
];

const OLD_ROWS: Record<string, Value[][]> = {
  teams: [['t', 'Old team', 'v1', 'v1', 1, 1, 1]],
  secrets: [['t', 's', 'first', 'admin', digestOf('a-secret-of-old-times'), 1]],
  items: [['t', 'sword', 1, 1, 'Sword', null, 1, 2, 1]],
  users: [['t', 'ann', 1, 1, null]],
  spaces: [['t', 'bag', 1, 1, 'Bag', 4, 4]],
  user_spaces: [['t', 'bag-of-ann', 1, 1, 'ann', 'bag', null]],
  item_instances: [['t', 'one', 5, 5, 'sword', 'ann', '{}']],
  item_instance_spaces: [['t', 'p', 6, 6, 'one', 'bag-of-ann', 1, 2, 0]],
  occupied_cells: [
    ['t', 'bag-of-ann', 'p', 1, 2],
    ['t', 'bag-of-ann', 'p', 2, 2],
  ],
  user_space_rows: [['t', 'bag-of-ann', 2, '6']],
  item_instance_history: [['t', 'one', 1, 'sword', 'created', null, 'ann', 'request', 5, 'r']],
  roll_events: [['t', 'e', null, 'ann', Date.UTC(2026, 0, 2), '[["sword"]]']],
  roll_counts: [
    ['t', '', '2026-01-02', 1, '["sword",1]'],
    ['t', '', '', 1, '["sword",1]'],
  ],
};

/** The team of a backup that was created when there were seven migrations. */
const KEPT = { teamId: '01a1dff4-5584-7600-b714-b1c7cd5757e7', secret: 'zwrd6ycGGaFNEJj3wTqvPYjv1kFuemzvCtHKcfO4hKQ' };

/** A database of an earlier version, with the tables of that version. */
const createOldDatabase = async (engine: Engine) => {
  const empty = await createEmptyDatabase(engine);
  const database = openDatabase(empty.url);
  const until = Object.keys(MIGRATIONS).indexOf('0006-fewer-history-indexes');
  await database.migrate(Object.fromEntries(Object.entries(MIGRATIONS).slice(0, until + 1)));
  await database.transaction('', async ({ queries }) => {
    for (const name of TABLES_OF_0006)
      for (const row of OLD_ROWS[name] ?? [])
        await sql`insert into ${sql.table(name)} values (${sql.join(row)})`.execute(queries);
  });
  return { ...empty, database };
};

for (const engine of ENGINES) {
  describe(`a backup of an earlier version on ${engine}`, () => {
    test('is migrated during the restore, replacing all existing data', async () => {
      const old = await createOldDatabase(engine);
      const file = await backupAsOf(old.database, '0006-an-earlier-name', TABLES_OF_0006);
      await old.database.close();
      await old.drop();
      const empty = await createEmptyDatabase(engine);
      const service = await startService(empty.url);
      try {
        await service.post('/items', { name: 'New' });
        await itemwrightApart(empty.url, 'restore', file, '--replace');
        assert.match(await itemwright(empty.url, 'check'), /^no problems found/);
        const asOld = service.anyone(basic('t', 'a-secret-of-old-times'));
        assert.equal((await asOld.get('/team')).body.name, 'Old team');
        const { body: instance } = await asOld.get('/item-instances/one');
        const { spacePositionX, spacePositionY } = instance.itemInstanceSpace;
        assert.deepEqual([instance.item.id, spacePositionX, spacePositionY], ['sword', 1, 2]);
        assert.equal((await asOld.get('/item-instances/one/history')).body[0].requestId, 'r');
        assert.equal((await asOld.get('/roll-events/stats')).body.totalRolls, 1);
        assert.equal((await asOld.post('/items/roll', { userId: 'ann' })).body.item.id, 'sword');
      } finally {
        await service.stop();
        await empty.drop();
      }
    });

    test('is a file of that version, kept as a fixture', async () => {
      const empty = await createEmptyDatabase(engine);
      try {
        await itemwright(empty.url, 'restore', join(import.meta.dirname, '../fixtures/backup-0007.jsonl.gz'));
        assert.match(await itemwright(empty.url, 'check'), /^no problems found: checked 45 instances, 25 placements/);
        const service = await startService(empty.url);
        const team = service.anyone(basic(KEPT.teamId, KEPT.secret));
        const { totalRolls, rollsByTemplate } = (await team.get('/roll-events/stats')).body;
        assert.deepEqual([totalRolls, rollsByTemplate], [69, { 'banner-a': 16, 'banner-b': 10 }]);
        assert.equal((await team.get('/users')).body.length, 24);
        assert.equal((await team.get('/items')).body.length, 13);
        await service.stop();
      } finally {
        await empty.drop();
      }
    });

    test('is not written by this version, which leaves an old database unchanged', async () => {
      const old = await createOldDatabase(engine);
      try {
        for (const name of ['backup', 'check'] as const)
          await assert.rejects(itemwright(old.url, name, newFile()), /older version of Itemwright \(0006-fewer/);
        const left = '0006-fewer-history-indexes';
        const schema = await old.database.snapshot((snapshot) => snapshot.schema());
        assert.deepEqual(schema, { contracted: left, expanded: left });
      } finally {
        await old.database.close();
        await old.drop();
      }
    });
  });
}

test('a backup that is stopped leaves no file', async () => {
  const source = await createLargeDatabase();
  const own = await mkdtemp(join(folder, 'own-'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const writing = run('src/cli.ts', ['backup', join(own, 'file')], { DATABASE_URL: source.url });
    while ((await readdir(own)).length === 0) await wait(1);
    writing.child.kill(signal);
    await writing.ended;
    assert.equal(writing.child.signalCode, signal);
    assert.deepEqual(await readdir(own), []);
  }
  await source.drop();
});

test('a backup does not create a missing database', async () => {
  const path = join(folder, 'none.db');
  await assert.rejects(itemwright(`sqlite:${path}`, 'backup', newFile()), /no Itemwright database at/);
  await assert.rejects(stat(path), /ENOENT/);
});
