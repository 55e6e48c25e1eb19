import { sortedBy } from '../byte-order.ts';
import { countValues } from '../pool/attributes.ts';
import type { Tiers } from './tiers.ts';

/** What value an attribute of an item can get, all of them with the same odds. */
export interface DisclosedAttribute {
  readonly itemId: string;
  readonly attributeId: string;
  readonly min: number;
  readonly max: number;
  readonly step: number | null;
  /** The number of values; null if every value between the bounds is possible. */
  readonly values: number | null;
  /** The odds of each value. */
  readonly odds: number | null;
}

/** Of all items in the pool, in byte order of their ids. */
export const disclosedAttributes = ({ all }: Tiers): DisclosedAttribute[] => {
  const items = all.flatMap((tier) => tier.items.filter(({ attributeCount }) => attributeCount > 0));
  return sortedBy(items, ({ id }) => id).flatMap(({ id: itemId, attributes }) =>
    attributes.map(({ attributeId, range }) => {
      const { min, max, step } = range;
      const values = countValues(range);
      return { itemId, attributeId, min, max, step, values, odds: values === null ? null : 1 / values };
    }),
  );
};
