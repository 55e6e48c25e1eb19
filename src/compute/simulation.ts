import { hash } from 'node:crypto';
import { type ConfigSnapshot, configText, templateFromSnapshot } from '../engine/fairness/snapshots.ts';
import type { Draws } from '../engine/random.ts';
import { exactChances } from '../engine/simulation/exact-chances.ts';
import { reportSimulation } from '../engine/simulation/report.ts';
import { type SimulationPlan, simulate } from '../engine/simulation/simulation.ts';
import { createXoshiro } from '../engine/simulation/xoshiro.ts';
import { atDepth } from '../engine/systems/templates.ts';
import { digestOf } from '../shared/digest.ts';
import { LIMITS } from '../shared/limits.ts';
import type { TemplateSnapshot } from './drafted.ts';

export interface SimulationInput extends TemplateSnapshot {
  readonly plan: SimulationPlan;
  readonly seed: string;
  readonly pricePerRoll: number | null;
  /** Whether exact chances are wanted. */
  readonly exact: boolean;
}

/** The draws of each player, who need not wait for those before: they depend on the seed and the number alone. */
export const playerDraws = (seed: string): ((player: number) => Draws) => {
  const generator = createXoshiro();
  return (player) => {
    // The one-shot function takes a fraction of the time of an object, and text less than a buffer.
    const digest = hash('sha256', `itemwright/simulate/1\n${seed}\n${player}`, 'hex');
    const word = (index: number): number => Number.parseInt(digest.slice(8 * index, 8 * index + 8), 16);
    generator.seed([word(0), word(1), word(2), word(3)]);
    return generator.draws;
  };
};

/** Simulates the template that a snapshot describes, which is what the hash in the result stands for. */
export const runSimulation = (
  { template, pool, plan, seed, pricePerRoll, exact }: SimulationInput,
  report?: (progress: number) => void,
): string => {
  const text = Buffer.concat(pool).toString();
  const snapshot: ConfigSnapshot = { ...template, pool: digestOf(text) };
  const simulated = templateFromSnapshot(snapshot, text);
  const simulation = simulate(simulated, plan, playerDraws(seed), report);
  const config = digestOf(configText(snapshot));
  const { points } = LIMITS.curve;
  const chances = exact
    ? exactChances(atDepth(simulated, plan.depth), simulation, { points, mostSteps: LIMITS.oddsSteps })
    : undefined;
  return JSON.stringify({ config, ...reportSimulation(simulation, { pricePerRoll, points, chances }) });
};
