import { setUpCode } from './code.ts';
import { setUpSearch } from './search.ts';

const root = document.documentElement;

document.querySelector('#theme')?.addEventListener('click', () => {
  const theme = root.dataset.theme === 'dark' ? 'light' : 'dark';
  root.dataset.theme = theme;
  localStorage.setItem('itemwright-guides-theme', theme);
});

const menu = document.querySelector('#menu');
menu?.addEventListener('click', () => {
  const isOpen = document.body.classList.toggle('menu-open');
  menu.setAttribute('aria-expanded', String(isOpen));
});

document.querySelector('#navigation [aria-current]')?.scrollIntoView({ block: 'nearest' });

/** Marks the heading in the outline that is being read. */
const setUpOutline = (): void => {
  const links = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>('.outline a')].map((link) => [link.hash.slice(1), link]),
  );
  const headings = [...document.querySelectorAll('article h2, article h3')].filter(({ id }) => links.has(id));
  const mark = (): void => {
    const read = headings.findLast((heading) => heading.getBoundingClientRect().top < 120) ?? headings[0];
    for (const [id, link] of links) link.toggleAttribute('data-read', id === read?.id);
  };
  addEventListener('scroll', mark, { passive: true });
  mark();
};

setUpCode();
setUpSearch();
setUpOutline();
