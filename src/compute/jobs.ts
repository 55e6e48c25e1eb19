import { chancesOfPacks } from '../engine/systems/card-pack/pack-counts.ts';
import { oddsTableOf } from '../engine/systems/odds.ts';

/**
 * All that worker threads can be asked to do. What goes in and out is copied from thread to thread, so it is plain data:
 * numbers best in typed arrays.
 */
export const JOBS = {
  /** The exact odds of a template. */
  odds: oddsTableOf,
  /** The chances that the next pack or offer holds each tier. */
  chances: chancesOfPacks,
};

export type Jobs = typeof JOBS;
export type JobName = keyof Jobs;
