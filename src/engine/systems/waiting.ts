import { type Counter, factorAt } from './gacha/pity.ts';
import { type PityState, sinceOf } from './state.ts';
import type { CompiledTemplate } from './templates.ts';

/** How long a user has waited for a tier, and what the present odds say about it. */
export interface Wait {
  readonly since: number;
  /** The chance that this many rolls in a row do not give it; null if that depends on more than their number. */
  readonly chance: number | null;
  /** One of the next so many rolls is certain to give it; null if none is. */
  readonly certainWithin: number | null;
}

/** The greatest number of rolls without the tier; Infinity if there is none. */
export const mostWithout = ({ factors }: Pick<Counter, 'factors'>): number =>
  factors.at(-1) === 1 ? factors.length - 1 : Number.POSITIVE_INFINITY;

/** Lower tiers with a pity of their own. */
export const lowerPities = (template: CompiledTemplate): readonly Counter[] =>
  template.type === 'gacha' || template.type === 'idle' ? template.rules.kept.slice(1) : [];

const within = (most: number, since: number): number | null =>
  Number.isFinite(most) ? Math.max(1, most - since + 1) : null;

/** The chance that none of the first `since` rolls after a hit is one, if its chance depends only on their number. */
const chanceOfNone = (rateAfter: (rolls: number) => number, settlesAfter: number, since: number): number => {
  let left = 1;
  const followed = Math.min(since, settlesAfter);
  for (let rolls = 0; rolls < followed; rolls += 1) left *= 1 - rateAfter(rolls);
  return left * (1 - rateAfter(settlesAfter)) ** (since - followed);
};

/** The greatest number of rolls, packs or offers without the top tier; Infinity if there is none. */
export const mostWithoutTop = (template: CompiledTemplate): number => {
  const { all, top, ranked } = template.tiers;
  if (template.type === 'gacha' || template.type === 'idle')
    return ranked.length === 1 ? 0 : mostWithout(template.rules.ladder[0] as Counter);
  if (all[top] === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(0, template.rules.threshold - 1);
};

/**
 * The wait for the top tier. Its chance depends on nothing but the number of rolls since it was last rolled, except that
 * offers may scale it with their depth.
 */
export const waitForTop = (template: CompiledTemplate, pity: PityState): Wait => {
  const { all, top } = template.tiers;
  const since = sinceOf(pity, all[top]?.optionId ?? null);
  const most = mostWithoutTop(template);
  const certainWithin = within(most, since);
  if (template.type === 'gacha' || template.type === 'idle') {
    const counter = template.rules.ladder[0] as Counter;
    const rateAfter = (rolls: number): number => (most === 0 ? 1 : factorAt(counter, rolls));
    return { since, chance: chanceOfNone(rateAfter, counter.factors.length - 1, since), certainWithin };
  }
  if (template.type === 'roguelike' && template.rules.depthFactors.some((factor) => factor !== 1))
    return { since, chance: null, certainWithin };
  const { fresh, due } = template.chances();
  const rateAfter = (packs: number): number => (packs >= most ? due[top] : fresh[top]) ?? 0;
  return { since, chance: chanceOfNone(rateAfter, Number.isFinite(most) ? most : 0, since), certainWithin };
};

/** Of each lower tier with a pity of its own: one of the next so many rolls is certain to give it, or a rarer one. */
export const pityWaits = (
  template: CompiledTemplate,
  pity: PityState,
): { readonly tier: string; readonly certainWithin: number | null }[] =>
  lowerPities(template).flatMap((counter) => {
    const { optionId: tier } = counter;
    return tier === null ? [] : [{ tier, certainWithin: within(mostWithout(counter), sinceOf(pity, tier)) }];
  });
