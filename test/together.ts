import { globSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/**
 * Runs all test files of a pattern in this process, one after another. To load and start the service costs more than most
 * of its tests, and code that has run before runs faster. Each of the files can still be run alone.
 */
export const runTogether = async (pattern: string, { except = '' } = {}): Promise<void> => {
  const files = globSync(pattern, { cwd: ROOT, exclude: except === '' ? [] : [except] });
  for (const file of files.sort()) await import(join(ROOT, file));
};
