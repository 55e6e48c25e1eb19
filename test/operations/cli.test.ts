import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Call } from '../../src/cli/command.ts';
import { DATABASE_COMMANDS } from '../../src/cli/database-commands.ts';
import { CommandError, type Options } from '../../src/cli/shared.ts';
import { openDatabase } from '../../src/database/open.ts';
import { basic, createEmptyDatabase, createMigratedDatabase, onEveryDatabase } from '../harness.ts';
import { run, runToEnd } from '../processes.ts';

/** A correct call of every command on a database that must be there; only a restore makes one. */
const callsOnExisting = (folder: string) => {
  const team: Options = { team: 'team' };
  const calls: Record<string, Partial<Call>> = {
    'team create': { argument: 'Team' },
    'secret create': { options: { ...team, role: 'read' } },
    'secret list': { options: team },
    'secret revoke': { options: { ...team, id: 'secret' } },
    backup: { argument: join(folder, 'backup') },
    move: { options: { to: `sqlite:${join(folder, 'moved.db')}` } },
  };
  return Object.entries(DATABASE_COMMANDS)
    .filter(([name]) => name !== 'restore')
    .map(([name, command]) => ({
      command,
      name,
      call: { argument: undefined, options: {}, print: () => {}, ...calls[name] },
    }));
};

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

onEveryDatabase('the command line', (service) => {
  const itemwright = (...args: string[]) => runToEnd('src/cli.ts', args, { DATABASE_URL: service().databaseUrl });

  /** The output of a command: one line of JSON on standard output, and nothing else. */
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await itemwright(...args);
    assert.equal(stderr, '');
    assert.equal(code, 0);
    assert.match(stdout, /^[^\n]+\n$/);
    return JSON.parse(stdout);
  };

  test('creates a team that a running service accepts at once, and lists it', async () => {
    const made = await run('team', 'create', 'Dragon Works');
    assert.deepEqual(Object.keys(made), ['teamId', 'secret']);
    const { status, body } = await service().anyone(basic(made.teamId, made.secret)).get('/team');
    assert.equal(status, 200);
    assert.equal(body.name, 'Dragon Works');
    assert.equal(body.role, 'admin');
    const teams = await run('team', 'list');
    const listed = teams.find(({ teamId }: { teamId: string }) => teamId === made.teamId);
    assert.deepEqual(listed, { teamId: made.teamId, name: 'Dragon Works', createdAt: listed.createdAt });
    assert.match(listed.createdAt, TIME);
    assert.ok(teams.some(({ teamId }: { teamId: string }) => teamId === service().teamId));
  });

  test('creates, lists and revokes secrets while the service runs', async () => {
    const team = ['--team', service().teamId];
    const made = await run('secret', 'create', ...team, '--role', 'write', '--name', 'game server');
    assert.deepEqual(made, {
      id: made.id,
      name: 'game server',
      role: 'write',
      createdAt: made.createdAt,
      secret: made.secret,
    });
    const caller = service().anyone(basic(service().teamId, made.secret));
    assert.equal((await caller.get('/team')).body.role, 'write');
    const listed = await run('secret', 'list', ...team);
    const { secret, ...shown } = made;
    assert.deepEqual(
      listed.find(({ id }: { id: string }) => id === made.id),
      shown,
    );
    assert.ok(!JSON.stringify(listed).includes(secret));
    assert.deepEqual(await run('secret', 'revoke', ...team, '--id', made.id), { revoked: made.id });
    await wait(1000);
    assert.equal((await caller.get('/team')).status, 401);
  });

  test('names a secret after its role if no name is given', async () => {
    const made = await run('secret', 'create', '--team', service().teamId, '--role', 'read');
    assert.equal(made.name, 'read');
  });

  describe('rejects', () => {
    test('revoking the last admin secret', async () => {
      const team = await service().anotherTeam();
      const [{ id }] = (await team.get('/secrets')).body;
      const { code, stderr } = await itemwright('secret', 'revoke', '--team', team.teamId, '--id', id);
      assert.equal(code, 1);
      assert.match(stderr, /last admin secret/);
      assert.equal((await team.get('/team')).status, 200);
    });
  });
});

