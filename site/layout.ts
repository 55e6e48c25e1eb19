import { type Contents, type Page, pagesOf } from './contents.ts';
import { escapeHtml, type Rendered } from './markdown.ts';

/** Where the scripts and the style of the site are. */
export interface Assets {
  readonly theme: string;
  readonly script: string;
  readonly style: string;
  readonly search: string;
}

const hrefOf = ({ name }: Page): string => (name === '' ? './' : name);

const linkTo = (page: Page, current: Page): string =>
  `<a href="${hrefOf(page)}"${page === current ? ' aria-current="page"' : ''}>${escapeHtml(page.title)}</a>`;

const navigationOf = ({ parts }: Contents, current: Page): string =>
  parts
    .map(({ title, pages }) => {
      const links = pages.map((page) => `<li>${linkTo(page, current)}</li>`);
      return `<h2>${escapeHtml(title)}</h2><ul>${links.join('')}</ul>`;
    })
    .join('');

const outlineOf = ({ headings }: Rendered): string => {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (shown.length < 2) return '';
  const links = shown.map(
    ({ depth, id, text }) => `<li class="depth-${depth}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="outline" aria-label="On this page"><h2>On this page</h2><ul>${links.join('')}</ul></nav>`;
};

const neighboursOf = (contents: Contents, current: Page): string => {
  const pages = pagesOf(contents);
  const at = pages.indexOf(current);
  const link = (page: Page | undefined, rel: string, label: string): string =>
    page === undefined
      ? '<span></span>'
      : `<a rel="${rel}" href="${hrefOf(page)}"><small>${label}</small>${escapeHtml(page.title)}</a>`;
  return `<nav class="neighbours" aria-label="Pages before and after">${link(pages[at - 1], 'prev', 'Previous')}${link(pages[at + 1], 'next', 'Next')}</nav>`;
};

const ICONS = {
  menu: '<path d="M4 6h16M4 12h16M4 18h16"/>',
  search: '<circle cx="11" cy="11" r="6"/><path d="m20 20-4.5-4.5"/>',
  theme: '<circle cx="12" cy="12" r="8"/><path d="M12 4a8 8 0 0 1 0 16z" fill="currentColor"/>',
};
const icon = (name: keyof typeof ICONS): string =>
  `<svg viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true">${ICONS[name]}</svg>`;

interface Shown {
  readonly contents: Contents;
  readonly page: Page;
  readonly rendered: Rendered;
  readonly assets: Assets;
  readonly version: string;
}

/** All addresses are relative, so that the site works under any path. */
export const layOut = ({ contents, page, rendered, assets, version }: Shown): string => {
  const title = page.name === '' ? 'Itemwright guides' : `${page.title} – Itemwright`;
  const markdown = `${page.name === '' ? 'index' : page.name}.md`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(page.description)}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="../favicon.ico" type="image/svg+xml">
<link rel="alternate" type="text/markdown" href="${markdown}">
<link rel="stylesheet" href="${assets.style}">
<script src="${assets.theme}"></script>
<script src="${assets.script}" defer data-search="${assets.search}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<button type="button" id="menu" class="menu" aria-expanded="false" aria-controls="navigation" aria-label="Pages">${icon('menu')}</button>
<a class="brand" href="./">Itemwright</a>
<button type="button" id="search" class="search" aria-label="Search" aria-haspopup="dialog">${icon('search')}<span>Search</span><kbd>/</kbd></button>
<nav aria-label="This service"><a href="../docs/">API<span class="wide"> reference</span></a><a href="../console">Console</a></nav>
<button type="button" id="theme" aria-label="Switch between light and dark">${icon('theme')}</button>
</header>
<div class="columns">
<nav class="pages" id="navigation" aria-label="Guides">${navigationOf(contents, page)}</nav>
<main id="content">
<article>
${rendered.html}</article>
${neighboursOf(contents, page)}
<footer>Itemwright ${escapeHtml(version)} · <a href="${markdown}">This page as Markdown</a> · <a href="llms.txt">llms.txt</a></footer>
</main>
${outlineOf(rendered)}
</div>
<dialog id="results" aria-label="Search">
<form method="dialog"><input type="search" role="combobox" aria-label="Search the guides" aria-controls="found" aria-expanded="false" autocomplete="off" placeholder="Search the guides"><button type="submit">Close</button></form>
<ul id="found" class="found" role="listbox" aria-label="Results"></ul>
<p id="none" class="none" role="status"></p>
</dialog>
</body>
</html>
`;
};
