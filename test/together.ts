import { globSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/**
 * Runs all test files of a pattern in this process, one after another. Loading and starting the service takes longer
 * than most of its tests, and warm code is faster. Each file can still be run on its own.
 */
export const runTogether = async (pattern: string, { except = '' } = {}): Promise<void> => {
  const files = globSync(pattern, { cwd: ROOT, exclude: except === '' ? [] : [except] });
  for (const file of files.sort()) await import(join(ROOT, file));
};
