import { parentPort } from 'node:worker_threads';
import { JOBS, type JobName } from './jobs.ts';

/** A message to a worker, which runs one job at a time. */
export interface Asked {
  readonly name: JobName;
  readonly input: unknown;
}

/** The worker's reply. */
export type Told = { readonly value: unknown } | { readonly error: unknown };

parentPort?.on('message', ({ name, input }: Asked) => {
  let told: Told;
  try {
    told = { value: (JOBS[name] as (input: unknown) => unknown)(input) };
  } catch (error) {
    told = { error };
  }
  parentPort?.postMessage(told);
});
