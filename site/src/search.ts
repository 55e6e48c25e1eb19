import MiniSearch, { type SearchResult } from 'minisearch';

interface Section {
  readonly href: string;
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

const SHOWN = 20;
const AROUND = 60;

const element = <T extends HTMLElement>(selector: string): T => {
  const found = document.querySelector<T>(selector);
  if (found === null) throw new Error(`There is no ${selector}`);
  return found;
};

const address = document.querySelector<HTMLScriptElement>('script[data-search]')?.dataset.search ?? '';

const readIndex = async (): Promise<{ index: MiniSearch; sections: Section[] }> => {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${response.status}`);
  const sections: Section[] = await response.json();
  const index = new MiniSearch({
    fields: ['title', 'page', 'text'],
    searchOptions: {
      boost: { title: 4, page: 2 },
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : 0),
      combineWith: 'AND',
    },
  });
  index.addAll(sections.map((section, id) => ({ id, ...section })));
  return { index, sections };
};

/** Where the first word that was found is, with what is around it. */
const excerptOf = (text: string, { terms }: SearchResult): DocumentFragment => {
  const fragment = new DocumentFragment();
  const at = terms.map((term) => text.toLowerCase().indexOf(term)).filter((place) => place >= 0);
  const from = text.lastIndexOf(' ', Math.max(0, Math.min(...at, text.length) - AROUND)) + 1;
  const shown = at.length === 0 ? text.slice(0, 2 * AROUND) : text.slice(from, from + 3 * AROUND);
  const pattern = new RegExp(`(${terms.map((term) => term.replace(/[^\p{L}\p{N}]/gu, '\\$&')).join('|')})`, 'gi');
  if (at.length > 0 && from > 0) fragment.append('… ');
  for (const [index, piece] of shown.split(pattern).entries()) {
    const shownAs = index % 2 === 0 ? new Text() : document.createElement('mark');
    shownAs.textContent = piece;
    fragment.append(shownAs);
  }
  return fragment;
};

const itemOf = (section: Section, result: SearchResult, place: number): HTMLLIElement => {
  const item = document.createElement('li');
  item.role = 'none';
  const link = document.createElement('a');
  link.href = section.href;
  link.id = `result-${place}`;
  link.role = 'option';
  link.tabIndex = -1;
  const title = document.createElement('strong');
  title.textContent = section.title === section.page ? section.title : `${section.page} › ${section.title}`;
  const excerpt = document.createElement('span');
  excerpt.append(excerptOf(section.text, result));
  link.append(title, excerpt);
  item.append(link);
  return item;
};

export const setUpSearch = (): void => {
  const dialog = element<HTMLDialogElement>('#results');
  const input = element<HTMLInputElement>('#results input');
  const list = element<HTMLUListElement>('#found');
  const status = element('#none');
  let reading: ReturnType<typeof readIndex> | undefined;
  let active = 0;

  const activate = (place: number): void => {
    const items = [...list.querySelectorAll('a')];
    active = items.length === 0 ? 0 : (place + items.length) % items.length;
    items.forEach((item, index) => {
      item.ariaSelected = String(index === active);
    });
    const chosen = items[active];
    if (chosen === undefined) input.removeAttribute('aria-activedescendant');
    else input.setAttribute('aria-activedescendant', chosen.id);
    chosen?.scrollIntoView({ block: 'nearest' });
  };
  const show = async (): Promise<void> => {
    const wanted = input.value.trim();
    reading ??= readIndex();
    let items: HTMLLIElement[] = [];
    let message = '';
    try {
      const { index, sections } = await reading;
      if (wanted !== input.value.trim()) return;
      items = index
        .search(wanted)
        .slice(0, SHOWN)
        .map((result, place) => itemOf(sections[result.id] as Section, result, place));
      if (items.length === 0 && wanted !== '') message = `Nothing about “${wanted}”.`;
    } catch {
      reading = undefined;
      message = 'The search index could not be loaded.';
    }
    list.replaceChildren(...items);
    input.ariaExpanded = String(items.length > 0);
    status.textContent = message;
    activate(0);
  };
  const open = (): void => {
    if (!dialog.open) dialog.showModal();
    input.select();
    show();
  };

  element('#search').addEventListener('click', open);
  addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    const isWanted = (event.key === '/' && !isTyping) || (event.key === 'k' && (event.ctrlKey || event.metaKey));
    if (!isWanted) return;
    event.preventDefault();
    open();
  });
  input.addEventListener('input', show);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      activate(active + (event.key === 'ArrowDown' ? 1 : -1));
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      list.querySelectorAll('a')[active]?.click();
    }
  });
  // A link to a heading of this very page loads nothing, so the dialog would stay.
  list.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
};
