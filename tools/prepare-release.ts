/**
 * What `npm version` runs. With `--check`, before it changes anything: says why there is nothing to release. Without, once
 * it has changed package.json and its lock file: does the same everywhere else, and stages it, so that the commit and the
 * tag that npm creates next contain all of it.
 */
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MIGRATIONS } from '../src/database/migrate.ts';
import { readRecording } from '../test/releases/release.ts';
import { refusalOf, release } from './changelog.ts';

const ROOT = join(import.meta.dirname, '..');
const CHANGELOG = join(ROOT, 'CHANGELOG.md');
/** Where the version of a client stands, and how. */
const CLIENTS: Readonly<Record<string, RegExp>> = {
  'packages/client/package.json': /(?<="version": ")[^"]*/,
  'packages/client/src/version.ts': /(?<=VERSION = ')[^']*/,
  'packages/csharp/package.json': /(?<="version": ")[^"]*/,
  'packages/csharp/Itemwright.Client.csproj': /(?<=<Version>)[^<]*/,
};

const run = (...[program = '', ...args]: string[]): void => {
  execFileSync(program, args, { cwd: ROOT, stdio: 'inherit', shell: process.platform === 'win32' });
};

const setClientVersions = async (version: string): Promise<void> => {
  for (const [path, present] of Object.entries(CLIENTS)) {
    const text = await readFile(join(ROOT, path), 'utf8');
    await writeFile(join(ROOT, path), text.replace(present, version));
  }
};

/** A patch release must be one that can be undone without a restore, and rolling upgrades go one schema at a time. */
const migrationRefusal = async (version: string, present: string): Promise<string | undefined> => {
  const minorOf = (name: string): string => name.slice(0, name.lastIndexOf('.'));
  const { schema } = await readRecording(present, 'sqlite');
  const added = Object.keys(MIGRATIONS).filter((name) => name.slice(0, 4) > schema.slice(0, 4));
  const isPatch = minorOf(version) === minorOf(present);
  if (added.length === 0 || (added.length === 1 && !isPatch)) return undefined;
  return `${added.join(', ')} is new since ${present}, and a ${isPatch ? 'patch release has no migrations' : 'release has at most one migration'}`;
};

const prepare = async (version: string): Promise<void> => {
  const today = new Date().toISOString().slice(0, 10);
  await setClientVersions(version);
  await writeFile(CHANGELOG, release(await readFile(CHANGELOG, 'utf8'), version, today));
  run('npm', 'run', '--silent', 'openapi');
  run('npm', 'run', '--silent', 'csharp');
  run(process.execPath, 'tools/write-release-databases.ts');
  run(process.execPath, 'tools/test.ts', 'test/release.test.ts', 'test/operations/upgrade.test.ts');
  const changed = [
    'CHANGELOG.md',
    'openapi.json',
    'src/http/openapi-examples.json',
    'packages/csharp/Runtime/Generated',
  ];
  run('git', 'add', ...changed, ...Object.keys(CLIENTS), 'test/fixtures/releases');
};

const { npm_new_version: version, npm_old_version: present } = process.env;
const print = (line: string): void => {
  process.stderr.write(`itemwright: ${line}\n`);
};

if (version === undefined || present === undefined) {
  print('this is run by `npm version`');
  process.exitCode = 1;
} else if (process.argv.includes('--check')) {
  const refusal =
    refusalOf(await readFile(CHANGELOG, 'utf8'), version, present) ?? (await migrationRefusal(version, present));
  if (refusal !== undefined) {
    print(refusal);
    process.exitCode = 1;
  }
} else
  await prepare(version).catch((error: unknown) => {
    print(error instanceof Error ? error.message : String(error));
    print(`nothing was committed; \`git restore --staged --worktree .\` undoes the rest, except for new files`);
    process.exitCode = 1;
  });
