import { stepsOfOdds } from './odds.ts';
import { faultAtDepth } from './roguelike/roguelike.ts';
import { atDepth, type CompiledRoguelike } from './templates.ts';

/** The odds of offers at a depth. Tiers are listed rarest first, as at depth 0. */
export interface OffersAtDepth {
  readonly depth: number;
  /** The rates of a choice while no tier is used up, and the chance that an offer contains the tier. */
  readonly tiers: readonly { readonly tier: string | null; readonly rate: number; readonly contains: number }[];
}

/** Nobody wants to read a thousand rows; the factors tell the rest. */
const DEPTHS = [0, 1, 2, 3, 4, 5, 10, 20, 30, 50, 100];

const offersAt = (template: CompiledRoguelike, depth: number): OffersAtDepth => {
  const { tiers, chances } = atDepth(template, depth) as CompiledRoguelike;
  const { fresh } = chances();
  return {
    depth,
    tiers: template.tiers.ranked.map((place) => ({
      tier: tiers.all[place]?.optionId ?? null,
      rate: tiers.all[place]?.share ?? 0,
      contains: fresh[place] as number,
    })),
  };
};

/** Until the depth at which there can be no more offers, and as many as the given number of steps allows. */
export const offersByDepth = (template: CompiledRoguelike, mostSteps: number): OffersAtDepth[] => {
  const { rules } = template;
  if (rules.depthFactors.every((factor) => factor === 1)) return [];
  const affordable = Math.max(1, Math.floor(mostSteps / stepsOfOdds(template)));
  const offers: OffersAtDepth[] = [];
  for (const depth of DEPTHS.slice(0, affordable)) {
    if (faultAtDepth(rules, depth) !== undefined) break;
    offers.push(offersAt(template, depth));
  }
  return offers;
};
