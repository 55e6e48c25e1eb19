import { nameOfScope } from '../../src/engine/fairness/ledger.ts';
import type { AnyReceipt, RotateReceipt } from '../../src/engine/fairness/receipts.ts';
import type { CallReceipt } from '../../src/engine/fairness/replay.ts';
import type { ShownItem, Status } from '../../src/engine/fairness/verify.ts';

export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;

/** The first letter as a capital one, for reasons that stand alone. */
export const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

export const STATUS_WORDS: Readonly<Record<Status, string>> = {
  verified: 'Verified',
  sealed: 'Sealed',
  failed: 'Failed',
};

export const upper = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** What a receipt is about, in a few words. */
export const titleOf = (receipt: AnyReceipt): string => {
  if (receipt.kind === 'rotate') return receipt.epoch === 0 ? 'First seeds' : 'New seeds';
  return `${receipt.kind === 'spark' ? 'Exchange' : 'Roll'} #${receipt.nonce}`;
};

export const placeOf = (receipt: AnyReceipt): string =>
  receipt.kind === 'rotate'
    ? `Beginning of epoch ${receipt.epoch}`
    : upper(nameOfScope(receipt.scope).replace(/^the /, ''));

/** A time as receipts have it, for reading. */
export const timeText = (at: string): string => at.replace('T', ' ').replace(/\.\d+Z$/, ' UTC');

/** Names in a summary; of more, only the number is said. */
const MOST_NAMED = 4;

/** What was rolled, in a line: the rarest first, as far as the receipt tells. */
export const itemsText = (items: readonly ShownItem[]): string => {
  if (items.length === 0) return 'nothing yet';
  const counts = new Map<string, { count: number; weight: number }>();
  for (const { name, featured, pity } of items) {
    const known = counts.get(name) ?? { count: 0, weight: 0 };
    counts.set(name, { count: known.count + 1, weight: known.weight + 1 - (featured || pity ? items.length : 0) });
  }
  const sorted = [...counts].sort(([, left], [, right]) => left.weight - right.weight);
  const named = sorted.slice(0, MOST_NAMED).map(([name, { count }]) => (count === 1 ? name : `${count} × ${name}`));
  const left = sorted.slice(MOST_NAMED).reduce((sum, [, { count }]) => sum + count, 0);
  return left === 0 ? named.join(', ') : `${named.join(', ')} and ${left} more`;
};

/** What of the past of a receipt is in the proof too. */
export interface Past {
  readonly hasPrevious: boolean;
  readonly isStartGiven: boolean;
}

const rotationChecks = ({ epoch, count }: RotateReceipt, { hasPrevious }: Past): string[] => {
  if (epoch === 0 || !hasPrevious) return ['It promises a server seed, and begins with your client seed.'];
  return [
    'It uses the server seed that had been promised before.',
    'The client seed is a new one.',
    `It reveals the server seed of epoch ${epoch - 1}, and that fits its promise.`,
    `It says how many rolls epoch ${epoch - 1} had: ${count.toLocaleString('en-US')}.`,
  ];
};

const callChecks = (receipt: CallReceipt, { hasPrevious, isStartGiven }: Past, isSealed: boolean): string[] => [
  ...(hasPrevious
    ? ['It follows the receipt before it. Nothing in between was left out, and nothing was swapped.']
    : []),
  'Its odds had been fixed before your client seed was known, and have no part in its random numbers.',
  ...(receipt.before === null || isStartGiven
    ? []
    : ['The counters, such as pity, began where the last roll had left them.']),
  ...(isSealed
    ? []
    : [
        `Made again from both seeds, it gives ${receipt.results.length === 1 ? 'the same item' : `the same ${counted(receipt.results.length, 'item')}`}, with ${counted(receipt.draws, 'random number')}.`,
      ]),
];

/** What was found to be right about a receipt that did not fail. */
export const checksOf = (receipt: AnyReceipt, past: Past, isSealed: boolean): string[] =>
  receipt.kind === 'rotate' ? rotationChecks(receipt, past) : callChecks(receipt, past, isSealed);

/** What could not be checked, because it is not in the proof. */
export const gapsOf = (receipt: AnyReceipt, { hasPrevious, isStartGiven }: Past): string[] => [
  ...(hasPrevious || (receipt.kind === 'rotate' && receipt.epoch === 0)
    ? []
    : ['What came before it is not in this proof.']),
  ...(isStartGiven ? ['The counters that it began with come from rolls that are not in this proof.'] : []),
];
