import type { DisclosedRules } from '../../engine/systems/disclosed-rules.ts';
import type { ItemRow, TierRow } from '../../engine/systems/odds.ts';
import type { PublicOddsInForce, PublicResults, Surroundings } from './disclosure.contract.ts';
import { nameIn } from './page-formats.presenter.ts';
import type { Heading, System, Words } from './words.presenter.ts';

/** Everything that a page shows. Times are ISO 8601. */
export interface PageContent extends DisclosedRules, Surroundings {
  readonly words: Words;
  readonly templateId: string;
  readonly name: string;
  readonly type: System;
  readonly config: string;
  readonly version: number;
  readonly from: string;
  readonly startsAt: string | null;
  readonly endsAt: string | null;
  /** Rarest first. */
  readonly tiers: readonly TierRow[];
  /** Grouped by tier; perhaps not all of them. */
  readonly items: readonly ItemRow[];
  readonly itemCount: number;
  readonly featuredNames: readonly string[];
  /** How many attributes there are, of which some are listed. */
  readonly attributeCount: number;
  readonly results: PublicResults;
  /** With the greatest evidence so far: it may be less by now. */
  readonly alarm: { readonly at: string; readonly evidence: number } | null;
  readonly history: readonly PublicOddsInForce[];
  readonly isWholeHistory: boolean;
}

/** Parts that do not apply are left out. */
type Part = string | false;

const joined = (parts: readonly Part[]): string => parts.filter((part) => part !== false).join('');

export const section = (id: string, title: string, ...parts: readonly Part[]): string =>
  `<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${joined(parts)}</section>`;

export const paragraph = (text: string): string => `<p>${text}</p>`;

/** Sentences in small print. */
export const note = ({ gap }: Words, ...sentences: readonly Part[]): string =>
  `<p class="note">${sentences.filter((sentence) => sentence !== false).join(gap)}</p>`;

/** A table that scrolls on its own if it is too wide. The title is text in HTML, without tags. */
export const table = (title: string, ...parts: readonly Part[]): string =>
  `<div class="scroll" role="region" aria-label="${title}" tabindex="0"><table>${joined(parts)}</table></div>`;

/** One of few columns. */
export const smallTable = (title: string, ...parts: readonly Part[]): string =>
  `<div class="small">${table(title, ...parts)}</div>`;

const withClass = (kind: string | undefined): string => (kind === undefined ? '' : ` class="${kind}"`);

/** Cells of kind `wide` are left out on narrow screens; those of kind `text` are not numbers. */
export const column = (text: string, kind?: 'wide' | 'text'): string =>
  `<th scope="col"${withClass(kind)}>${text}</th>`;
export const cell = (text: string, kind?: string): string => `<td${withClass(kind)}>${text}</td>`;

export const head = (...columns: readonly Part[]): string => `<thead><tr>${joined(columns)}</tr></thead>`;
export const body = (rows: readonly string[]): string => `<tbody>${rows.join('')}</tbody>`;
export const row = (name: string, ...cells: readonly Part[]): string =>
  `<tr><th scope="row">${name}</th>${joined(cells)}</tr>`;

/** A column whose title is shorter on narrow screens. */
export const headed = ({ text, more }: Heading): string =>
  column(more === '' ? text : `${text}<span class="wide"> ${more}</span>`);

export const tierName = ({ words }: PageContent, { name, tier }: Pick<TierRow, 'name' | 'tier'>): string =>
  name === null && tier === null ? words.allItems : nameIn(name ?? tier ?? '');

/** The names of tiers by their ids. */
export const namesOf = (content: PageContent) => {
  const names = new Map(content.tiers.map((tier) => [tier.tier, tierName(content, tier)]));
  return (tier: string | null): string => names.get(tier) ?? nameIn(tier ?? '');
};

/** A name as the value of an attribute. */
export const withoutTags = (name: string): string => name.replaceAll(/<\/?bdi>/g, '');

/** Whether pity or a guarantee changes anything in the long run. */
export const hasHelp = ({ pity, featured }: PageContent): boolean =>
  pity.length > 0 || (featured !== null && featured.guaranteeAfterLosses !== null);

/** The address of something beside the page, whatever path the service has. */
export const linkTo = ({ templateId }: PageContent, name: string, text: string): string =>
  `<a href="${encodeURIComponent(templateId)}/${name}" target="_blank" rel="noopener">${text}</a>`;

/** A range of rolls or cards. */
export const range = (from: number, to: number): string => (from === to ? `${from}` : `${from}–${to}`);
