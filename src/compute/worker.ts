import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { JOBS, type JobName } from './jobs.ts';

/** What a worker is started with: whether requests come first. */
export interface ThreadData {
  readonly yields: boolean;
}

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

/** Of threads, from -20 to 19: the higher, the more others come first. */
const PRIORITY = 5;

/** Lets requests come first if there are fewer cores than work. Only Linux has priorities of single threads. */
const yieldToRequests = (): void => {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), PRIORITY);
  } catch {
    // Then it competes as an equal.
  }
};

if ((workerData as ThreadData).yields) yieldToRequests();

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
