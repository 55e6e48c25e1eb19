import type { CheckedReceipt, ShownItem, Status, Verification } from '../../src/engine/fairness/verify.ts';
import { element, icon } from './dom.ts';
import { checksOf, gapsOf, itemsText, placeOf, STATUS_WORDS, sentence, timeText, titleOf } from './words.ts';

/** Items of a call that are listed; a claim may have a thousand. */
const MOST_ITEMS = 200;

/** Without colour if there is nothing of the kind. */
export const badge = (status: Status, isPlain = false): HTMLElement =>
  element('span', { class: isPlain ? 'badge' : `badge ${status}` }, icon(status), STATUS_WORDS[status]);

const itemView = ({ name, tier, pity, featured, values }: ShownItem): HTMLElement => {
  const marks = [
    tier,
    featured ? 'featured' : null,
    pity ? 'due by pity' : null,
    ...values.map(({ attributeId, value }) => `${attributeId} ${value}`),
  ].filter((mark) => mark !== null);
  return element(
    'li',
    { class: featured || pity ? 'item special' : 'item' },
    element('span', { class: 'item-name' }, name),
    marks.length === 0 ? null : element('span', { class: 'item-marks' }, marks.join(' · ')),
  );
};

const itemList = (items: readonly ShownItem[]): HTMLElement => {
  const left = items.length - MOST_ITEMS;
  const shown = items.slice(0, MOST_ITEMS).map(itemView);
  if (left > 0) shown.push(element('li', { class: 'item' }, `and ${left} more`));
  return element('ol', { class: 'items' }, ...shown);
};

const fact = (name: string, value: string): HTMLElement[] => [
  element('dt', {}, name),
  element('dd', {}, element('code', {}, value)),
];

const factsOf = ({ receipt, hash }: CheckedReceipt): HTMLElement => {
  const facts = [...fact('Receipt', hash)];
  if (receipt.kind === 'rotate') facts.push(...fact('Receipt before', receipt.previous));
  else {
    if (receipt.templateId !== '') facts.push(...fact('Template', receipt.templateId));
    facts.push(...fact('Receipt before', receipt.previous), ...fact('Configuration', receipt.config));
  }
  return element('dl', { class: 'facts' }, ...facts);
};

/** What a receipt shows when it is opened. Made only then: there may be a thousand of them. */
const detailsOf = (checked: CheckedReceipt, items: readonly ShownItem[], hasPrevious: boolean): HTMLElement[] => {
  const { receipt, status } = checked;
  const parts: HTMLElement[] = [];
  if (receipt.kind !== 'rotate' && items.length > 0)
    parts.push(element('h5', {}, receipt.kind === 'spark' ? 'What was exchanged' : 'What was rolled'), itemList(items));
  if (status !== 'failed') {
    const past = { hasPrevious, isStartGiven: checked.isStartGiven };
    const line = (symbol: 'verified' | 'note' | 'sealed', text: string): HTMLElement =>
      element('li', {}, icon(symbol), element('span', {}, text));
    const checks = [
      ...checksOf(receipt, past, status === 'sealed').map((text) => line('verified', text)),
      ...gapsOf(receipt, past).map((text) => line('note', text)),
    ];
    if (status === 'sealed') checks.push(line('sealed', 'Not the result yet: the server seed is still secret.'));
    parts.push(element('h5', {}, 'What was checked'), element('ul', { class: 'checks' }, ...checks));
  }
  parts.push(factsOf(checked));
  return parts;
};

let views = 0;

/** What a receipt in the list needs to know of the others. */
export interface Around {
  readonly verification: Verification;
  /** The hashes of all receipts, and of those that the player kept. */
  readonly hashes: ReadonlySet<string>;
  readonly kept: ReadonlySet<string>;
}

/** A receipt in the list: what it is about, whether it is right, and, on request, everything about it. */
export const receiptView = (checked: CheckedReceipt, { verification, hashes, kept }: Around): HTMLElement => {
  const { receipt, status, reasons } = checked;
  const items = receipt.kind === 'rotate' ? [] : verification.itemsOf(receipt);
  views += 1;
  const more = element('div', { class: 'more', id: `more-${views}`, hidden: true });
  const row = element(
    'button',
    { type: 'button', class: 'row', 'aria-expanded': 'false', 'aria-controls': more.id },
    badge(status),
    element(
      'span',
      { class: 'what' },
      element('span', { class: 'title' }, titleOf(receipt), ' ', element('span', { class: 'place' }, placeOf(receipt))),
      receipt.kind === 'rotate' ? null : element('span', { class: 'got' }, itemsText(items)),
    ),
    element(
      'span',
      { class: 'when' },
      element('time', { datetime: receipt.at }, timeText(receipt.at)),
      kept.has(checked.hash) ? element('span', { class: 'kept' }, 'You kept it') : null,
    ),
    icon('open'),
  );
  row.addEventListener('click', () => {
    if (more.childElementCount === 0) more.append(...detailsOf(checked, items, hashes.has(receipt.previous)));
    more.hidden = !more.hidden;
    row.setAttribute('aria-expanded', String(!more.hidden));
  });
  return element(
    'li',
    { class: `receipt ${status}` },
    row,
    reasons.length === 0
      ? null
      : element('ul', { class: 'reasons' }, ...reasons.map((reason) => element('li', {}, sentence(reason)))),
    more,
  );
};
