import { parentPort } from 'node:worker_threads';
import { JOBS, type JobName } from './jobs.ts';

/** A message to a worker, which runs one job at a time. */
export interface JobRequest {
  readonly name: JobName;
  readonly input: unknown;
}

/** The worker's reply. */
export type JobResult = { readonly value: unknown } | { readonly error: unknown };

/** What a worker sends: its reply, after any number of reports of progress. */
export type JobMessage = { readonly progress: number } | JobResult;

const report = (progress: number): void => parentPort?.postMessage({ progress } satisfies JobMessage);

parentPort?.on('message', async ({ name, input }: JobRequest) => {
  let result: JobResult;
  try {
    const job = JOBS[name] as (input: unknown, report: (progress: number) => void) => unknown;
    result = { value: await job(input, report) };
  } catch (error) {
    result = { error };
  }
  parentPort?.postMessage(result);
});
