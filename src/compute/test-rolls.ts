import { templateFromSnapshot } from '../engine/fairness/snapshots.ts';
import { withoutClock } from '../engine/simulation/simulation.ts';
import { rollTemplate } from '../engine/systems/rolling.ts';
import { initialState } from '../engine/systems/state.ts';
import type { TemplateSnapshot } from './drafted.ts';
import { playerDraws } from './simulation.ts';

export interface TestRollsInput extends TemplateSnapshot {
  readonly count: number;
  /** Of offers; 0 for other types. */
  readonly depth: number;
  readonly seed: string;
}

/** What a new player would get, as a JSON list. */
export const rollForTest = ({ template, pool, count, depth, seed }: TestRollsInput): string => {
  const compiled = templateFromSnapshot({ ...template, pool: '' }, Buffer.concat(pool).toString());
  const draws = playerDraws(seed)(0);
  const { results } = rollTemplate(withoutClock(compiled), initialState(), {
    ...{ count, depth, drawsOf: () => draws },
    nowMs: 0,
  });
  return JSON.stringify(
    results.map(({ item, values, tier, pity, featured }) => ({
      ...{ itemId: item.id, itemName: item.name, tier, pity, featured },
      values: values.map(({ attributeId, value }) => ({ attributeId, value })),
    })),
  );
};
