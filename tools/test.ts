/**
 * Runs the tests of features and API, and a few of the console; with `--browser` all of the console, with `--operations`
 * those that run and break the service as a process; or only the given files with the given options: `npm test --
 * src/features/items/items.test.ts`.
 */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createEmptyDatabase } from '../test/harness.ts';
import { run } from '../test/processes.ts';
import { LONG_OPERATIONS } from '../test/together.ts';

process.env.NODE_COMPILE_CACHE ??= 'node_modules/.cache/compile';

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  '--browser': [
    'catalog',
    'console',
    'disclosure',
    'evidence',
    'example',
    'fairness',
    'pages',
    'player',
    'simulator',
    'verify',
  ].map((name) => `test/browser/${name}.test.ts`),
  '--operations': ['test/operations/all.test.ts', ...LONG_OPERATIONS],
};
const given = process.argv.slice(2);
const group = given.find((argument) => argument in GROUPS);
const isOperations = group === '--operations';
if (group === '--browser') process.env.TEST_BROWSER_ALL = '1';
const options = given.filter((argument) => argument !== group);
const all = (group && GROUPS[group]) ?? ['test/*.test.ts'];
const files = options.some((argument) => !argument.startsWith('-')) ? options : [...options, ...all];

/** Lets the service fill the cache of compiled code, which a process does when it ends: most in these tests are killed. */
const warmUp = async (): Promise<void> => {
  const { url, drop } = await createEmptyDatabase('sqlite');
  const { child, said, ended } = run('src/main.ts', [], { PORT: '0', DATABASE_URL: url });
  await said('"listening"');
  child.kill('SIGTERM');
  await ended;
  await drop();
};

if (isOperations) await warmUp();
const child = spawn(
  process.execPath,
  [
    '--test',
    '--test-global-setup=test/global-setup.ts',
    // Tests wait for processes, browsers and time limits, so two files more than there are cores.
    `--test-concurrency=${availableParallelism() + 2}`,
    // No test may hang; the longest file, which runs all features, takes minutes.
    '--test-timeout=600000',
    ...files,
  ],
  { cwd: join(import.meta.dirname, '..'), stdio: 'inherit' },
);
child.on('exit', (code, signal) => {
  process.exitCode = signal === null ? (code ?? 1) : 1;
});
