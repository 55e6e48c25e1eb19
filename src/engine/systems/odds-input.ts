import type { CompiledItem } from '../pool/catalog.ts';
import type { PackPlan } from './card-pack/card-pack.ts';
import type { GachaRules } from './gacha/gacha.ts';
import type { Counter } from './gacha/pity.ts';
import { offerPlan } from './roguelike/roguelike.ts';
import type { CompiledTemplate } from './templates.ts';
import type { WeightedItems } from './tiers.ts';

/**
 * The input of exact odds: the rolling rules, as far as they affect odds. Items are represented by any value that
 * identifies them. As plain data it can be sent to another thread.
 */
export interface OddsItems {
  readonly items: Iterable<unknown> & { readonly length: number };
  readonly weights: Iterable<number> & { readonly [index: number]: number; readonly length: number };
  readonly picker: { readonly total: number };
  readonly rollable: number;
}

export interface OddsTier extends OddsItems {
  readonly rate: number;
  readonly share: number;
}

export interface OddsTiers {
  readonly all: readonly OddsTier[];
  readonly ranked: readonly number[];
  readonly ranks: readonly number[];
  readonly top: number;
}

export interface OddsFeature {
  readonly share: number | null;
  readonly guaranteeAfter: number;
  readonly featured: OddsItems;
  readonly others: OddsItems;
}

export interface GachaOddsInput {
  readonly tiers: OddsTiers;
  readonly ladder: readonly Counter[];
  readonly feature: OddsFeature | null;
}

export interface PackOddsInput {
  readonly tiers: OddsTiers;
  readonly slots: readonly {
    readonly count: number;
    readonly rates: readonly number[];
    readonly items: readonly OddsItems[];
  }[];
  readonly cards: number;
  /** Null if a pack may contain an item twice. */
  readonly remainders: readonly unknown[] | null;
  readonly threshold: number;
  readonly forcedCard: number;
}

export type OddsInput =
  | { readonly kind: 'rolls'; readonly rules: GachaOddsInput }
  | { readonly kind: 'packs'; readonly plan: PackOddsInput };

/** The rules of a template from which odds are computed; for offers, at depth 0. */
export const oddsInputOf = (template: CompiledTemplate): OddsInput => {
  switch (template.type) {
    case 'gacha':
    case 'idle':
      return { kind: 'rolls', rules: template.rules };
    case 'card_pack':
      return { kind: 'packs', plan: template.rules };
    case 'roguelike':
      return { kind: 'packs', plan: offerPlan(template.rules, 0) };
  }
};

const placeOf = ({ place }: CompiledItem): number => place;

/**
 * The same as plain data, in which an item is a number: by default its place in the catalog. Shared objects stay
 * shared.
 */
export const plainOddsInputOf = (template: CompiledTemplate, numberOf = placeOf): OddsInput => {
  const known = new Map<WeightedItems, OddsItems>();
  const plainItems = (of: WeightedItems): OddsItems => {
    let plain = known.get(of);
    if (plain === undefined) {
      // Many times as fast as `from`, which takes them one by one from an iterator.
      const items = new Int32Array(of.items.length);
      for (let index = 0; index < items.length; index += 1) items[index] = numberOf(of.items[index] as CompiledItem);
      plain = {
        items,
        weights: new Float64Array(of.weights),
        picker: { total: of.picker.total },
        rollable: of.rollable,
      };
      known.set(of, plain);
    }
    return plain;
  };
  const plainTiers = ({ all, ranked, ranks, top }: GachaRules['tiers']): OddsTiers => ({
    all: all.map((tier) => ({ ...plainItems(tier), rate: tier.rate, share: tier.share })),
    ranked,
    ranks,
    top,
  });
  const plainPlan = ({ tiers, slots, cards, remainders, threshold, forcedCard }: PackPlan): PackOddsInput => ({
    tiers: plainTiers(tiers),
    slots: slots.map(({ count, rates, items }) => ({ count, rates, items: items.map(plainItems) })),
    cards,
    remainders: remainders && [],
    threshold,
    forcedCard,
  });
  switch (template.type) {
    case 'gacha':
    case 'idle': {
      const { tiers, ladder, feature } = template.rules;
      const plainFeature = feature && {
        share: feature.share,
        guaranteeAfter: feature.guaranteeAfter,
        featured: plainItems(feature.featured),
        others: plainItems(feature.others),
      };
      return { kind: 'rolls', rules: { tiers: plainTiers(tiers), ladder, feature: plainFeature } };
    }
    case 'card_pack':
      return { kind: 'packs', plan: plainPlan(template.rules) };
    case 'roguelike':
      return { kind: 'packs', plan: plainPlan(offerPlan(template.rules, 0)) };
  }
};
