import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { ServiceError, unavailable } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import type { JobName, Jobs } from './jobs.ts';
import type { JobMessage, JobResult } from './worker.ts';

/** Runs slow jobs in worker threads, so that requests do not wait for them. */
export interface Compute {
  /**
   * Runs a job for a team, until `signal` aborts. Rejects with 429 if the team already has too many jobs of this kind,
   * with 503 if there are too many jobs in total, and with 503 if the job takes too long. A job that reports its
   * progress, from 0 to 1, reports it to `onProgress`.
   */
  run<N extends JobName>(
    teamId: string,
    name: N,
    input: Parameters<Jobs[N]>[0],
    signal?: AbortSignal,
    onProgress?: (progress: number) => void,
  ): Promise<Awaited<ReturnType<Jobs[N]>>>;
  /** Cancels all jobs. */
  close(): Promise<void>;
}

export interface ComputeOptions {
  readonly threads: number;
  readonly timeLimitMs: number;
  readonly idleMs: number;
  /** The script that a thread runs. */
  readonly worker: URL;
}

const DEFAULTS: ComputeOptions = {
  // Leave one core for serving requests.
  threads: Math.max(1, Math.min(LIMITS.computeThreads, availableParallelism() - 1)),
  timeLimitMs: LIMITS.computeMs,
  idleMs: LIMITS.computeIdleMs,
  worker: new URL('./worker.ts', import.meta.url),
};

interface Job {
  /** Jobs of one team and kind wait for each other, but not for those of another team or kind. */
  readonly queue: string;
  readonly name: JobName;
  readonly input: unknown;
  readonly onProgress: (progress: number) => void;
  readonly settle: (result: JobResult) => void;
}

/** A thread, which runs one job at a time. */
interface Thread {
  readonly worker: Worker;
  job: Job | undefined;
  timer: NodeJS.Timeout | undefined;
}

export const createCompute = (options: Partial<ComputeOptions> = {}): Compute => {
  const { threads: maxThreads, timeLimitMs, idleMs, worker: file } = { ...DEFAULTS, ...options };
  const threads = new Set<Thread>();
  /** Waiting jobs by queue; the queue whose turn is next comes first. */
  const waiting = new Map<string, Job[]>();
  /** Number of waiting and running jobs by queue. */
  const activeJobs = new Map<string, number>();
  let jobs = 0;
  let isClosed = false;

  const jobStarted = (queue: string): void => {
    jobs += 1;
    activeJobs.set(queue, (activeJobs.get(queue) ?? 0) + 1);
  };

  const jobFinished = (queue: string): void => {
    jobs -= 1;
    const left = (activeJobs.get(queue) ?? 1) - 1;
    if (left === 0) activeJobs.delete(queue);
    else activeJobs.set(queue, left);
  };

  /** Takes the next job, and moves its queue to the back. */
  const nextJob = (): Job | undefined => {
    const [turn] = waiting;
    if (turn === undefined) return undefined;
    const [queue, [job, ...others]] = turn;
    waiting.delete(queue);
    if (others.length > 0) waiting.set(queue, others);
    return job;
  };

  const dropWaiting = (job: Job): boolean => {
    const queued = waiting.get(job.queue);
    if (queued === undefined || !queued.includes(job)) return false;
    const others = queued.filter((other) => other !== job);
    if (others.length > 0) waiting.set(job.queue, others);
    else waiting.delete(job.queue);
    return true;
  };

  /** Terminates a thread, whatever it is doing, and rejects its job, if any. */
  const endThread = async (thread: Thread, error: unknown): Promise<void> => {
    threads.delete(thread);
    clearTimeout(thread.timer);
    const { job } = thread;
    thread.job = undefined;
    job?.settle({ error });
    await thread.worker.terminate();
  };

  const replaceThread = (thread: Thread, error: unknown): void => {
    if (!threads.has(thread)) return;
    endThread(thread, error);
    dispatchJobs();
  };

  const assign = (thread: Thread, job: Job): void => {
    clearTimeout(thread.timer);
    thread.job = job;
    thread.timer = setTimeout(
      () => replaceThread(thread, unavailable(new Error(`a job took longer than ${timeLimitMs} ms`))),
      timeLimitMs,
    ).unref();
    try {
      thread.worker.postMessage({ name: job.name, input: job.input });
    } catch (error) {
      replaceThread(thread, error);
    }
  };

  /** A thread without work exits after a while. */
  const exitWhenIdle = (thread: Thread): void => {
    clearTimeout(thread.timer);
    thread.timer = setTimeout(() => replaceThread(thread, undefined), idleMs).unref();
  };

  const createThread = (): Thread => {
    const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: LIMITS.computeHeapMib } });
    // A thread must not keep the process alive; whoever awaits its result does.
    worker.unref();
    const thread: Thread = { worker, job: undefined, timer: undefined };
    worker.on('message', (message: JobMessage) => {
      const { job } = thread;
      if ('progress' in message) {
        job?.onProgress(message.progress);
        return;
      }
      thread.job = undefined;
      const next = nextJob();
      if (next === undefined) exitWhenIdle(thread);
      else assign(thread, next);
      job?.settle(message);
    });
    worker.on('error', (error) => replaceThread(thread, error));
    worker.on('exit', (code) => replaceThread(thread, new Error(`a thread exited unexpectedly with code ${code}`)));
    threads.add(thread);
    return thread;
  };

  /** Hands waiting jobs to idle threads, or to new ones. */
  const dispatchJobs = (): void => {
    while (waiting.size > 0) {
      let free: Thread | undefined;
      for (const thread of threads) if (thread.job === undefined) free = thread;
      if (free === undefined && threads.size < maxThreads) free = createThread();
      const job = free && nextJob();
      if (free === undefined || job === undefined) return;
      assign(free, job);
    }
  };

  const rejectionFor = (queue: string): ServiceError | undefined => {
    if (isClosed || jobs >= LIMITS.computeJobs) return new ServiceError('SERVICE_UNAVAILABLE');
    return (activeJobs.get(queue) ?? 0) >= LIMITS.computeJobsPerTeam
      ? new ServiceError('TOO_MANY_REQUESTS')
      : undefined;
  };

  const run = (
    teamId: string,
    name: JobName,
    input: unknown,
    signal?: AbortSignal,
    onProgress: (progress: number) => void = () => {},
  ): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const queue = `${name}\0${teamId}`;
      const rejection = rejectionFor(queue);
      if (rejection !== undefined || signal?.aborted) {
        reject(rejection ?? unavailable(signal?.reason));
        return;
      }
      const cancel = (): void => {
        const error = unavailable(signal?.reason);
        if (dropWaiting(job)) job.settle({ error });
        else for (const thread of threads) if (thread.job === job) replaceThread(thread, error);
      };
      const settle = (result: JobResult): void => {
        signal?.removeEventListener('abort', cancel);
        jobFinished(queue);
        if ('error' in result) reject(result.error);
        else resolve(result.value);
      };
      const job: Job = { queue, name, input, onProgress, settle };
      jobStarted(queue);
      signal?.addEventListener('abort', cancel);
      waiting.set(queue, [...(waiting.get(queue) ?? []), job]);
      dispatchJobs();
    });

  return {
    run: run as Compute['run'],
    close: async () => {
      isClosed = true;
      const stopped = unavailable(new Error('the service is stopping'));
      for (const job of [...waiting.values()].flat()) job.settle({ error: stopped });
      waiting.clear();
      await Promise.all([...threads].map((thread) => endThread(thread, stopped)));
    },
  };
};
