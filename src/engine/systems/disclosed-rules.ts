import { sortedBy } from '../byte-order.ts';
import { sumOf } from '../pool/weighted.ts';
import { type DisclosedAttribute, disclosedAttributes } from './disclosed-attributes.ts';
import { type OffersAtDepth, offersByDepth } from './disclosed-depths.ts';
import { type Feature, type GachaRules, writeRates } from './gacha/gacha.ts';
import { type Accrual, accrualOf } from './idle/idle.ts';
import { offerPlan } from './roguelike/roguelike.ts';
import type { CompiledCardPack, CompiledRoguelike, CompiledTemplate } from './templates.ts';
import type { Tiers } from './tiers.ts';

/** The rate of a tier from one roll to another, counted from 1 since the tier was last rolled. */
export interface RateByRoll {
  readonly from: number;
  readonly to: number;
  readonly rate: number;
}

/** How the rate of a tier rises until it is rolled. */
export interface DisclosedPity {
  readonly tier: string | null;
  /** The roll on which the tier, or a rarer one, is certain. */
  readonly threshold: number;
  /** Whether a rarer result counts like one of the tier. */
  readonly higherResets: boolean;
  readonly byRoll: readonly RateByRoll[];
}

export interface DisclosedFeature {
  readonly itemIds: readonly string[];
  /** The share of featured items among results of the top tier; null if none of them is in it. */
  readonly share: number | null;
  readonly guaranteeAfterLosses: number | null;
}

export interface TierRate {
  readonly tier: string | null;
  readonly rate: number;
}

/** What one pack or offer consists of. */
export interface DisclosedPack {
  readonly cards: number;
  /** Whether all items of a pack are different. */
  readonly unique: boolean;
  readonly slots: readonly { readonly count: number; readonly tiers: readonly TierRate[] }[];
  /** The chance that a pack contains the tier. */
  readonly contains: readonly TierRate[];
  readonly depthScaling: readonly { readonly tier: string | null; readonly factor: number }[];
}

/** The rules of a template that players are told besides its odds. Tiers are listed rarest first. */
export interface DisclosedRules {
  readonly pity: readonly DisclosedPity[];
  readonly featured: DisclosedFeature | null;
  readonly sparkCurrency: number | null;
  /** Null for templates that give one item per roll. */
  readonly pack: DisclosedPack | null;
  /** What offers contain further down; empty if the depth changes nothing. */
  readonly depths: readonly OffersAtDepth[];
  /** How rolls accrue; null for templates that are rolled on at will. */
  readonly idle: Accrual | null;
  /** In order of items. */
  readonly attributes: readonly DisclosedAttribute[];
}

/** Merges rolls with the same rate. */
const byRollOf = (rates: Iterable<number>): RateByRoll[] => {
  const merged: { from: number; to: number; rate: number }[] = [];
  let roll = 0;
  for (const rate of rates) {
    roll += 1;
    const last = merged.at(-1);
    if (last?.rate === rate) last.to = roll;
    else merged.push({ from: roll, to: roll, rate });
  }
  return merged;
};

/** Of each tier with a pity, while no other counter has moved. */
const pityOfRolls = (rules: GachaRules): DisclosedPity[] => {
  const { tiers, ladder, kept } = rules;
  const rates = new Float64Array(tiers.all.length);
  const hasEffect = kept.filter(
    ({ rank, threshold, factors }) =>
      // The last rank takes everything that is left anyway.
      rank < ladder.length - 1 && (threshold < Number.POSITIVE_INFINITY || factors.length > 1),
  );
  return hasEffect
    .toSorted((left, right) => left.rank - right.rank)
    .map(({ rank, optionId, factors, higherResets }) => {
      const since = ladder.map(() => 0);
      const rateAfter = (_: number, rolls: number): number => {
        since[rank] = rolls;
        writeRates(rules, since, rates);
        return rates[tiers.ranked[rank] as number] as number;
      };
      return {
        tier: optionId,
        threshold: factors.length,
        higherResets,
        byRoll: byRollOf(Array.from(factors, rateAfter)),
      };
    });
};

const pityOfPacks = ({ tiers, rules: { threshold }, chances }: CompiledCardPack | CompiledRoguelike) => {
  if (threshold === Number.POSITIVE_INFINITY) return [];
  const { fresh } = chances();
  const rates = Array.from({ length: threshold }, () => fresh[tiers.top] as number);
  // A due pack is forced to contain it.
  rates[threshold - 1] = 1;
  return [{ tier: tiers.all[tiers.top]?.optionId ?? null, threshold, higherResets: false, byRoll: byRollOf(rates) }];
};

const shareOfFeatured = ({ all, top, featured }: Tiers, feature: Feature | null): number | null => {
  if (feature?.others.rollable === 0) return 1;
  if (feature !== null && feature.share !== null) return feature.share;
  const tier = all[top];
  if (tier === undefined || !tier.hasFeatured || tier.rollable === 0) return null;
  return sumOf(tier.weights.filter((_, index) => featured.has(tier.items[index]?.id ?? ''))) / tier.picker.total;
};

const featureOf = ({ tiers, ...template }: CompiledTemplate): DisclosedFeature | null => {
  if (tiers.featured.size === 0) return null;
  const feature = template.type === 'gacha' || template.type === 'idle' ? template.rules.feature : null;
  const guarantee = feature?.guaranteeAfter ?? Number.POSITIVE_INFINITY;
  return {
    itemIds: sortedBy([...tiers.featured], (id) => id),
    share: shareOfFeatured(tiers, feature),
    guaranteeAfterLosses: guarantee === Number.POSITIVE_INFINITY ? null : guarantee,
  };
};

const packOf = (template: CompiledCardPack | CompiledRoguelike): DisclosedPack => {
  const plan = template.type === 'roguelike' ? offerPlan(template.rules, 0) : template.rules;
  const factors = template.type === 'roguelike' ? template.rules.depthFactors : [];
  const { all, ranked } = template.tiers;
  const inOrder = (rates: readonly number[]): TierRate[] =>
    ranked.map((place) => ({ tier: all[place]?.optionId ?? null, rate: rates[place] as number }));
  return {
    cards: plan.cards,
    unique: plan.remainders !== null,
    slots: plan.slots.map(({ count, rates }) => {
      const total = sumOf(rates);
      return { count, tiers: inOrder(rates.map((rate) => rate / total)) };
    }),
    contains: inOrder(template.chances().fresh),
    depthScaling: ranked.flatMap((place) => {
      const factor = factors[place] ?? 1;
      return factor === 1 ? [] : { tier: all[place]?.optionId ?? null, factor };
    }),
  };
};

/** At most as many depths are listed as the given number of steps allows. */
export const disclosedRules = (template: CompiledTemplate, mostSteps: number): DisclosedRules => {
  const isPack = template.type === 'card_pack' || template.type === 'roguelike';
  return {
    pity: isPack ? pityOfPacks(template) : pityOfRolls(template.rules),
    featured: featureOf(template),
    sparkCurrency: template.sparkCost === 0 ? null : template.sparkCost,
    pack: isPack ? packOf(template) : null,
    depths: template.type === 'roguelike' ? offersByDepth(template, mostSteps) : [],
    idle: template.type === 'idle' ? accrualOf(template.rules) : null,
    attributes: disclosedAttributes(template.tiers),
  };
};
