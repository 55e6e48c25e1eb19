/** A little help with elements; a page of this size needs no framework. */

type Child = Node | string | false | null | undefined;
type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** An element with attributes and children; texts are always texts, never HTML. */
export const h = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child !== false && child !== null && child !== undefined) element.append(child);
  return element;
};

export const byId = <T extends HTMLElement = HTMLElement>(id: string): T => {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no element ${id}.`);
  return found as T;
};

/** Replaces what an element contains; what has an id keeps the focus, and stays open if it was. */
export const fill = (element: HTMLElement, ...children: readonly HTMLElement[]): void => {
  const focused = element.contains(document.activeElement) ? document.activeElement?.id : '';
  const open = [...element.querySelectorAll('details[open]')].map(({ id }) => id);
  element.replaceChildren(...children);
  for (const id of open) if (id !== '') document.getElementById(id)?.setAttribute('open', '');
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
};

/** Sizes and positions go by custom properties, which the content security policy allows scripts to set. */
export const setVariables = (element: HTMLElement, variables: Readonly<Record<string, string | number>>): void => {
  for (const [name, value] of Object.entries(variables)) element.style.setProperty(`--${name}`, String(value));
};

export const onClick = <T extends HTMLElement>(element: T, listener: () => void): T => {
  element.addEventListener('click', listener);
  return element;
};

/** Tells screen readers what happened. */
export const announce = (text: string): void => {
  byId('announcer').textContent = text;
};

/** Shows a message for some seconds, and announces it. */
export const toast = (text: string, kind: 'good' | 'bad' = 'good'): void => {
  const shown = h('p', { class: `toast ${kind}` }, text);
  byId('toasts').append(shown);
  announce(text);
  setTimeout(() => shown.remove(), 6000);
};

const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumSignificantDigits: 4 });
export const percent = (share: number): string => PERCENT.format(share);

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
export const number = (value: number): string => NUMBER.format(value);
