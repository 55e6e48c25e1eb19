import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..');

/** Every page of the documentation, by its path in the repository. */
export const PAGES = globSync(['*.md', 'bench/*.md', 'test/*/*.md', 'docs/**/*.md'], { cwd: ROOT }).sort();

export const readPage = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The code blocks of a page in one language, in order. */
export const blocksOf = (page: string, language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, text]) => text as string);

export const isInstalled = (...programs: string[]): boolean => {
  try {
    for (const program of programs) execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** Asserts that a trimmed response on a page is contained in a real one: the same members, of the same types. */
export const assertTrimmed = (shown: unknown, real: unknown, path = ''): void => {
  if (Array.isArray(shown)) {
    assert.ok(Array.isArray(real), `${path} is no list`);
    if (real.length > 0) for (const entry of shown) assertTrimmed(entry, real[0], `${path}/0`);
  } else if (typeof shown === 'object' && shown !== null) {
    for (const [key, value] of Object.entries(shown)) {
      assert.ok(typeof real === 'object' && real !== null && key in real, `there is no ${path}/${key}`);
      assertTrimmed(value, (real as Record<string, unknown>)[key], `${path}/${key}`);
    }
  } else assert.equal(typeof shown, typeof real, `${path} is of another kind`);
};
