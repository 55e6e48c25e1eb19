/** Runs all tests, or only the given files with the given options: `npm test -- test/crash.test.ts`. */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

const ALL = ['test/*.test.ts', 'test/browser/*.test.ts'];
const given = process.argv.slice(2);
const files = given.some((argument) => !argument.startsWith('-')) ? given : [...given, ...ALL];

const child = spawn(
  process.execPath,
  [
    '--test',
    '--test-global-setup=test/global-setup.ts',
    // Tests wait for processes and for time limits, so a file more than there are cores.
    `--test-concurrency=${availableParallelism() + 1}`,
    // No test may hang; the longest file, which runs all features, takes minutes.
    '--test-timeout=600000',
    ...files,
  ],
  {
    cwd: join(import.meta.dirname, '..'),
    env: { NODE_COMPILE_CACHE: 'node_modules/.cache/compile', ...process.env },
    stdio: 'inherit',
  },
);
child.on('exit', (code, signal) => {
  process.exitCode = signal === null ? (code ?? 1) : 1;
});
