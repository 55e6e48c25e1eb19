import type { DisclosedRules } from '../../engine/systems/disclosed-rules.ts';
import type { ItemRow, TierRow } from '../../engine/systems/odds.ts';
import type { PublicOddsInForce, PublicResults } from './disclosure.contract.ts';
import { nameIn } from './page-words.presenter.ts';

/** Everything that a page shows. Times are ISO 8601. */
export interface PageContent extends DisclosedRules {
  readonly templateId: string;
  readonly name: string;
  readonly type: 'gacha' | 'idle' | 'card_pack' | 'roguelike';
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
  readonly sharesPity: boolean;
  readonly results: PublicResults;
  readonly alarmedAt: string | null;
  readonly history: readonly PublicOddsInForce[];
  readonly isWholeHistory: boolean;
}

/** What players call a template of a type, one roll on it, and one item that it gives. */
const WORDS = {
  gacha: { system: 'Banner', roll: 'roll', aRoll: 'a roll', result: 'roll' },
  idle: { system: 'Idle drops', roll: 'roll', aRoll: 'a roll', result: 'roll' },
  card_pack: { system: 'Card pack', roll: 'pack', aRoll: 'a pack', result: 'card' },
  roguelike: { system: 'Offer', roll: 'offer', aRoll: 'an offer', result: 'choice' },
} as const;

export const wordsOf = ({ type }: Pick<PageContent, 'type'>) => WORDS[type];

export const capitalized = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;

/** Parts that do not apply are left out. */
type Part = string | false;

const joined = (parts: readonly Part[]): string => parts.filter((part) => part !== false).join('');

export const section = (id: string, title: string, ...parts: readonly Part[]): string =>
  `<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${joined(parts)}</section>`;

export const paragraph = (text: string): string => `<p>${text}</p>`;

/** Sentences in small print. */
export const note = (...sentences: readonly Part[]): string =>
  `<p class="note">${sentences.filter((sentence) => sentence !== false).join(' ')}</p>`;

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

/** The part of a title that a narrow screen has no room for. */
export const more = (text: string): string => `<span class="wide"> ${text}</span>`;

const ONLY_TIER = 'All items';

export const tierName = ({ name, tier }: Pick<TierRow, 'name' | 'tier'>): string =>
  name === null && tier === null ? ONLY_TIER : nameIn(name ?? tier ?? '');

/** The names of tiers by their ids. */
export const namesOf = ({ tiers }: Pick<PageContent, 'tiers'>) => {
  const names = new Map(tiers.map((tier) => [tier.tier, tierName(tier)]));
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

/** What a range of rolls or cards is called. */
export const range = (from: number, to: number): string => (from === to ? `${from}` : `${from}–${to}`);
