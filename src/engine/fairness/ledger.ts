import { type AnyReceipt, PLAIN_SCOPE, type RotateReceipt } from './receipts.ts';
import type { CallReceipt } from './replay.ts';
import { shortened } from './shape.ts';

/** A receipt of a story, and what was found to be wrong with it. */
export interface Entry<R extends AnyReceipt = AnyReceipt> {
  readonly receipt: R;
  readonly hash: string;
  /** Sentences without a subject or a full stop; empty as long as nothing is wrong. */
  readonly reasons: string[];
}

export type RotateEntry = Entry<RotateReceipt>;
export type CallEntry = Entry<CallReceipt>;

export interface Epoch {
  readonly number: number;
  /** The rotation that began it, and the one that ended it and revealed its seed; undefined if not in the story. */
  readonly opening: RotateEntry | undefined;
  readonly closing: RotateEntry | undefined;
  /** By nonce; there may be gaps, but no nonce twice. */
  readonly calls: readonly CallEntry[];
}

const isRotation = (entry: Entry): entry is RotateEntry => entry.receipt.kind === 'rotate';
const isCall = (entry: Entry): entry is CallEntry => entry.receipt.kind !== 'rotate';

export const nameOfScope = (scope: string): string => {
  if (scope === PLAIN_SCOPE) return 'plain rolls';
  const [, kind, id = ''] = /^(template|group):(.*)$/s.exec(scope) ?? [];
  if (kind === undefined) return shortened(scope);
  return kind === 'group' ? `the pity group ${shortened(id)}` : `the template ${shortened(id)}`;
};

/** Several calls of an epoch, such as `#3` or `#3 to #7`, with the verb. */
export const nameOfNonces = (from: number, to: number): string =>
  from === to ? `#${from} is` : `#${from} to #${to} are`;

/** One entry per place; whoever else claims the place is told, and so is the one that has it. */
const placed = <R extends AnyReceipt>(entries: readonly Entry<R>[], placeOf: (receipt: R) => number): Entry<R>[] => {
  const byPlace = new Map<number, Entry<R>>();
  for (const entry of entries) {
    const other = byPlace.get(placeOf(entry.receipt));
    if (other === undefined) {
      byPlace.set(placeOf(entry.receipt), entry);
      continue;
    }
    for (const one of [entry, other]) one.reasons.push('there are two different receipts for the same place');
  }
  return [...byPlace.values()].sort((left, right) => placeOf(left.receipt) - placeOf(right.receipt));
};

/** Puts receipts where they say they belong, whatever order they came in. */
export const epochsOf = (entries: readonly Entry[]): Epoch[] => {
  const rotations = new Map(
    placed(entries.filter(isRotation), ({ epoch }) => epoch).map((entry) => [entry.receipt.epoch, entry]),
  );
  const calls = Map.groupBy(entries.filter(isCall), ({ receipt }) => receipt.epoch);
  const numbers = new Set([...rotations.keys(), ...calls.keys()]);
  return [...numbers]
    .sort((left, right) => left - right)
    .map((number) => ({
      number,
      opening: rotations.get(number),
      closing: rotations.get(number + 1),
      calls: placed(calls.get(number) ?? [], ({ nonce }) => nonce),
    }));
};
