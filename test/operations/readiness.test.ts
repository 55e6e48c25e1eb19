import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { LIMITS } from '../../src/shared/limits.ts';
import { createEmptyDatabase, ENGINES, type Engine, onEveryDatabase, type Service, startService } from '../harness.ts';
import { type Postgres, startPostgres } from '../postgres.ts';
import { run } from '../processes.ts';

const readiness = async (service: Service): Promise<number> => (await service.anyone().get('/readyz')).status;

const untilReadiness = async (service: Service, expected: number): Promise<void> => {
  while ((await readiness(service)) !== expected) await setTimeout(20);
};

/** Everything that readiness says for a while, which is longer than a write counts as recent. */
const readinessFor = async (service: Service, ms: number): Promise<number[]> => {
  const statuses = new Set<number>();
  for (const startedMs = performance.now(); performance.now() - startedMs < ms; await setTimeout(100))
    statuses.add(await readiness(service));
  return [...statuses];
};

interface SmallDisk {
  readonly folder: string;
  fill(): Promise<void>;
  free(): Promise<void>;
}

/** A disk of a few megabytes, which only root can make. */
const createSmallDisk = (): SmallDisk | undefined => {
  const folder = mkdtempSync(join(tmpdir(), 'itemwright-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32m,mode=0777', 'tmpfs', folder], { stdio: 'pipe' });
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  after(() => {
    execFileSync('umount', ['--lazy', folder]);
    rmSync(folder, { recursive: true });
  });
  const filler = join(folder, 'filler');
  return {
    folder,
    fill: async () => {
      const file = await open(filler, 'a');
      try {
        for (const size of [1024 * 1024, 4096])
          for (const chunk = Buffer.alloc(size); ; )
            if (
              await file.write(chunk).then(
                ({ bytesWritten }) => bytesWritten < size,
                () => true,
              )
            )
              break;
      } finally {
        await file.close();
      }
    },
    free: () => rm(filler, { force: true }),
  };
};

const disk = createSmallDisk();

describe('on a full disk, readiness', { skip: disk === undefined && 'only root can mount a disk' }, () => {
  let postgres: Postgres;
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres?.stop());

  /** A database whose tables are on the small disk. The log of PostgreSQL is elsewhere. */
  const createOn = async ({ folder }: SmallDisk, engine: Engine): Promise<string> => {
    if (engine === 'sqlite') return `sqlite:${join(folder, 'small.db')}`;
    const location = join(folder, 'tables');
    execFileSync('install', ['-d', '-o', 'postgres', location]);
    const administrator = new pg.Client({ connectionString: postgres.url('postgres') });
    await administrator.connect();
    await administrator.query(`create tablespace small location '${location}'`);
    await administrator.query('create database small tablespace small');
    await administrator.end();
    return postgres.url('small');
  };

  for (const engine of ENGINES)
    test(`is over until there is space again, even without traffic, on ${engine}`, async () => {
      const small = disk as SmallDisk;
      const service = await startService(await createOn(small, engine));
      const write = async () => (await service.post('/users', { id: crypto.randomUUID().repeat(5) })).status;
      try {
        assert.equal(await write(), 200);
        assert.equal(await readiness(service), 200);
        await small.fill();
        // A page may have room for a few more rows.
        while ((await write()) !== 503);
        assert.equal(await readiness(service), 503);
        assert.deepEqual(await readinessFor(service, 2 * LIMITS.freshWriteMs), [503]);
        assert.equal((await service.get('/users?limit=1')).status, 200, 'reads go on');
        await small.free();
        await untilReadiness(service, 200);
        assert.equal(await write(), 200);
      } finally {
        await small.free();
        await service.stop();
      }
    });
});

test('readiness is logged when it changes, with the reason', async () => {
  const empty = await createEmptyDatabase('sqlite');
  const { child, said, stdout, ended } = run('src/main.ts', [], { DATABASE_URL: empty.url, PORT: '0' });
  await said('"msg":"listening"');
  const [, address] = /"address":"([^"]+)"/.exec(stdout()) ?? [];
  const readyz = async () => (await fetch(`${address}/readyz`)).status;
  const other = new DatabaseSync(empty.url.slice('sqlite:'.length));
  try {
    other.exec('begin immediate');
    while ((await readyz()) !== 503);
    assert.equal(await readyz(), 503);
    other.exec('rollback');
    assert.equal(await readyz(), 200);
    assert.equal(await readyz(), 200);
    await said('"msg":"ready again"');
    const lines = stdout().split('\n');
    const changes = lines
      .filter((line) => /"msg":"(not ready|ready again)"/.test(line))
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      changes.map(({ level, reason, msg }) => [level, reason, msg]),
      [
        [40, 'database', 'not ready'],
        [30, undefined, 'ready again'],
      ],
    );
  } finally {
    other.close();
    child.kill('SIGTERM');
    await ended;
    await empty.drop();
  }
});

onEveryDatabase('readiness', (service, engine) => {
  test('does not depend on how long a transaction takes', async () => {
    const { database, teamId } = service();
    let isOver = false;
    const long = database.transaction(teamId, async ({ queries }) => {
      await queries.updateTable('teams').set({ name: 'Long' }).where('id', '=', teamId).execute();
      while (!isOver) await queries.selectFrom('teams').select('id').execute();
    });
    try {
      assert.deepEqual(await readinessFor(service(), 2 * LIMITS.commitMs), [200]);
    } finally {
      isOver = true;
      await long;
    }
  });

  if (engine === 'sqlite')
    test('is over while another process keeps the file locked, and blocks nothing meanwhile', async () => {
      const other = new DatabaseSync(service().databaseUrl.slice('sqlite:'.length));
      try {
        other.exec('begin immediate');
        await setTimeout(LIMITS.freshWriteMs);
        const ready = readiness(service());
        assert.equal((await service().get('/users')).status, 200);
        assert.equal(await ready, 503);
        other.exec('rollback');
        assert.equal(await readiness(service()), 200);
      } finally {
        other.close();
      }
    });
});

test('readiness does not wait for a long transaction where there is a single connection for each purpose', async () => {
  const empty = await createEmptyDatabase('postgres');
  const databaseOptions = { connections: LIMITS.postgresConnectionsMin };
  const service = await startService(empty.url, {}, undefined, { databaseOptions });
  let isOver = false;
  const long = service.database.transaction(service.teamId, async ({ queries }) => {
    while (!isOver) await queries.selectFrom('teams').select('id').execute();
  });
  try {
    assert.deepEqual(await readinessFor(service, 2 * LIMITS.commitMs), [200]);
  } finally {
    isOver = true;
    await long;
    await service.stop();
    await empty.drop();
  }
});
