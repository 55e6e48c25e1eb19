import { curveOf } from '../chains/curve.ts';
import { followTemplate, stepsOfOdds } from '../systems/odds.ts';
import type { CompiledTemplate } from '../systems/templates.ts';
import type { Simulation } from './simulation.ts';

export interface ExactOptions {
  /** The points of a curve. */
  readonly points: number;
  /** For all targets together. */
  readonly mostSteps: number;
}

/** The exact chance of each target at the points of its curve; undefined for those that would take too long. */
export const exactChances = (
  template: CompiledTemplate,
  { targets, rolls }: Pick<Simulation, 'targets' | 'rolls'>,
  { points, mostSteps }: ExactOptions,
): (readonly number[] | undefined)[] => {
  let affordable = mostSteps - stepsOfOdds(template);
  if (affordable < 0) return [];
  const { all, ranked } = template.tiers;
  const wanted = new Set(targets.flatMap(({ kind, id }) => (kind === 'tier' ? [] : id)));
  const items = new Map<string | null, readonly [place: number, item: number]>();
  for (const [place, tier] of all.entries())
    for (const [index, { id }] of tier.items.entries()) if (wanted.has(id)) items.set(id, [place, index]);
  const follow = followTemplate(template);
  return targets.map(({ kind, id }, index) => {
    // Tiers come first, the rarest before others.
    const [place, item] = kind === 'tier' ? [ranked[index]] : (items.get(id) ?? []);
    if (place === undefined) throw new Error('A target is not in the pool.');
    const follower = follow(place, item);
    const steps = rolls * follower.stepsOfRoll;
    if (steps > affordable) return undefined;
    affordable -= steps;
    return curveOf(follower, { points, rolls, chance: Number.POSITIVE_INFINITY }).map(({ chance }) => chance);
  });
};
