import type { RecordingInput } from '../catalog/config-history.ts';
import type { DraftInput } from '../catalog/draft.ts';
import type { DraftedInput } from '../catalog/drafted.ts';
import type { EffectInput, PlanInput } from '../catalog/plan.ts';
import { chancesOfPacks } from '../engine/systems/card-pack/pack-counts.ts';
import { oddsTableOf } from '../engine/systems/odds.ts';
import type { OddsInput } from '../engine/systems/odds-input.ts';
import { LIMITS } from '../shared/limits.ts';
import type { DisclosureInput } from './disclosure.ts';
import type { EvidenceInput, FreezeInput, TierResultsInput } from './evidence.ts';
import type { RollPlan } from './roll-plans.ts';
import type { SimulationInput } from './simulation.ts';
import type { SnapshotOddsInput } from './snapshot-odds.ts';
import type { TestRollsInput } from './test-rolls.ts';

/** Loaded on first use: most threads compute nothing but odds, and start faster without it. */
const planning = () => import('../catalog/plan.ts');

/**
 * Everything that worker threads can compute. Inputs and outputs are copied between threads, so they are plain data,
 * with numbers preferably in typed arrays.
 */
export const JOBS = {
  /** The exact odds of a template. */
  odds: (input: OddsInput) => oddsTableOf(input, LIMITS.curve),
  /** The chance of each tier in the next pack or offer. */
  chances: chancesOfPacks,
  /** What a change of the catalog would do. */
  plan: async (input: PlanInput) => (await planning()).planCatalog(input),
  /** What the body of a request makes of a draft. */
  draft: async (input: DraftInput) => (await import('../catalog/draft.ts')).readDraftBytes(input),
  /** The odds of a template as a draft makes it. */
  draftedOdds: async (input: DraftedInput & { readonly depth?: number }) =>
    (await import('./drafted.ts')).draftedOdds(input),
  /** A template as a draft makes it, to roll on. */
  draftedSnapshot: async (input: DraftedInput & { readonly plan: RollPlan }) =>
    (await import('./drafted.ts')).draftedSnapshot(input),
  /** What a new player would get of a template. */
  testRolls: async (input: TestRollsInput) => (await import('./test-rolls.ts')).rollForTest(input),
  /** What a version of the catalog did to the odds. */
  effect: async (input: EffectInput) => (await planning()).effectOfVersion(input),
  /** What was configured at each version of a catalog. */
  record: async (input: RecordingInput) => (await import('../catalog/config-history.ts')).configsToRecord(input),
  /** The odds of a configuration that was kept. */
  snapshotOdds: async (input: SnapshotOddsInput) => (await import('./snapshot-odds.ts')).oddsOfSnapshot(input),
  /** The evidence against the odds of a configuration that was kept. */
  evidence: async (input: EvidenceInput) => (await import('./evidence.ts')).computeEvidence(input),
  /** What is kept of days that are no longer kept one by one. */
  freeze: async (input: FreezeInput) => (await import('./evidence.ts')).freeze(input),
  /** How often each tier was rolled, and how often that was to be expected. */
  tierResults: async (input: TierResultsInput) => (await import('./evidence.ts')).computeTierResults(input),
  /** What anyone may know about a configuration that was kept. */
  disclosure: async (input: DisclosureInput) => (await import('./disclosure.ts')).disclose(input),
  /** What becomes of new players of a template, as JSON. */
  simulation: async (input: SimulationInput, report?: (progress: number) => void) =>
    (await import('./simulation.ts')).runSimulation(input, report),
};

export type Jobs = typeof JOBS;
export type JobName = keyof Jobs;
