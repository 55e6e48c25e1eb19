import assert from 'node:assert/strict';
import { chmod, copyFile, mkdir, mkdtemp, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase } from '../open.ts';
import { NO_TEAM, type Transaction } from '../work.ts';
import { createFileWatch } from './file.ts';

const PARTS = ['', '-wal', '-shm'];

describe('the file of an SQLite database', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'itemwright-file-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Opens a database, inserts a milestone, and returns how many there are. */
  const use = async (path: string, look?: () => Promise<void>): Promise<number> => {
    const database = openDatabase(`sqlite:${path}`);
    await database.migrate();
    const count = await database.transaction(NO_TEAM, async ({ queries }) => {
      const before = await queries.selectFrom('milestones').select('name').execute();
      await queries
        .insertInto('milestones')
        .values({ name: `use ${before.length}`, reached_at: 0 })
        .execute();
      return before.length + 1;
    });
    await look?.();
    await database.close();
    return count;
  };
  const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

  test('may be given as a link', async () => {
    await mkdir(join(folder, 'disk'));
    await writeFile(join(folder, 'disk', 'real.db'), '');
    await symlink(join('disk', 'real.db'), join(folder, 'link.db'));
    assert.equal(await use(join(folder, 'link.db')), 1);
    assert.equal(await use(join(folder, 'disk', 'real.db')), 2);
  });

  test('may be given as a link to a link to a missing file', async () => {
    await mkdir(join(folder, 'disk'));
    await symlink(join(folder, 'disk'), join(folder, 'folder'));
    await symlink(join('folder', 'real.db'), join(folder, 'second.db'));
    await symlink('second.db', join(folder, 'first.db'));
    assert.equal(await use(join(folder, 'first.db')), 1);
    assert.equal(await use(join(folder, 'disk', 'real.db')), 2);
  });

  test('is rejected if links form a loop', async () => {
    await symlink('b.db', join(folder, 'a.db'));
    await symlink('a.db', join(folder, 'b.db'));
    assert.throws(() => openDatabase(`sqlite:${join(folder, 'a.db')}`), /too many levels of links/);
  });

  test('is written to in turn by those who have it open, none of whom blocks its process', async () => {
    const url = `sqlite:${join(folder, 'shared.db')}`;
    const [first, second] = [openDatabase(url), openDatabase(url)];
    await first.migrate();
    const insert = (name: string) => async (tx: Transaction) => {
      await tx.queries.insertInto('milestones').values({ name, reached_at: 0 }).execute();
    };
    // Both are in this thread, so if the second blocked it, the first could not end.
    const long = first.transaction(NO_TEAM, async (tx) => {
      await insert('first')(tx);
      await delay(200);
    });
    await delay(50);
    await Promise.all([long, second.transaction(NO_TEAM, insert('second'))]);
    await Promise.all([first.close(), second.close()]);
    assert.equal(await use(join(folder, 'shared.db')), 3);
  });

  test('is readable only by its owner, as are its log and the created folders', async () => {
    const path = join(folder, 'new', 'folder', 'itemwright.db');
    await use(path, async () => {
      for (const part of PARTS) assert.equal(await modeOf(path + part), 0o600, part);
    });
    for (const made of ['new', join('new', 'folder')]) assert.equal(await modeOf(join(folder, made)), 0o700);
  });

  test('becomes readable only by its owner if an earlier release left it open; the folder is unchanged', async () => {
    const path = join(folder, 'itemwright.db');
    await chmod(folder, 0o755);
    await use(path, async () => {
      for (const part of PARTS) await chmod(path + part, 0o644);
      await use(path);
      for (const part of PARTS) assert.equal(await modeOf(path + part), 0o600, part);
    });
    assert.equal(await modeOf(folder), 0o755);
  });

  test('is rejected, and left as it is, if it is a folder or something else than a database', async () => {
    await chmod(folder, 0o755);
    assert.throws(() => openDatabase(`sqlite:${folder}`), { message: `${folder} is not a file` });
    assert.equal(await modeOf(folder), 0o755);
    const notes = join(folder, 'notes.txt');
    await writeFile(notes, 'These are notes, and not a database. '.repeat(50), { mode: 0o644 });
    await chmod(notes, 0o644);
    assert.throws(() => openDatabase(`sqlite:${notes}`), { message: `${notes} is not an SQLite database` });
    assert.equal(await modeOf(notes), 0o644);
    assert.deepEqual(await readdir(folder), ['notes.txt']);
  });

  for (const part of PARTS) {
    const name = `itemwright.db${part}`;
    const LOST: [string, (path: string) => Promise<void>][] = [
      ['removed', (path) => rm(path)],
      ['moved', (path) => rename(path, `${path}.bak`)],
      [
        'replaced by a copy',
        async (path) => {
          await copyFile(path, `${path}.copy`);
          await rename(`${path}.copy`, path);
        },
      ],
    ];
    for (const [how, lose] of LOST)
      test(`is detected as lost once ${name} is ${how}`, async () => {
        for (const each of PARTS) await writeFile(join(folder, `itemwright.db${each}`), 'content');
        const watch = createFileWatch(join(folder, 'itemwright.db'));
        await writeFile(join(folder, name), 'more content');
        assert.equal(watch.missing(), undefined);
        await lose(join(folder, name));
        assert.equal(watch.missing(), join(folder, name));
      });
  }
});
