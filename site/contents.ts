/** What the site consists of: the parts and pages that `docs/README.md` lists. */
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PROJECT = fileURLToPath(new URL('..', import.meta.url));

export const CONTENTS = 'docs/README.md';

export interface Page {
  /** In the repository. */
  readonly file: string;
  /** On the site, without an extension; empty for the first page. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly text: string;
}

export interface Part {
  readonly title: string;
  readonly pages: readonly Page[];
}

export interface Contents {
  readonly home: Page;
  readonly parts: readonly Part[];
}

/** Pages of other folders are called README, so they are named by their folder. */
const nameOf = (file: string): string =>
  (basename(file) === 'README.md' ? basename(dirname(file)) : basename(file, '.md')).toLowerCase();

const readPage = async (file: string, page: Omit<Page, 'file' | 'text'>): Promise<Page> => ({
  ...page,
  file,
  text: await readFile(join(PROJECT, file), 'utf8'),
});

export const readContents = async (): Promise<Contents> => {
  const home = await readPage(CONTENTS, { name: '', title: 'Itemwright', description: '' });
  const sections = home.text.split(/^## /m).slice(1);
  const parts = sections.map(async (section) => {
    const [title = ''] = section.split('\n', 1);
    const entries = section.matchAll(/^- \[([^\]]+)\]\(([^)]+)\): ((?:.|\n(?!\n|-))+)/gm);
    const pages = [...entries].map(([, pageTitle = '', link = '', description = '']) => {
      const file = join(dirname(CONTENTS), link);
      return readPage(file, {
        name: nameOf(file),
        title: pageTitle,
        description: description.replace(/\s+/g, ' ').trim(),
      });
    });
    return { title, pages: await Promise.all(pages) };
  });
  return { home, parts: (await Promise.all(parts)).filter(({ pages }) => pages.length > 0) };
};

export const pagesOf = ({ home, parts }: Contents): readonly Page[] => [home, ...parts.flatMap(({ pages }) => pages)];