describe('the command line', () => {
  test('has the version of the package', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    assert.equal((await runToEnd('src/cli.ts', ['--version'])).stdout, `${version}\n`);
  });

  for (const args of [[], ['serve']])
    test(`starts the service if called with ${JSON.stringify(args)}`, async () => {
      const empty = await createEmptyDatabase('sqlite');
      const { child, said, ended } = run('src/cli.ts', args, { PORT: '0', DATABASE_URL: empty.url });
      await said('Itemwright is ready at');
      child.kill('SIGTERM');
      assert.equal((await ended).code, 0);
      await empty.drop();
    });

  test('is asked if the service is started with an option', async () => {
    const [here, there] = [await runToEnd('src/main.ts', ['--port=1']), await runToEnd('src/cli.ts', ['--port=1'])];
    assert.deepEqual(here, there);
    assert.match(here.stderr, /PORT=1 /);
  });

  /** Listens on the usual port, unless somebody else does already. */
  const takeUsualPort = async () => {
    const other = createServer();
    await new Promise<void>((resolve) => {
      other.once('error', () => resolve());
      other.listen(8080, '127.0.0.1', () => resolve());
    });
    return other;
  };

  test('starts a demo beside a service, says what it prepares, and prints what is needed to use it', async () => {
    const other = await takeUsualPort();
    const { child, said, ended, stderr } = run('src/cli.ts', ['demo'], { PATH_PREFIX: '/play' });
    await said(/The demo is ready[\s\S]*ITEMWRIGHT_CREDENTIALS=.*\n/);
    assert.match(stderr(), /^Port 8080 is in use, so the demo takes another one\.\nPreparing /);
    for (const step of ['the catalog', 'days 1 to 5 of 30', 'days 26 to 30 of 30', 'full bags'])
      assert.ok(stderr().includes(step), step);
    const [, url = ''] = /ITEMWRIGHT_URL=(\S+)/.exec(stderr()) ?? [];
    const [, credentials = ''] = /ITEMWRIGHT_CREDENTIALS="(.+)"/.exec(stderr()) ?? [];
    assert.ok(stderr().includes(`${url}/console\n`));
    assert.equal((await fetch(`${url}/console`)).status, 200);
    const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
    const items = await fetch(`${url}/items`, { headers: { authorization } });
    assert.equal(((await items.json()) as object[]).length, 60);
    child.kill('SIGTERM');
    assert.equal((await ended).code, 0);
    other.close();
  });

  test('starts no demo on another port than the one asked for, and says so before it prepares anything', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const { code, stderr } = await runToEnd('src/cli.ts', ['demo'], { PORT: String(port) });
    assert.equal(code, 1);
    assert.match(stderr, /^itemwright: cannot start the demo: .*EADDRINUSE.*\n$/);
    other.close();
  });

  test('leaves nothing of a demo that cannot start, or is stopped while it does', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'itemwright-demos-'));
    try {
      assert.match((await runToEnd('src/cli.ts', ['demo'], { PORT: 'x', TMPDIR: folder })).stderr, /PORT must be/);
      assert.deepEqual(await readdir(folder), []);
      const { child, said, ended } = run('src/cli.ts', ['demo'], { PORT: '0', TMPDIR: folder });
      await said('Preparing');
      child.kill('SIGINT');
      assert.equal((await ended).code, 0);
      assert.deepEqual(await readdir(folder), []);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('audits as it checks', async () => {
    const empty = await createMigratedDatabase('sqlite');
    await runToEnd('src/cli.ts', ['team', 'create', 'Team'], { DATABASE_URL: empty.url });
    const [audit, check] = await Promise.all(
      ['audit', 'check'].map((command) => runToEnd('src/cli.ts', [command], { DATABASE_URL: empty.url })),
    );
    assert.equal(audit?.code, 0);
    assert.equal(audit?.stdout.replace(/in [\d.]+ s/, ''), check?.stdout.replace(/in [\d.]+ s/, ''));
    await empty.drop();
  });

  test('prints help', async () => {
    const { code, stdout } = await runToEnd('src/cli.ts', ['--help']);
    assert.equal(code, 0);
    for (const command of ['serve', 'demo', 'secret revoke', 'backup', 'restore', 'move', 'check', 'audit', 'simulate'])
      assert.match(stdout, new RegExp(`\\n  ${command} +\\w`), command);
  });

  const assertRefusedBy = async (folder: string, databaseUrl: string, place = databaseUrl) => {
    const message = `no Itemwright database at ${place}; the service creates it when it starts`;
    // On a server, a database may be empty, and is then filled by a migration.
    const isServer = !databaseUrl.startsWith('sqlite:');
    for (const { name, command, call } of callsOnExisting(folder).filter((one) => !isServer || one.name !== 'migrate'))
      await assert.rejects(command.run({ ...call, databaseUrl }), new CommandError(message), name);
  };

  test('creates no database where there is none', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'itemwright-mistyped-'));
    const empty = await createEmptyDatabase('postgres');
    try {
      const path = join(folder, 'folder', 'mistyped.db');
      await assertRefusedBy(folder, `sqlite:${path}`);
      assert.deepEqual(await readdir(folder), []);
      const { host, pathname } = new URL(empty.url);
      await assertRefusedBy(folder, empty.url, `postgres://${host}${pathname}`);
      const database = openDatabase(empty.url);
      assert.equal(await database.snapshot((snapshot) => snapshot.schema()), undefined);
      await database.close();
      assert.deepEqual(await readdir(folder), []);
    } finally {
      await rm(folder, { recursive: true, force: true });
      await empty.drop();
    }
  });

  test('leaves the files of other programs as they are', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'itemwright-foreign-'));
    const [foreign, blank] = [join(folder, 'foreign.db'), join(folder, 'blank.db')];
    try {
      const raw = new DatabaseSync(foreign);
      raw.exec('create table bookmarks (url text)');
      raw.close();
      await writeFile(blank, '');
      for (const path of [foreign, blank]) {
        await chmod(path, 0o644);
        const before = await readFile(path);
        await assertRefusedBy(folder, `sqlite:${path}`);
        assert.deepEqual(await readFile(path), before);
        assert.equal((await stat(path)).mode & 0o777, 0o644);
      }
      assert.deepEqual(await readdir(folder), ['blank.db', 'foreign.db']);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  for (const [what, DATABASE_URL, message] of [
    ['an invalid setting', 'mysql://a', /^itemwright: DATABASE_URL must be/],
    ['a database that is down', 'postgres://postgres@127.0.0.1:1/x', /^itemwright: .*ECONNREFUSED.*\n$/],
    ['a file that cannot be created', 'sqlite:package.json/x.db', /^itemwright: .+\n$/],
  ] as const) {
    test(`reports in one line what is wrong with ${what}`, async () => {
      const { code, stdout, stderr } = await runToEnd('src/cli.ts', ['team', 'list'], { DATABASE_URL });
      assert.equal(code, 1);
      assert.equal(stdout, '');
      assert.match(stderr, message);
    });
  }

  test('rejects invalid arguments on standard error, with exit code 1', async () => {
    const empty = await createMigratedDatabase('sqlite');
    const itemwright = (args: readonly string[]) => runToEnd('src/cli.ts', args, { DATABASE_URL: empty.url });
    try {
      const { teamId } = JSON.parse((await itemwright(['team', 'create', 'Team'])).stdout);
      const invalid = [
        [
          'an unknown command',
          ['frobnicate'],
          /^itemwright: unknown command 'frobnicate'\n.* help explains all commands/,
        ],
        ['a command of one word too few', ['team'], /\n {2}team create .*\n {2}team list /],
        ['a mistyped command', ['bakcup', 'a'], /^itemwright: unknown command 'bakcup'\n\(Did you mean backup\?\)/],
        ['a mistyped second word', ['team', 'crate'], /unknown command 'crate'\n\(Did you mean create\?\)/],
        ['help for an unknown command', ['help', 'serv'], /unknown command 'serv'\n\(Did you mean serve\?\)/],
        [
          'a service with an option',
          ['serve', '--port', '9000'],
          /^itemwright: unknown option '--port'\n\(PORT is an environment variable: PORT=9000 .* serve\)\n/,
        ],
        ['a shell without completion', ['completion', 'fish'], /needs the name of a shell: bash or zsh\n$/],
        ['a team without a name', ['team', 'create'], /^itemwright: NAME is missing\n$/],
        ['an empty name', ['team', 'create', ''], /^itemwright: NAME is missing\n$/],
        [
          'a name of two words without quotes',
          ['team', 'create', 'Dragon', 'Works'],
          /^itemwright: too many arguments for 'create'/,
        ],
        [
          'a name that is too long',
          ['team', 'create', 'x'.repeat(192)],
          /^itemwright: NAME has more than 191 characters\n$/,
        ],
        ['a backup without a file', ['backup'], /^itemwright: FILE is missing\n$/],
        [
          'a mistyped option',
          ['backup', '--forse'],
          /^itemwright: unknown option '--forse'\n\(Did you mean --force\?\)/,
        ],
        ['an unknown option', ['team', 'list', '--colour', 'red'], /--colour/],
        [
          'a secret without a team',
          ['secret', 'create', '--role', 'read'],
          /^itemwright: required option '--team <ID>'/,
        ],
        [
          'a secret of an unknown team',
          ['secret', 'create', '--team', 'nobody', '--role', 'read'],
          /^itemwright: no such team: nobody\n$/,
        ],
        [
          'a secret without a role',
          ['secret', 'create', '--team', 'TEAM'],
          /^itemwright: required option '--role <ROLE>'/,
        ],
        [
          'an unknown role',
          ['secret', 'create', '--team', 'TEAM', '--role', 'owner'],
          /^itemwright: option '--role <ROLE>' .*Allowed choices are read, support, design, write, admin\./,
        ],
        [
          'listing secrets of an unknown team',
          ['secret', 'list', '--team', 'nobody'],
          /^itemwright: no such team: nobody\n$/,
        ],
        [
          'revoking without an id',
          ['secret', 'revoke', '--team', 'TEAM'],
          /^itemwright: required option '--id <SECRET_ID>'/,
        ],
        [
          'revoking an unknown secret',
          ['secret', 'revoke', '--team', 'TEAM', '--id', 'nothing'],
          /^itemwright: Not found/,
        ],
      ] as const;
      await Promise.all(
        invalid.map(async ([what, args, message]) => {
          const { code, stdout, stderr } = await itemwright(args.map((arg) => (arg === 'TEAM' ? teamId : arg)));
          assert.equal(code, 1, what);
          assert.equal(stdout, '', what);
          assert.match(stderr, message, what);
          assert.ok(!stderr.includes('    at '), 'no stack');
        }),
      );
    } finally {
      await empty.drop();
    }
  });
});
