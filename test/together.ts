import { globSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** Files that take long, so that they run next to the others rather than with them. */
export const LONG_OPERATIONS = [
  ...['backup', 'check', 'crash', 'docs-commands', 'docs-drill', 'event-loop', 'faults', 'nodes', 'npm-start'],
  ...['package', 'power-cut', 'service', 'stopping', 'upgrade'],
].map((name) => `test/operations/${name}.test.ts`);

/**
 * Runs all test files of a pattern in this process, one after another. Loading and starting the service takes longer
 * than most of its tests, and warm code is faster. Each file can still be run on its own.
 */
export const runTogether = async (pattern: string, { except = [] as readonly string[] } = {}): Promise<void> => {
  const files = globSync(pattern, { cwd: ROOT, exclude: except });
  for (const file of files.sort()) await import(join(ROOT, file));
};
