import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { openDatabase } from '../../src/database/open.ts';
import { createFirstTeam } from '../../src/features/teams/teams.service.ts';
import { createEmptyDatabase, type EmptyDatabase, type Service, startService } from '../harness.ts';
import { freePort } from '../processes.ts';
import { walkThroughInterface } from '../walk.ts';

/**
 * The executable in `PGBOUNCER`, or the installed one, if it is 1.21 or later; otherwise the reason why there is none.
 */
const findPgBouncer = (): { program?: string; missing?: string } => {
  for (const program of [process.env.PGBOUNCER, 'pgbouncer', '/usr/sbin/pgbouncer']) {
    if (program === undefined) continue;
    try {
      const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(execFileSync(program, ['--version']).toString()) ?? [];
      if (Number(major) > 1 || Number(minor) >= 21) return { program };
      return { missing: `PgBouncer ${major}.${minor} is too old: prepared statements need 1.21` };
    } catch {
      // Not installed.
    }
  }
  return { missing: 'PgBouncer is not installed; PGBOUNCER may name the program' };
};

const { program, missing } = findPgBouncer();

describe('behind PgBouncer in transaction mode', { skip: missing ?? false }, () => {
  let empty: EmptyDatabase;
  let folder: string;
  let bouncer: ChildProcess;
  let url: string;

  before(async () => {
    empty = await createEmptyDatabase('postgres');
    const server = new URL(empty.url);
    const port = await freePort();
    folder = await mkdtemp(join(tmpdir(), 'itemwright-pgbouncer-'));
    await chmod(folder, 0o777);
    const settings = join(folder, 'pgbouncer.ini');
    await writeFile(
      settings,
      `[databases]
* = host=${server.hostname} port=${server.port} user=${server.username} password=${server.password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 8
max_client_conn = 500
max_prepared_statements = 200
`,
    );
    // Like the server, it cannot run as root.
    const isRoot = process.getuid?.() === 0;
    bouncer = spawn(program as string, [...(isRoot ? ['--user', 'nobody'] : []), '--quiet', settings], {
      stdio: 'ignore',
    });
    server.port = String(port);
    url = server.href;
    const isUp = async () => {
      const client = new pg.Client({ connectionString: url });
      return client.connect().then(
        () => client.end().then(() => true),
        () => false,
      );
    };
    while (!(await isUp())) {
      assert.equal(bouncer.exitCode, null, 'PgBouncer ended');
      await setTimeout(20);
    }
  });
  after(async () => {
    if (bouncer?.exitCode === null) {
      bouncer.kill('SIGKILL');
      await once(bouncer, 'exit');
    }
    await empty?.drop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  test('six nodes start at once, and one of them creates the first team', { timeout: 120_000 }, async () => {
    const nodes = Array.from({ length: 6 }, () => openDatabase(url));
    try {
      const made = await Promise.all(
        nodes.map(async (node) => {
          await node.checkConnections(100);
          await node.migrate();
          await node.ready();
          return node.transaction('', (tx) => createFirstTeam(tx, Date.now(), {}));
        }),
      );
      assert.equal(made.filter((team) => team !== undefined).length, 1);
    } finally {
      await Promise.all(nodes.map((node) => node.close()));
    }
  });

  test('every operation works, on two nodes at once', { timeout: 120_000 }, async () => {
    const nodes: Service[] = [await startService(url), await startService(url)];
    try {
      await Promise.all(nodes.map((node) => walkThroughInterface(node)));
    } finally {
      await Promise.all(nodes.map((node) => node.stop()));
    }
  });
});
