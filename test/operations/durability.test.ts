import assert from 'node:assert/strict';
import fs from 'node:fs';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openDatabase } from '../../src/database/open.ts';
import { basic, createEmptyDatabase, type EmptyDatabase, type Service, startService } from '../harness.ts';
import { freePort, run } from '../processes.ts';

type Callback = (error: NodeJS.ErrnoException | null) => void;

/** Replaces the call that syncs a file, so that a test can delay it or make it fail. */
const realSync = fs.fdatasync;
const held: { fd: number; done: Callback }[] = [];
let mode: 'real' | 'hold' = 'real';

const fakeSync = (fd: number, done: Callback): void => {
  if (mode === 'hold') held.push({ fd, done });
  else realSync(fd, done);
};

const releaseAll = (): void => {
  mode = 'real';
  for (const { fd, done } of held.splice(0)) realSync(fd, done);
};

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setTimeout(resolve, 50));
};

describe('a response on SQLite', () => {
  let empty: EmptyDatabase;
  let service: Service;

  before(async () => {
    fs.fdatasync = fakeSync as typeof fs.fdatasync;
    syncBuiltinESMExports();
    empty = await createEmptyDatabase('sqlite');
    service = await startService(empty.url);
    await service.post('/items', { id: 'sword', name: 'Sword' });
  });

  after(async () => {
    releaseAll();
    await service.stop();
    await empty.drop();
    fs.fdatasync = realSync;
    syncBuiltinESMExports();
  });

  for (const [what, path, body] of [
    ['a creation', '/attributes', { name: 'Damage' }],
    ['a plain roll', '/items/roll', undefined],
    ['a roll that a user keeps', '/items/roll', { userId: 'ann' }],
  ] as const) {
    test(`is sent only after the commit is synced: ${what}`, async () => {
      mode = 'hold';
      let isSettled = false;
      const response = service.post(path, body).then((given) => {
        isSettled = true;
        return given;
      });
      await turns(20);
      assert.equal(held.length, 1, 'the commit is done and waits for the disk');
      assert.equal(isSettled, false);
      releaseAll();
      assert.equal((await response).status, 200);
    });
  }

  test('waits for a sync that began after its own commit, not for one in progress', async () => {
    mode = 'hold';
    const first = service.post('/attributes', { name: 'First' });
    await turns(20);
    const second = service.post('/attributes', { name: 'Second' });
    await turns(20);
    // The second committed during the sync of the first, which must not count for it.
    assert.equal(held.length, 1);
    const [only] = held.splice(0);
    let isSecondAnswered = false;
    second.then(() => {
      isSecondAnswered = true;
    });
    realSync(only?.fd as number, only?.done as Callback);
    assert.equal((await first).status, 200);
    await turns(20);
    assert.equal(isSecondAnswered, false);
    assert.equal(held.length, 1);
    releaseAll();
    assert.equal((await second).status, 200);
  });

  test('is sent only after the data it depends on is synced, even if it wrote nothing', async () => {
    mode = 'hold';
    const creation = service.post('/users', { id: 'cleo' });
    await turns(20);
    let isRejected = false;
    const rejection = service.post('/users', { id: 'cleo' }).then((given) => {
      isRejected = true;
      return given;
    });
    await turns(20);
    assert.equal(isRejected, false);
    releaseAll();
    assert.deepEqual([(await creation).status, (await rejection).status], [200, 400]);
  });
});

test('a response on SQLite waits for the sync of what a killed process had committed', async () => {
  const empty = await createEmptyDatabase('sqlite');
  const service = await startService(empty.url);
  assert.equal((await service.post('/users', { id: 'cleo' })).status, 200);
  // The two files as a kill would leave them; it is unknown which part of the log was synced.
  const folder = await mkdtemp(join(tmpdir(), 'itemwright-killed-'));
  const path = empty.url.replace('sqlite:', '');
  for (const end of ['', '-wal']) await copyFile(`${path}${end}`, join(folder, `killed.db${end}`));
  await service.stop();
  await empty.drop();

  fs.fdatasync = fakeSync as typeof fs.fdatasync;
  syncBuiltinESMExports();
  mode = 'hold';
  const database = openDatabase(`sqlite:${join(folder, 'killed.db')}`);
  try {
    let isSettled = false;
    // Writes nothing, like a repeated request that gets its stored response.
    const response = database
      .write('', async () => {})
      .then(() => {
        isSettled = true;
      });
    await turns(20);
    assert.deepEqual([held.length, isSettled], [1, false]);
    releaseAll();
    await response;
  } finally {
    releaseAll();
    await database.close();
    fs.fdatasync = realSync;
    syncBuiltinESMExports();
    await rm(folder, { recursive: true, force: true });
  }
});

/** A module that makes every sync fail once a file exists, as a broken disk would. */
const FAILING = (trigger: string): string =>
  `data:text/javascript,${encodeURIComponent(`
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const real = fs.fdatasync;
    fs.fdatasync = (fd, done) => fs.existsSync(${JSON.stringify(trigger)})
      ? setImmediate(() => done(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })))
      : real(fd, done);
    syncBuiltinESMExports();`)}`;

test('a service on SQLite whose disk fails to sync stops at once, sends no response, and recovers when restarted', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'itemwright-sync-'));
  const trigger = join(folder, 'the disk fails');
  const port = await freePort();
  const environment = {
    DATABASE_URL: `sqlite:${join(folder, 'itemwright.db')}`,
    PORT: String(port),
    ITEMWRIGHT_TEAM_ID: 'team',
    ITEMWRIGHT_SECRET: 'a-secret-for-a-test',
  };
  const post = (id: string) =>
    fetch(`http://127.0.0.1:${port}/users`, {
      method: 'POST',
      headers: { authorization: basic('team', 'a-secret-for-a-test'), 'content-type': 'application/json' },
      body: JSON.stringify({ id }),
    });
  try {
    const failing = run('src/main.ts', [], { ...environment, NODE_OPTIONS: `--import=${FAILING(trigger)}` });
    await failing.said('listening');
    assert.equal((await post('kept')).status, 200);
    await writeFile(trigger, '');
    const lost = await Promise.allSettled(['a', 'b', 'c'].map(post));
    for (const { status } of lost) assert.equal(status, 'rejected');
    const { code, stderr } = await failing.ended;
    assert.equal(code, 1);
    const lines = stderr.split('\n').filter((line) => line.includes('could not be synced'));
    assert.equal(lines.length, 1, stderr);

    const again = run('src/main.ts', [], environment);
    await again.said('listening');
    assert.equal((await post('kept')).status, 400);
    assert.equal((await post('new')).status, 200);
    again.child.kill('SIGTERM');
    assert.equal((await again.ended).code, 0);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
