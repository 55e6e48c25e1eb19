import { parentPort } from 'node:worker_threads';
import { JOBS, type JobName } from './jobs.ts';

/** A message to a worker, which runs one job at a time. */
export interface JobRequest {
  readonly name: JobName;
  readonly input: unknown;
}

/** The worker's reply. */
export type JobResult = { readonly value: unknown } | { readonly error: unknown };

parentPort?.on('message', async ({ name, input }: JobRequest) => {
  let result: JobResult;
  try {
    result = { value: await (JOBS[name] as (input: unknown) => unknown)(input) };
  } catch (error) {
    result = { error };
  }
  parentPort?.postMessage(result);
});
