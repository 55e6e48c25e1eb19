import type { CompiledItem } from '../pool/catalog.ts';
import { ELEMENTS_PER_STEP, type Steps } from '../steps.ts';
import type { PackPlan } from './card-pack/card-pack.ts';
import type { GachaRules } from './gacha/gacha.ts';
import { offerPlan } from './roguelike/roguelike.ts';
import type { CompiledTemplate } from './templates.ts';
import type { WeightedItems } from './tiers.ts';

/**
 * The lengths of the longest items that each part of a template's pool can give, longest first: as many as a pack can
 * have of that part without repeats, and one where items repeat.
 */
export type LongestItems = ReadonlyMap<WeightedItems, readonly number[]>;

const planOf = (template: CompiledTemplate, depth: number): PackPlan | null => {
  if (template.type === 'card_pack') return template.rules;
  return template.type === 'roguelike' ? offerPlan(template.rules, depth) : null;
};

/** Finds the longest items of each part in steps, because a pool may be large. */
export function* findLongestItems(
  template: CompiledTemplate,
  lengthOf: (item: CompiledItem) => number,
): Steps<LongestItems> {
  const plan = planOf(template, 0);
  const kept = plan?.remainders == null ? 1 : plan.cards;
  const parts = new Set(plan === null ? template.tiers.all : plan.slots.flatMap(({ items }) => items));
  const found = new Map<WeightedItems, number[]>();
  for (const part of parts) {
    let longest: number[] = [];
    for (const [index, item] of part.items.entries()) {
      if (index % ELEMENTS_PER_STEP === ELEMENTS_PER_STEP - 1) yield;
      if ((part.weights[index] as number) === 0) continue;
      const length = lengthOf(item);
      if (longest.length === kept && length <= (longest.at(-1) as number)) continue;
      longest = [...longest, length].sort((left, right) => right - left).slice(0, kept);
    }
    found.set(part, longest);
    yield;
  }
  return found;
}

const longestRoll = ({ tiers, kept }: GachaRules, longest: LongestItems): number => {
  const raised = new Set(kept.filter(({ factors }) => factors.some((factor) => factor > 0)).map(({ rank }) => rank));
  const possible = tiers.all.filter(({ rate }, place) => rate > 0 || raised.has(tiers.ranks[place] as number));
  return possible.reduce((most, tier) => Math.max(most, longest.get(tier)?.[0] ?? 0), 0);
};

const longestPack = ({ tiers, slots, threshold, remainders }: PackPlan, longest: LongestItems): number => {
  const canBeForced = threshold < Number.POSITIVE_INFINITY;
  let sum = 0;
  for (const { count, rates, items } of slots) {
    const possible = items.filter((_, place) => (rates[place] as number) > 0 || (canBeForced && place === tiers.top));
    const lengths = possible.flatMap((part) => longest.get(part) ?? []).sort((left, right) => right - left);
    const most = remainders === null ? Array.from({ length: count }, () => lengths[0] ?? 0) : lengths.slice(0, count);
    sum += most.reduce((total, length) => total + length, 0);
  }
  return sum;
};

/** The length of the longest results that a call can have in total, whatever is drawn. */
export const longestResults = (
  template: CompiledTemplate,
  longest: LongestItems,
  { results, count, depth }: { readonly results: number; readonly count: number; readonly depth: number },
): number => {
  if (template.type === 'gacha' || template.type === 'idle') return results * longestRoll(template.rules, longest);
  return count * longestPack(planOf(template, depth) as PackPlan, longest);
};
