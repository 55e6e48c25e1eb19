import { sortedBy } from '../byte-order.ts';
import { packOdds } from './card-pack/pack-odds.ts';
import { gachaOdds, type Odds, stepsOfGacha, type TierOdds } from './gacha/gacha-odds.ts';
import { offerPlan } from './roguelike/roguelike.ts';
import type { CompiledTemplate } from './templates.ts';

export interface TierRow extends Odds {
  readonly tier: string | null;
  readonly name: string | null;
}

export interface ItemRow extends Odds {
  readonly itemId: string;
  readonly itemName: string;
  readonly tier: string | null;
  readonly featured: boolean;
}

export interface TemplateOdds {
  /** Rarest first. */
  readonly tiers: readonly TierRow[];
  /** In byte order of their ids, with those that never come. */
  readonly items: readonly ItemRow[];
}

const oddsByTier = (template: CompiledTemplate): TierOdds[] => {
  switch (template.type) {
    case 'gacha':
    case 'idle':
      return gachaOdds(template.rules);
    case 'card_pack':
      return packOdds(template.rules);
    case 'roguelike':
      return packOdds(offerPlan(template.rules, 0));
  }
};

/** What a store must disclose of a template: exact odds, computed from the rules that roll, never sampled. */
export const templateOdds = (template: CompiledTemplate): TemplateOdds => {
  const { all, ranked, featured } = template.tiers;
  const odds = oddsByTier(template);
  const tiers = ranked.flatMap((place) => {
    const tier = all[place];
    const row = odds[place];
    if (tier === undefined || row === undefined) return [];
    const { items: _, ...rest } = row;
    return { tier: tier.optionId, name: tier.name, ...rest };
  });
  const items = all.flatMap((tier, place) =>
    tier.items.flatMap((item, index) => {
      const row = odds[place]?.items[index];
      if (row === undefined) return [];
      const { id: itemId, name: itemName } = item;
      return { itemId, itemName, tier: tier.optionId, featured: featured.has(itemId), ...row };
    }),
  );
  return { tiers, items: sortedBy(items, ({ itemId }) => itemId) };
};

/** About how many steps the odds of a template take; a step is a few nanoseconds. */
export const stepsOfOdds = (template: CompiledTemplate): number => {
  switch (template.type) {
    case 'gacha':
    case 'idle':
      return stepsOfGacha(template.rules);
    case 'card_pack':
      return 0;
    case 'roguelike':
      return 0;
  }
};
