import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { limitsPage } from '../tools/limits-page.ts';

describe('the page on limits', () => {
  test('is the one that is committed', async () => {
    const committed = await readFile(new URL('../docs/reference/limits.md', import.meta.url), 'utf8');
    assert.ok(committed === limitsPage(), 'docs/reference/limits.md is out of date: run npm run limits');
  });
});
