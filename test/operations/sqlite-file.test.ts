import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { basic } from '../harness.ts';
import { freePort, type Running, run, runToEnd } from '../processes.ts';

const TEAM = { ITEMWRIGHT_TEAM_ID: 'team', ITEMWRIGHT_SECRET: 'a-secret-for-a-test' };

let folder: string;
const started: Running[] = [];
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'itemwright-file-'));
});
after(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

const begin = (path: string, port: number): Running => {
  const running = run('src/main.ts', [], { DATABASE_URL: `sqlite:${path}`, PORT: String(port), ...TEAM });
  started.push(running);
  return running;
};

describe('a service whose SQLite file is removed', () => {
  const start = async (path: string) => {
    const port = await freePort();
    const running = begin(path, port);
    await running.said('"msg":"listening"');
    const createUser = (id: string) =>
      fetch(`http://127.0.0.1:${port}/users`, {
        method: 'POST',
        headers: { authorization: basic('team', TEAM.ITEMWRIGHT_SECRET), 'content-type': 'application/json' },
        body: JSON.stringify({ id }),
      });
    return { ...running, createUser };
  };

  const assertStopped = async ({ ended }: Pick<Running, 'ended'>): Promise<void> => {
    const { code, stderr } = await ended;
    assert.equal(code, 1);
    assert.equal(stderr.split('\n').filter((line) => line.includes('.db was removed')).length, 1, stderr);
  };

  test('acknowledges no further write, and stops with one line', async () => {
    const path = join(folder, 'written.db');
    const service = await start(path);
    assert.equal((await service.createUser('kept')).status, 200);
    await rm(path);
    await assert.rejects(service.createUser('lost'));
    await assertStopped(service);
  });

  test('stops even without writes', async () => {
    const path = join(folder, 'idle.db');
    const service = await start(path);
    await rm(path);
    await assertStopped(service);
  });
});

describe('a second service on the same SQLite file', () => {
  /** The files of the database: neither starting nor failing to start leaves any other. */
  const FILES = ['owned.db', 'owned.db-lock', 'owned.db-shm', 'owned.db-wal'];

  test('does not start and says so in a line, by any path, until the first has ended, however it ends', async () => {
    const own = await mkdtemp(join(folder, 'owned-'));
    const path = join(own, 'owned.db');
    const link = join(folder, 'link.db');
    await symlink(path, link);
    let first = begin(path, 0);
    await first.said('"msg":"listening"');
    const refusal = {
      code: 1,
      stdout: '',
      stderr: `itemwright: cannot start: a service is already running on ${path}\n`,
    };
    for (const other of [path, link]) assert.deepEqual(await begin(other, 0).ended, refusal);
    assert.deepEqual((await readdir(own)).sort(), FILES);
    assert.equal((await stat(`${path}-lock`)).mode & 0o777, 0o600);

    for (const end of ['SIGKILL', 'SIGTERM'] as const) {
      first.child.kill(end);
      await first.ended;
      first = begin(path, 0);
      await first.said('"msg":"listening"');
    }
    assert.deepEqual(await begin(path, 0).ended, refusal);
  });

  test('is the one of two that start together which does not start', async () => {
    const path = join(folder, 'together.db');
    const both = [begin(path, 0), begin(path, 0)];
    const refused = await Promise.race(both.map(({ ended }) => ended));
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^itemwright: cannot start: a service is already running on .*\n$/);
    const left = both.filter(({ child }) => child.exitCode === null);
    assert.equal(left.length, 1);
    await left[0]?.said('"msg":"listening"');
  });

  test('is not needed for commands, except for a move, which needs the service to stop', async () => {
    const path = join(folder, 'commanded.db');
    const service = begin(path, 0);
    await service.said('"msg":"listening"');
    const command = (...args: string[]) => runToEnd('src/cli.ts', args, { DATABASE_URL: `sqlite:${path}` });
    const backup = join(folder, 'backup');
    for (const args of [['team', 'create', 'Team'], ['team', 'list'], ['check'], ['backup', backup]])
      assert.equal((await command(...args)).code, 0, args.join(' '));
    assert.equal((await command('restore', '--replace', backup)).code, 0);
    const target = join(folder, 'target.db');
    const move = () => command('move', '--to', `sqlite:${target}`);
    const { code, stderr } = await move();
    assert.deepEqual([code, stderr], [1, `itemwright: a service is already running on ${path}\n`]);
    assert.ok(!(await readdir(folder)).includes('target.db'));
    service.child.kill('SIGTERM');
    await service.ended;
    assert.equal((await move()).code, 0);
  });
});
