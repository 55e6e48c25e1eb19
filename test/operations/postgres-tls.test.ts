/** A connection to PostgreSQL over TLS, with a certificate of a private authority, as managed servers have. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, chown, copyFile, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { startService } from '../harness.ts';
import { type Postgres, startPostgres } from '../postgres.ts';
import { runToEnd } from '../processes.ts';

const skip = spawnSync('openssl', ['version']).status === 0 ? false : 'openssl is not installed';

describe('PostgreSQL over TLS', { skip }, () => {
  let folder = '';
  let server: Postgres;
  let client: pg.Client;
  const path = (name: string): string => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  const urlWith = (parameters: Record<string, string>): string => {
    const url = new URL(server.url('items'));
    url.search = new URLSearchParams(parameters).toString();
    return url.href;
  };

  /** An authority, and with `address` a certificate that it has signed for a server there. */
  const createAuthority = async (name: string, address?: string): Promise<void> => {
    const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', path(`${name}.key`)];
    openssl('req', '-x509', ...key, '-subj', `/CN=${name}`, '-days', '2', '-out', path(`${name}.crt`));
    if (address === undefined) return;
    const request = ['-newkey', 'rsa:2048', '-nodes', '-keyout', path('server.key'), '-subj', '/CN=server'];
    openssl('req', ...request, '-out', path('server.csr'));
    await writeFile(path('names'), `subjectAltName=${address}\n`);
    const signed = ['-CA', path(`${name}.crt`), '-CAkey', path(`${name}.key`), '-CAcreateserial', '-days', '2'];
    openssl(
      'x509',
      '-req',
      '-in',
      path('server.csr'),
      ...signed,
      '-extfile',
      path('names'),
      '-out',
      path('server.crt'),
    );
  };

  /** The server takes the certificate over while it runs. */
  const present = async (address: string): Promise<void> => {
    await createAuthority('ours', address);
    const { rows } = await client.query('show data_directory');
    const data = rows[0].data_directory as string;
    const { uid, gid } = await stat(data);
    for (const name of ['server.key', 'server.crt']) {
      await copyFile(path(name), join(data, name));
      await chown(join(data, name), uid, gid);
      await chmod(join(data, name), 0o600);
    }
    await client.query('alter system set ssl = on');
    await client.query('select pg_reload_conf()');
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'itemwright-tls-'));
    server = await startPostgres();
    await server.create('items');
    client = new pg.Client(server.url('items'));
    await client.connect();
    await present('IP:127.0.0.1');
    await createAuthority('another');
  });
  after(async () => {
    await client?.end();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const full = (authority: string) => urlWith({ sslmode: 'verify-full', sslrootcert: path(`${authority}.crt`) });

  test('is used by all connections, if the certificate is of the authority that the URL names', async () => {
    const service = await startService(full('ours'));
    try {
      assert.equal((await service.post('/items', { id: 'sword', name: 'Sword' })).status, 200);
      assert.equal((await service.post('/items/roll', { userId: 'ann' })).status, 200);
      const { rows } = await client.query(
        'select ssl from pg_stat_ssl join pg_stat_activity using (pid) where datname = current_database() and pid <> pg_backend_pid()',
      );
      assert.ok(rows.length > 0);
      assert.ok(rows.every(({ ssl }) => ssl));
    } finally {
      await service.stop();
    }
  });

  test('keeps commands from a server that somebody else vouches for', async () => {
    const { code, stderr } = await runToEnd('src/cli.ts', ['team', 'list'], { DATABASE_URL: full('ours') });
    assert.deepEqual([code, stderr], [0, '']);
    const refused = await runToEnd('src/cli.ts', ['team', 'list'], { DATABASE_URL: full('another') });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^itemwright: .*certificate/);
  });

  for (const [what, parameters, expected] of [
    ['a certificate of another authority', { sslmode: 'verify-full', authority: 'another' }, /certificate/],
    ['no authority, where one would be needed', { sslmode: 'require' }, /certificate/],
    ['a file that is not there', { sslmode: 'verify-full', authority: 'none' }, /none\.crt/],
  ] as const)
    test(`keeps the service from starting with ${what}`, async () => {
      const { authority, ...others } = { authority: undefined, ...parameters };
      const url = urlWith({ ...others, ...(authority && { sslrootcert: path(`${authority}.crt`) }) });
      const { code, stderr } = await runToEnd('src/main.ts', [], { DATABASE_URL: url, PORT: '0' });
      assert.equal(code, 1);
      assert.match(stderr, /^itemwright: cannot start: .*\n$/m);
      assert.match(stderr, expected);
    });

  test('keeps the service from starting if the certificate is for another host', async () => {
    await present('DNS:db.example');
    const { code, stderr } = await runToEnd('src/main.ts', [], { DATABASE_URL: full('ours'), PORT: '0' });
    assert.equal(code, 1);
    assert.match(stderr, /does not match certificate/);
  });
});
