import { isUsableTotal, sumOf } from '../../pool/weighted.ts';
import { compileRemainder, type Remainder } from '../../pool/without-replacement.ts';
import type { Steps } from '../../steps.ts';
import type { PackPlan } from '../card-pack/card-pack.ts';
import { checkSupplyStates } from '../card-pack/card-pack.ts';
import type { RoguelikeConfig } from '../config.ts';
import { type CompileContext, compileTiers, faultOfItems, packThreshold, type Tiers, tierNamed } from '../tiers.ts';

export interface RoguelikeRules {
  readonly tiers: Tiers;
  readonly choices: number;
  readonly remainders: readonly Remainder[];
  /** By the place of the tier; 1 if the depth changes nothing. */
  readonly depthFactors: readonly number[];
  readonly threshold: number;
}

const DEFAULT_CHOICES = 3;

/** The rates at a depth, multiplied once per level, so that everyone gets the same doubles. */
const ratesAt = ({ tiers, depthFactors }: RoguelikeRules, depth: number): number[] =>
  tiers.all.map(({ rate }, place) => {
    const factor = depthFactors[place] ?? 1;
    let scaled = rate;
    for (let step = 0; step < depth && factor !== 1; step += 1) scaled *= factor;
    return scaled;
  });

/** An offer is a pack of one slot without repeats; a due one forces its last choice. */
export const offerPlan = (rules: RoguelikeRules, depth: number): PackPlan => ({
  tiers: rules.tiers,
  slots: [{ count: rules.choices, rates: ratesAt(rules, depth), items: rules.tiers.all }],
  cards: rules.choices,
  remainders: rules.remainders,
  threshold: rules.threshold,
  forcedCard: rules.choices - 1,
});

/** The rules of offers at a depth, as those of depth 0. Which tier is the top one does not depend on the depth. */
export const rulesAtDepth = (rules: RoguelikeRules, depth: number): RoguelikeRules => {
  const rates = ratesAt(rules, depth);
  const total = sumOf(rates);
  const all = rules.tiers.all.map((tier, place) => {
    const rate = rates[place] as number;
    return { ...tier, rate, share: rate / total };
  });
  return { ...rules, tiers: { ...rules.tiers, all }, depthFactors: rules.depthFactors.map(() => 1) };
};

/** The number of items that offers at a depth can contain: those of tiers that still have a rate there. */
const rollableAt = ({ tiers }: RoguelikeRules, rates: readonly number[]): number =>
  tiers.all.reduce((sum, { rollable }, place) => sum + ((rates[place] ?? 0) > 0 ? rollable : 0), 0);

/** What prevents offers at a depth; undefined if nothing does. */
export const faultAtDepth = (rules: RoguelikeRules, depth: number): string | undefined => {
  const rates = ratesAt(rules, depth);
  const rollable = rollableAt(rules, rates);
  if (rollable < rules.choices)
    return `leaves ${rollable} items that can be rolled, fewer than the ${rules.choices} choices`;
  return isUsableTotal(sumOf(rates)) ? undefined : 'makes rates that add up to less than 2^-900 or more than 2^1000';
};

export function* compileRoguelike(config: RoguelikeConfig, context: CompileContext): Steps<RoguelikeRules> {
  const { faults } = context;
  const tiers = yield* compileTiers(config, {}, context);
  const depthFactors = tiers.all.map(() => 1);
  for (const [key, factor] of Object.entries(config.depthScaling ?? {})) {
    const place = tierNamed(key, ['depthScaling', key], tiers, context);
    if (place !== -1) depthFactors[place] = factor;
  }
  const pityThreshold = config.pityThreshold ?? 0;
  const top = tiers.all[tiers.top];
  if (pityThreshold > 0 && top?.rate === 0) {
    const fault = faultOfItems(top);
    if (fault !== undefined) faults.add(['pityThreshold'], `the top tier, ${JSON.stringify(top.key)}, ${fault}`);
  }
  const rules: RoguelikeRules = {
    tiers,
    choices: config.choices ?? DEFAULT_CHOICES,
    remainders: tiers.all.map(({ weights }) => compileRemainder(weights)),
    depthFactors,
    threshold: packThreshold(config, tiers),
  };
  // Empty tiers and rates that add up to 0 were already reported under their own paths.
  const rates = ratesAt(rules, 0);
  const sound = isUsableTotal(sumOf(rates)) && tiers.all.every((tier) => tier.rate === 0 || tier.rollable > 0);
  const rollable = rollableAt(rules, rates);
  if (sound && tiers.complete && rollable < rules.choices) {
    faults.add(['choices'], `is more than the ${rollable} items that can be rolled`);
  }
  checkSupplyStates(offerPlan(rules, 0).slots, tiers, ['choices'], faults);
  return rules;
}
