const KEPT = 'itemwright-guides-language';

const tabsOf = (list: Element): HTMLButtonElement[] => [...list.querySelectorAll<HTMLButtonElement>('[role="tab"]')];

const select = (list: Element, chosen: HTMLButtonElement): void => {
  for (const tab of tabsOf(list)) {
    tab.ariaSelected = String(tab === chosen);
    tab.tabIndex = tab === chosen ? 0 : -1;
    const panel = document.getElementById(tab.getAttribute('aria-controls') ?? '');
    if (panel !== null) panel.hidden = tab !== chosen;
  }
};

/** Whoever reads one example in a language wants the others in it, too. */
const selectEverywhere = (language: string): void => {
  for (const list of document.querySelectorAll('[role="tablist"]')) {
    const tab = tabsOf(list).find(({ textContent }) => textContent === language);
    if (tab !== undefined) select(list, tab);
  }
};

const choose = (tab: HTMLButtonElement): void => {
  const language = tab.textContent ?? '';
  const before = tab.getBoundingClientRect().top;
  localStorage.setItem(KEPT, language);
  selectEverywhere(language);
  // Tabs above have other heights now; what is being read stays in its place.
  scrollBy(0, tab.getBoundingClientRect().top - before);
  tab.focus({ preventScroll: true });
};

const copy = async (button: HTMLButtonElement): Promise<void> => {
  const text = button.parentElement?.querySelector('code')?.textContent ?? '';
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    // Without TLS, browsers let pages copy only what is selected.
    const code = button.parentElement?.querySelector('code');
    if (code) getSelection()?.selectAllChildren(code);
    button.textContent = document.execCommand('copy') ? 'Copied' : 'Press Ctrl+C';
  }
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 1500);
};

export const setUpCode = (): void => {
  for (const button of document.querySelectorAll<HTMLButtonElement>('.copy'))
    button.addEventListener('click', () => copy(button));
  for (const list of document.querySelectorAll('[role="tablist"]'))
    tabsOf(list).forEach((tab, index, tabs) => {
      tab.addEventListener('click', () => choose(tab));
      tab.addEventListener('keydown', ({ key }) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
        const next = step && tabs.at((index + step) % tabs.length);
        if (next) choose(next);
      });
    });
  const kept = localStorage.getItem(KEPT);
  if (kept !== null) selectEverywhere(kept);
};
