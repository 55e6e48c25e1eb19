import { chancesOfPacks } from '../engine/systems/card-pack/pack-counts.ts';
import { oddsTableOf } from '../engine/systems/odds.ts';

/**
 * Everything that worker threads can compute. Inputs and outputs are copied between threads, so they are plain data,
 * with numbers preferably in typed arrays.
 */
export const JOBS = {
  /** The exact odds of a template. */
  odds: oddsTableOf,
  /** The chance of each tier in the next pack or offer. */
  chances: chancesOfPacks,
};

export type Jobs = typeof JOBS;
export type JobName = keyof Jobs;
