type Child = Node | string | null;

interface Attributes {
  readonly class?: string;
  readonly [name: string]: string | boolean | undefined;
}

/** An element with text and other elements in it. Texts of a proof are only ever text here, never markup. */
export const element = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    made.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children) if (child !== null) made.append(child);
  return made;
};

const SVG = 'http://www.w3.org/2000/svg';

/** One of the symbols of the page. It says nothing that the text beside it does not say. */
export const icon = (name: 'verified' | 'sealed' | 'failed' | 'note' | 'open'): SVGElement => {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('class', `icon icon-${name}`);
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS(SVG, 'use');
  use.setAttribute('href', `#icon-${name}`);
  svg.append(use);
  return svg;
};

export const find = <E extends HTMLElement>(id: string): E => {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no ${id}.`);
  return found as E;
};
