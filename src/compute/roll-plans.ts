import { itemsPerRoll } from '../engine/simulation/simulation.ts';
import { depthFaults } from '../engine/systems/rolling.ts';
import type { CompiledTemplate } from '../engine/systems/templates.ts';
import type { Issue } from '../shared/errors.ts';
import { LIMITS } from '../shared/limits.ts';

/** What is asked of a template that is rolled on by players who do not exist. */
export interface RollPlan {
  readonly depth?: number | undefined;
  readonly players?: number;
  readonly rolls?: number;
  /** Items to report. */
  readonly itemIds?: readonly string[] | undefined;
}

const itemFaults = (template: CompiledTemplate, itemIds: readonly string[]): Issue[] =>
  itemIds.flatMap((id, index) =>
    template.tiers.all.some(({ items }) => items.some((item) => item.id === id))
      ? []
      : { path: `/body/itemIds/${index}`, message: 'is not an item of the pool' },
  );

/** What is asked of a template that cannot be done, or would take too long. */
export const requestFaults = (
  template: CompiledTemplate,
  { depth, players = 1, rolls = 1, itemIds = [] }: RollPlan,
): readonly Issue[] => {
  const faults = itemFaults(template, itemIds);
  if (depth !== undefined && template.type !== 'roguelike')
    faults.push({ path: '/body/depth', message: 'is for roguelike templates only' });
  for (const { path, message } of depthFaults(template, depth ?? 0)) faults.push({ path: `/body${path}`, message });
  const items = players * rolls * itemsPerRoll(template);
  if (items > LIMITS.simulatedItems) {
    const [asked, most] = [items, LIMITS.simulatedItems].map((count) => count.toLocaleString('en'));
    faults.push({
      path: '/body/players',
      message: `get ${asked} items in total, more than the ${most} allowed: have fewer players, or fewer rolls`,
    });
  }
  return faults;
};
