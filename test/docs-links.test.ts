import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { PAGES, ROOT, readPage } from './docs.ts';

const OTHER_PAGES = globSync(['{examples,packages}/*/**/*.md'], {
  cwd: ROOT,
  exclude: (path) => path.includes('node_modules'),
});

const withoutCode = (text: string): string => text.replace(/^```.*?^```$/gms, '');

/** The anchors that GitHub and the site give to the headings of a page. */
const anchorsOf = (page: string): Set<string> =>
  new Set(
    [...withoutCode(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s/g, '-'),
    ),
  );

const brokenLinksOf = (path: string): string[] => {
  const broken: string[] = [];
  for (const [, link = ''] of withoutCode(readPage(path)).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(link)) continue;
    const [file, anchor] = link.split('#');
    const target = file ? join(dirname(path), file) : path;
    if (!existsSync(join(ROOT, target))) broken.push(link);
    else if (anchor !== undefined && !anchorsOf(readPage(target)).has(anchor)) broken.push(link);
  }
  return broken;
};

describe('links of the documentation', () => {
  for (const path of [...PAGES, ...OTHER_PAGES])
    test(`lead somewhere in ${path}`, () => assert.deepEqual(brokenLinksOf(path), []));
});
