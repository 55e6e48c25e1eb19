import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { basic } from '../harness.ts';
import { freePort, type Running, run } from '../processes.ts';

const TEAM = { ITEMWRIGHT_TEAM_ID: 'team', ITEMWRIGHT_SECRET: 'a-secret-for-a-test' };

describe('a service whose SQLite file is removed', () => {
  let folder: string;
  const started: Running[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'itemwright-file-'));
  });
  after(async () => {
    for (const { child } of started) child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (path: string) => {
    const port = await freePort();
    const running = run('src/main.ts', [], { DATABASE_URL: `sqlite:${path}`, PORT: String(port), ...TEAM });
    started.push(running);
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
