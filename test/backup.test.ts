import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { backup } from '../src/cli/backup.ts';
import { type Contents, readBackup, writeBackup } from '../src/cli/backup-file.ts';
import { check } from '../src/cli/check.ts';
import type { Options } from '../src/cli/command.ts';
import { restore } from '../src/cli/restore.ts';
import { LATEST, MIGRATIONS } from '../src/database/migrate.ts';
import { openDatabase } from '../src/database/open.ts';
import { TABLES } from '../src/database/tables.ts';
import type { Snapshot } from '../src/database/work.ts';
import { basic, createEmptyDatabase, ENGINES, onEveryDatabase, type Service, startService } from './harness.ts';
import { answersOf, createGame } from './played.ts';
import { run, runToEnd } from './processes.ts';

const COMMANDS = { backup, restore, check };

/** Runs a command in this process, which is quicker, and answers what it printed; it must go well. */
const itemwright = async (databaseUrl: string, name: keyof typeof COMMANDS, argument?: string, options: Options = {}) => {
  const lines: string[] = [];
  const call = { databaseUrl, argument, options, say: (line: string) => void lines.push(line) };
  assert.ok(await COMMANDS[name].run(call), lines.join('\n'));
  return lines.join('\n');
};

/** The same in a process of its own, as beside a service. */
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

/** What a database holds, told by a backup of it. */
const holdings = async (databaseUrl: string) => {
  const file = newFile();
  await itemwright(databaseUrl, 'backup', file);
  return tablesOf(await readBackup(file));
};

/** The service on another database, seen by the team of the first. */
const withService = async <T>(url: string, { teamId, secret }: Service, use: (other: Service, asBefore: Service) => Promise<T>) => {
  const other = await startService(url);
  try {
    return await use(other, other.anyone(basic(teamId, secret)) as Service);
  } finally {
    await other.stop();
  }
};

