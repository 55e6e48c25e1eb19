/**
 * Runs tests. `*.test.ts` anywhere are tests of features and API; those in `test/browser/` run with `--browser`, and those
 * in `test/operations/`, which run and break the service as a process, with `--operations`, as does whatever takes long,
 * `*.long.test.ts`. Or only the given files, with the given options of Node: `npm test -- --test-name-pattern=prefix
 * test/api/path-prefix.test.ts`.
 *
 * Loading and starting the service takes longer than most tests, and warm code is faster, so a few processes share all
 * files: each takes one from a queue, runs it to its end, and takes the next. The queue is a folder with a note for every
 * file. Notes that are left at the end are of files that did not run to their end, whatever their process exited with.
 */
import { globSync, statSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { startPostgres } from '../test/postgres.ts';
import * as processes from '../test/processes.ts';

process.env.NODE_COMPILE_CACHE ??= 'node_modules/.cache/compile';
process.chdir(join(import.meta.dirname, '..'));

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  '--browser': ['test/browser/**/*.test.ts'],
  '--operations': ['test/operations/**/*.test.ts', '**/*.long.test.ts'],
};
const NOT_OURS = ['**/node_modules', '.*'];
/** No test may hang. On two cores, the longest file takes minutes; all tests together, less than this. */
const TIMEOUT_MS = 2_700_000;

const given = process.argv.slice(2);
const group = given.find((argument) => argument in GROUPS);
const options = given.filter((argument) => argument.startsWith('-') && argument !== group);
const named = given.filter((argument) => !argument.startsWith('-'));

const filesToRun = (): string[] => {
  if (named.length > 0) return named.flatMap((pattern) => globSync(pattern));
  if (group !== undefined) return globSync(GROUPS[group] ?? [], { exclude: NOT_OURS });
  return globSync('**/*.test.ts', { exclude: [...NOT_OURS, ...Object.values(GROUPS).flat()] });
};

/** Writes the queue: the largest files first, since those tend to take longest. */
const queueOf = async (files: readonly string[]): Promise<string> => {
  const queue = await mkdtemp(join(tmpdir(), 'itemwright-tests-'));
  const sized = files.map((file) => ({ file, size: statSync(file).size })).sort((a, b) => b.size - a.size);
  for (const [index, { file }] of sized.entries()) await writeFile(join(queue, `${1000 + index}`), file);
  return queue;
};

/** Lets the service fill the cache of compiled code, which a process does when it ends: most in these tests are killed. */
const warmUp = async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'itemwright-sqlite-'));
  const environment = { PORT: '0', DATABASE_URL: `sqlite:${join(folder, 'test.db')}` };
  const { child, said, ended } = processes.run('src/main.ts', [], environment);
  await said('"listening"');
  child.kill('SIGTERM');
  await ended;
  await rm(folder, { recursive: true });
};

const runParts = (count: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const report = run({
      files: Array(count).fill(join(import.meta.dirname, '../test/part.ts')),
      concurrency: count,
      // Tests make much garbage, so a large young generation saves collections.
      execArgv: [...options, '--max-semi-space-size=64', `--test-timeout=${TIMEOUT_MS}`],
    });
    report.on('test:fail', () => {
      process.exitCode = 1;
    });
    report.compose(spec).on('end', resolve).on('error', reject).pipe(process.stdout);
  });

const files = filesToRun();
if (files.length === 0) throw new Error(`there is no test file ${named.join(', ')}`);
const queue = await queueOf(files);
process.env.TEST_QUEUE = queue;
// One PostgreSQL server for the whole run, on which each test creates its own database. You can provide your own.
const postgres = process.env.TEST_POSTGRES_URL === undefined ? await startPostgres() : undefined;
if (postgres !== undefined) process.env.TEST_POSTGRES_URL = postgres.url('postgres');
if (group === '--operations') await warmUp();

// Tests wait for processes, browsers and time limits, so there are two more processes than cores.
await runParts(Math.min(files.length, availableParallelism() + 2));

for (const note of await readdir(queue)) {
  process.exitCode = 1;
  process.stderr.write(`✖ ${await readFile(join(queue, note), 'utf8')} did not run to its end\n`);
}
await postgres?.stop();
await rm(queue, { recursive: true });
