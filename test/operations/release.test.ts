/** Releases a version in a clone, as `npm version` does. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { VERSION } from '../../src/shared/program.ts';

const ROOT = join(import.meta.dirname, '../..');

let folder: string;
let clone: string;

/** npm and the test runner tell the scripts that they run about themselves, in variables that others would believe. */
const ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_TEST|^TEST_|^GIT_/i.test(name)),
);

const run = async (program: string, ...args: string[]): Promise<string> => {
  const { stdout, stderr } = await promisify(execFile)(program, args, { cwd: clone, env: ENVIRONMENT });
  return stdout + stderr;
};
const git = (...args: string[]): Promise<string> =>
  run('git', '-c', 'user.name=Tester', '-c', 'user.email=tester@example.invalid', ...args);

/** What git thinks of the clone; the link to the packages is new there. */
const stateOf = async () => [await git('status', '--short', '--untracked-files=no'), await git('rev-parse', 'HEAD')];

const change = async (entry: string): Promise<void> => {
  const file = join(clone, 'CHANGELOG.md');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/^## Unreleased\n.*?(?=^## )/ms, `## Unreleased\n\n${entry}`));
  await git('commit', '--quiet', '--all', '--allow-empty', '--message=changelog');
};

const isClone = await promisify(execFile)('git', ['rev-parse', '--verify', 'HEAD'], { cwd: ROOT }).then(
  () => true,
  () => false,
);

describe('npm version', { skip: isClone ? false : 'this is not a clone' }, () => {
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'itemwright-release-'));
    clone = folder;
    await git('clone', '--quiet', ROOT, 'clone');
    clone = join(folder, 'clone');
    await symlink(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
    await git('config', 'user.name', 'Tester');
    await git('config', 'user.email', 'tester@example.invalid');
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const assertRefused = async (version: string, reason: RegExp): Promise<void> => {
    const before = await stateOf();
    await assert.rejects(run('npm', 'version', version), (error: { stderr: string }) => reason.test(error.stderr));
    assert.deepEqual(await stateOf(), before);
  };

  test('refuses to release nothing', async () => {
    await change('### API\n\n');
    await assertRefused('minor', /nothing to release/);
  });

  test('refuses changes that are not committed, and versions that are not new', async () => {
    await change('- Something new.\n\n');
    await assertRefused('prerelease', /there are no prereleases/);
    await assertRefused('0.0.2', /not later than the present version/);
    await appendFile(join(clone, 'README.md'), '\n');
    await assertRefused('minor', /Git working directory not clean/);
    await git('checkout', '--quiet', 'README.md');
  });

  test('refuses a patch release with a migration', async () => {
    const file = join(clone, 'src/database/migrate.ts');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace(/^export const MIGRATIONS.*$/m, "$&\n  '9999-new': async () => {},"));
    await change('- Something new.\n\n');
    await assertRefused('patch', /9999-new\b.* is new since .*, and a patch release has no migrations/);
    await git('reset', '--quiet', '--hard', 'HEAD~1');
  });

  test('commits and tags everything that a release consists of', async () => {
    await change('- Something new.\n\n');
    await run('npm', 'version', '99.0.0');
    assert.equal((await git('tag', '--points-at', 'HEAD')).trim(), 'v99.0.0');
    assert.equal(await git('status', '--short', '--untracked-files=no'), '');
    const changed = (await git('show', '--name-only', '--format=', 'HEAD')).trim().split('\n');
    assert.deepEqual(changed, [
      ...['CHANGELOG.md', 'openapi.json', 'package-lock.json', 'package.json', 'packages/client/package.json'],
      ...['packages/client/src/version.ts', 'packages/csharp/Itemwright.Client.csproj'],
      ...['packages/csharp/Runtime/Generated/Operations.cs', 'packages/csharp/package.json'],
      'src/http/openapi-examples.json',
      // The code of the release before is no longer needed.
      `test/fixtures/releases/${VERSION}/service.json.gz`,
      ...(await readdir(join(clone, 'test/fixtures/releases/99.0.0'))).map(
        (file) => `test/fixtures/releases/99.0.0/${file}`,
      ),
    ]);
    assert.match(await readFile(join(clone, 'CHANGELOG.md'), 'utf8'), /^## Unreleased\n\n## 99\.0\.0 - .*\n\n- Som/m);
    const shown = await run('npm', 'run', 'release');
    assert.match(shown, /^\+ itemwright@99\.0\.0$/m);
    assert.match(shown, /^\+ @itemwright\/client@99\.0\.0$/m);
    assert.match(shown, /^Nothing was published: run/m);
    assert.match(await readFile(join(clone, 'openapi.json'), 'utf8'), /"x-itemwright-version": "99\.0\.0"/);
  });
});
