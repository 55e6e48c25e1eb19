import { sortedBy } from '../byte-order.ts';
import { type AnyReceipt, PLAIN_SCOPE, type RotateReceipt } from './receipts.ts';
import type { CallReceipt } from './replay.ts';
import { shortened } from './shape.ts';

/** A receipt of a proof, and what was found to be wrong with it. */
export interface Entry<R extends AnyReceipt = AnyReceipt> {
  readonly receipt: R;
  readonly hash: string;
  /** Sentences without a subject or a full stop; empty as long as nothing is wrong. */
  readonly reasons: string[];
}

export type RotateEntry = Entry<RotateReceipt>;
export type CallEntry = Entry<CallReceipt>;

/** The calls of one epoch and scope. */
export interface Chain {
  readonly scope: string;
  /** By nonce; there may be gaps, but no nonce twice. */
  readonly calls: readonly CallEntry[];
}

export interface Epoch {
  readonly number: number;
  /** The rotation that began it, and the one that ended it and revealed its seed; undefined if not in the proof. */
  readonly opening: RotateEntry | undefined;
  readonly closing: RotateEntry | undefined;
  /** In byte order of the scopes. */
  readonly chains: readonly Chain[];
}

const isRotation = (entry: Entry): entry is RotateEntry => entry.receipt.kind === 'rotate';
const isCall = (entry: Entry): entry is CallEntry => entry.receipt.kind !== 'rotate';

export const nameOfScope = (scope: string): string => {
  if (scope === PLAIN_SCOPE) return 'plain rolls';
  const [, kind, id = ''] = /^(template|group):(.*)$/s.exec(scope) ?? [];
  if (kind === undefined) return shortened(scope);
  return kind === 'group' ? `the pity group ${shortened(id)}` : `the template ${shortened(id)}`;
};

/** Several calls of a chain, such as `#3` or `#3 to #7`. */
export const nameOfNonces = (from: number, to: number): string => (from === to ? `#${from}` : `#${from} to #${to}`);

/** One entry per place; whoever else claims the place is told, and so is the one that has it. */
const placed = <R extends AnyReceipt>(entries: readonly Entry<R>[], placeOf: (receipt: R) => number): Entry<R>[] => {
  const byPlace = new Map<number, Entry<R>>();
  for (const entry of entries) {
    const other = byPlace.get(placeOf(entry.receipt));
    if (other === undefined) {
      byPlace.set(placeOf(entry.receipt), entry);
      continue;
    }
    for (const one of [entry, other]) one.reasons.push('the proof has two different receipts for the same place');
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
    .map((number) => {
      const chains = Map.groupBy(calls.get(number) ?? [], ({ receipt }) => receipt.scope);
      return {
        number,
        opening: rotations.get(number),
        closing: rotations.get(number + 1),
        chains: sortedBy(chains.entries(), ([scope]) => scope).map(([scope, inScope]) => ({
          scope,
          calls: placed(inScope, ({ nonce }) => nonce),
        })),
      };
    });
};
