/** Builds the site of the documentation: static pages that need nothing from elsewhere (decision 45). */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { bundle } from '../tools/bundle.ts';
import { type Contents, type Page, PROJECT, pagesOf, readContents } from './contents.ts';
import { type Assets, layOut } from './layout.ts';
import { createLinks, type Links } from './links.ts';
import { type Rendered, renderPage } from './markdown.ts';

export type Site = ReadonlyMap<string, string | Buffer>;

/** What assets are called changes with their content, so browsers may keep them. */
const assetName = (name: string, content: string): string => {
  const [stem = '', extension = ''] = name.split('.');
  return `assets/${stem}-${createHash('sha256').update(content).digest('hex').slice(0, 10)}.${extension}`;
};

/** The page as it is in the repository, with links that lead to the other pages on the site. */
const markdownOf = (page: Page, links: Links): string =>
  page.text
    .replace(/^<!--.*?-->\n+/s, '')
    .replace(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (_, image: string, text: string, link: string) => {
      const target = links.find(page, link, '.md');
      return target === undefined ? text : `${image}[${text}](${target})`;
    });

/** See https://llmstxt.org: where to read what, for programs that read. */
const llmsOf = ({ home, parts }: Contents): string => {
  const [, introduction = ''] = /^# .*\n\n((?:.+\n)+)/m.exec(home.text) ?? [];
  const listOf = (pages: readonly Page[]): string =>
    pages.map(({ name, title, description }) => `- [${title}](${name}.md): ${description}\n`).join('');
  const sections = parts.map(({ title, pages }) => `## ${title}\n\n${listOf(pages)}\n`);
  const api = '- [OpenAPI document](../openapi.json): every operation, schema and example\n';
  return `# Itemwright\n\n> ${introduction.trim().replaceAll('\n', ' ')}\n\n${sections.join('')}## API\n\n${api}`;
};

const searchOf = (pages: readonly (readonly [Page, Rendered])[]): string =>
  JSON.stringify(
    pages.flatMap(([page, { sections }]) =>
      sections.map(({ id, title, text }) => ({
        ...{ href: `${page.name || './'}${id && `#${id}`}`, page: page.title, title, text },
      })),
    ),
  );

/** Every file of the site by its path. */
export const buildSite = async (): Promise<Site> => {
  const contents = await readContents();
  const pages = pagesOf(contents);
  const links = createLinks(pages);
  const readProject = (file: string): Promise<string> => readFile(join(PROJECT, file), 'utf8');
  const api = JSON.parse(await readProject('openapi.json'));
  const { version } = JSON.parse(await readProject('package.json'));
  const rendered = pages.map((page) => [page, renderPage(page, links, api)] as const);

  const site = new Map<string, string | Buffer>();
  const keep = (name: string, content: string): string => {
    const path = assetName(name, content);
    site.set(path, content);
    return path;
  };
  const script = (name: string): Promise<string> => bundle(join(PROJECT, 'site/src', name), { minify: true });
  const assets: Assets = {
    theme: keep('theme.js', await script('theme.ts')),
    script: keep('site.js', await script('main.ts')),
    style: keep('site.css', await readProject('site/src/style.css')),
    search: keep('search.json', searchOf(rendered)),
  };
  for (const [page, shown] of rendered) {
    const name = page.name || 'index';
    site.set(`${name}.html`, layOut({ contents, page, rendered: shown, assets, version }));
    site.set(`${name}.md`, markdownOf(page, links));
  }
  site.set('llms.txt', llmsOf(contents));
  for (const file of links.files) site.set(`files/${basename(file)}`, await readFile(join(PROJECT, file)));
  return site;
};