onEveryDatabase('a backup', (service, engine) => {
  let game: Awaited<ReturnType<typeof createGame>>;
  before(async () => {
    game = await createGame(service());
    await game.play(10);
  });

  for (const other of ENGINES) {
    test(`is restored on ${other}, where the service answers as before`, async () => {
      const keyed = ['/items/roll', { userId: 'replayed' }, { headers: { 'idempotency-key': `to ${other}` } }] as const;
      const { body: rolled } = await service().post(...keyed);
      const file = newFile();
      assert.match(await itemwright(service().databaseUrl, 'backup', file), /25 tables, [\d,]+ rows/);
      const expected = await answersOf(service());
      assert.ok(Object.keys(expected).length > 100);
      const empty = await createEmptyDatabase(other);
      try {
        assert.match(await itemwright(empty.url, 'restore', file), /^restored [\d,]+ rows/m);
        assert.deepEqual(await holdings(empty.url), tablesOf(await readBackup(file)));
        await withService(empty.url, service(), async (_, asBefore) => {
          assert.deepEqual(await answersOf(asBefore), expected);
          const again = await asBefore.post(...keyed);
          assert.equal(again.headers.get('idempotency-replayed'), 'true');
          assert.deepEqual(again.body, rolled);
        });
      } finally {
        await empty.drop();
      }
    });
  }

  test('is one moment of a service that is written to meanwhile', async () => {
    let isOver = false;
    const playing = game.play(Number.POSITIVE_INFINITY, () => isOver);
    const file = newFile();
    await itemwrightApart(service().databaseUrl, 'backup', file);
    isOver = true;
    await playing;
    const empty = await createEmptyDatabase(engine);
    try {
      await itemwright(empty.url, 'restore', file);
      assert.match(await itemwright(empty.url, 'check'), /^nothing is wrong/);
    } finally {
      await empty.drop();
    }
  });

  test('replaces what a running service has, which goes on with what was restored', async () => {
    const file = newFile();
    await itemwright(service().databaseUrl, 'backup', file);
    const expected = await answersOf(service());
    const empty = await createEmptyDatabase(engine);
    try {
      await withService(empty.url, service(), async (other, asBefore) => {
        // The same team with another catalog, compiled and remembered by the service.
        await other.post('/items', { id: 'other', name: 'Other' });
        assert.equal((await other.post('/items/roll', {})).body.item.id, 'other');
        const before = await holdings(empty.url);
        await assert.rejects(itemwright(empty.url, 'restore', file), /is not empty \(it has teams\); --replace/);
        assert.deepEqual(await holdings(empty.url), before);
        let isOver = false;
        const statuses = new Set<number>();
        const rolling = (async () => {
          while (!isOver) statuses.add((await other.post('/items/roll', {})).status);
        })();
        await itemwrightApart(empty.url, 'restore', '--replace', file);
        isOver = true;
        await rolling;
        for (const status of statuses) assert.ok([200, 401, 503].includes(status), String(status));
        assert.deepEqual(await answersOf(asBefore), expected);
        assert.match(await itemwright(empty.url, 'check'), /^nothing is wrong/);
      });
    } finally {
      await empty.drop();
    }
  });

  test('that replaces an earlier state of the same team leaves no trace of it in a running service', async () => {
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

  test('is of the owner alone, overwrites nothing unless told to, and leaves nothing else behind', async () => {
    const own = await mkdtemp(join(folder, 'own-'));
    const file = join(own, 'file');
    await itemwright(service().databaseUrl, 'backup', file);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const first = await readFile(file);
    await assert.rejects(itemwright(service().databaseUrl, 'backup', file), /exists already; --force overwrites it/);
    assert.deepEqual(await readFile(file), first);
    await itemwright(service().databaseUrl, 'backup', file, { force: true });
    await assert.rejects(itemwright(service().databaseUrl, 'backup', join(own, 'no', 'folder')), /ENOENT/);
    assert.deepEqual(await readdir(own), ['file']);
  });

  describe('is refused, and nothing is touched,', () => {
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
      ['where it is cut off early', cut(0.1), /is cut off/],
      ['where it is cut off late', cut(0.999), /is cut off/],
      [
        'where a byte is another',
        async (file) => {
          const bytes = await readFile(file);
          bytes[Math.floor(bytes.length / 2)] = (bytes[Math.floor(bytes.length / 2)] as number) ^ 1;
          return bytes;
        },
        /is (damaged|cut off)/,
      ],
      ['where a row is another', change((text) => text.replace('"Power",0,1000', '"Power",0,1001')), /table attributes is not/],
      ['where a row is missing', change((text) => text.replace(/^\[.*\n/m, '')), /is damaged: table/],
      ['where a table is missing', change((text) => text.replace(/^\{"table":"spaces"[^]*?(?=^\{"table")/m, '')), /is damaged/],
      ['where the first line is another', change((text) => text.replace('"takenAt":"2', '"takenAt":"3')), /is damaged/],
      ['where the last line is missing', change((text) => text.replace(/\{"end".*\n$/, '')), /is cut off/],
      ['where the last line is half there', change((text) => text.slice(0, -10)), /is cut off/],
      ['where it goes on after its end', change((text) => `${text}${text}`), /goes on after its end/],
      ['where it is of a later format', change((text) => text.replace('"format":1', '"format":2')), /newer version/],
      ['where it is some other compressed file', async () => gzipSync('hello\nworld\n'), /is not a backup/],
      ['where it is some other file', async () => Buffer.from('PK: hello'), /is not a backup/],
      ['where it is empty', async () => Buffer.from(''), /is (not a backup|cut off)/],
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

    test('if it was made by a newer version', async () => {
      const newer = newFile();
      const out = new PassThrough();
      const chunks: Buffer[] = [];
      out.on('data', (chunk) => chunks.push(chunk));
      const taken = { engine, schema: '9999-later', takenAt: '', tables: TABLES };
      await service().database.snapshot((snapshot) => writeBackup(snapshot, out, taken));
      await writeFile(newer, Buffer.concat(chunks));
      await assert.rejects(itemwright(target.url, 'restore', newer, { replace: true }), /newer version of Itemwright \(9999-later\)/);
      assert.deepEqual(await holdings(target.url), held);
    });

    test('if it is not there', async () => {
      await assert.rejects(itemwright(target.url, 'restore', join(folder, 'nothing')), /there is no file/);
    });
  });
});
