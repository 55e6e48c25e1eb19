import { allAtOnce, type Steps } from '../steps.ts';

/** Items of a part that are counted by name: the likeliest ones. The others are counted together, so that little is stored. */
const ITEMS_PER_PART = 1000;

/** The outcome that stands for all other items. */
export const OTHER_ITEMS = '';

export interface Weighted {
  /** In byte order of their ids. */
  readonly items: readonly { readonly id: string }[];
  readonly weights: ArrayLike<number>;
}

/**
 * The ids of the items that are counted by name; null if all are. Those that cannot be rolled are among them, since
 * rolling one would be a fault.
 */
export function* chooseNamedItems({ items, weights }: Weighted): Steps<ReadonlySet<string> | null> {
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
export const namedItems = (part: Weighted): ReadonlySet<string> | null => allAtOnce(chooseNamedItems(part));
