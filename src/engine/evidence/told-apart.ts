import { allAtOnce, type Steps } from '../steps.ts';

/** Items of a part that are told apart: the likeliest ones. The others count as one, so that what is kept stays small. */
const ITEMS_PER_PART = 1000;

/** The outcome that stands for all items that are not told apart. */
export const OTHER_ITEMS = '';

export interface Weighted {
  /** In byte order of their ids. */
  readonly items: readonly { readonly id: string }[];
  readonly weights: ArrayLike<number>;
}

/**
 * The ids of the items that are told apart; null if all are. Those that cannot be rolled are among them, since rolling
 * one would be a fault.
 */
export function* tellApart({ items, weights }: Weighted): Steps<ReadonlySet<string> | null> {
  if (items.length <= ITEMS_PER_PART) return null;
  const least = Float64Array.from(weights).sort()[items.length - ITEMS_PER_PART] as number;
  yield;
  let room = ITEMS_PER_PART;
  for (let index = 0; index < items.length; index += 1) if ((weights[index] as number) > least) room -= 1;
  yield;
  const ids = new Set<string>();
  for (const [index, { id }] of items.entries()) {
    const weight = weights[index] as number;
    if (weight > least || weight === 0) ids.add(id);
    else if (weight === least && room > 0) {
      room -= 1;
      ids.add(id);
    }
  }
  return ids;
}

/** The same, all at once. */
export const toldApart = (part: Weighted): ReadonlySet<string> | null => allAtOnce(tellApart(part));
