import { type ConfigSnapshot, templateFromSnapshot } from '../engine/fairness/snapshots.ts';
import { stepsOfOdds, templateOddsAndCurve } from '../engine/systems/odds.ts';
import { depthFaults } from '../engine/systems/rolling.ts';
import { atDepth, type CompiledTemplate } from '../engine/systems/templates.ts';
import { LIMITS } from '../shared/limits.ts';

export interface SnapshotOddsInput {
  /** The texts of a configuration and its pool. */
  readonly config: string;
  readonly pool: string;
  /** Of offers; undefined for others. */
  readonly depth: number | undefined;
  /** The most steps that computing the odds may take. */
  readonly mostSteps: number;
}

export interface SnapshotOdds {
  readonly type: CompiledTemplate['type'];
  /** What is wrong with the depth; null if nothing is. */
  readonly depthFault: string | null;
  readonly steps: number;
  /** All as JSON lists; null if they would take too many steps. */
  readonly tiers: string | null;
  readonly items: string | null;
  readonly curve: string | null;
}

const NOTHING = { tiers: null, items: null, curve: null };

const faultOf = (template: CompiledTemplate, depth: number | undefined): string | null => {
  if (depth === undefined) return null;
  if (template.type !== 'roguelike') return 'is for roguelike templates only';
  return depthFaults(template, depth)[0]?.message ?? null;
};

/** The exact odds of a configuration, from nothing but its snapshot. */
export const oddsOfSnapshot = ({ config, pool, depth, mostSteps }: SnapshotOddsInput): SnapshotOdds => {
  const saved = templateFromSnapshot(JSON.parse(config) as ConfigSnapshot, pool);
  const { type } = saved;
  const depthFault = faultOf(saved, depth);
  if (depthFault !== null) return { type, depthFault, steps: 0, ...NOTHING };
  const template = atDepth(saved, depth ?? 0);
  const steps = stepsOfOdds(template);
  if (steps > mostSteps) return { type, depthFault, steps, ...NOTHING };
  const odds = templateOddsAndCurve(template, LIMITS.curve);
  return {
    ...{ type, depthFault, steps },
    tiers: JSON.stringify(odds.tiers),
    items: JSON.stringify(odds.items),
    curve: JSON.stringify(odds.curve),
  };
};
