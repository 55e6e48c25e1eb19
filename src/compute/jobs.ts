import { chancesOfPacks } from '../engine/systems/card-pack/pack-counts.ts';
import { oddsTableOf } from '../engine/systems/odds.ts';
import type { DraftInput } from '../planning/draft.ts';
import type { EffectInput, PlanInput } from '../planning/plan.ts';
import type { SimulationInput } from './simulation.ts';

/** Loaded on first use: most threads compute nothing but odds, and start faster without it. */
const planning = () => import('../planning/plan.ts');

/**
 * Everything that worker threads can compute. Inputs and outputs are copied between threads, so they are plain data,
 * with numbers preferably in typed arrays.
 */
export const JOBS = {
  /** The exact odds of a template. */
  odds: oddsTableOf,
  /** The chance of each tier in the next pack or offer. */
  chances: chancesOfPacks,
  /** What a change of the catalog would do. */
  plan: async (input: PlanInput) => (await planning()).planCatalog(input),
  /** What the body of a request makes of a draft. */
  draft: async (input: DraftInput) => (await import('../planning/draft.ts')).readDraftBytes(input),
  /** What a version of the catalog did to the odds. */
  effect: async (input: EffectInput) => (await planning()).effectOfVersion(input),
  /** What becomes of new players of a template, as JSON. */
  simulation: async (input: SimulationInput, report?: (progress: number) => void) =>
    (await import('./simulation.ts')).runSimulation(input, report),
};

export type Jobs = typeof JOBS;
export type JobName = keyof Jobs;
