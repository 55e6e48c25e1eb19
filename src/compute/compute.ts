import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { ServiceError, unavailable } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import type { JobName, Jobs } from './jobs.ts';
import type { Told } from './worker.ts';

/** Runs what may take long in worker threads, so that nobody else waits for it. */
export interface Compute {
  /**
   * Runs a job for a team. It is given up once `signal` aborts. Refused: 429 where the team has too many jobs of the kind
   * under way already, 503 where all teams have, and 503 where it takes too long.
   */
  run<N extends JobName>(
    teamId: string,
    name: N,
    input: Parameters<Jobs[N]>[0],
    signal?: AbortSignal,
  ): Promise<ReturnType<Jobs[N]>>;
  /** Gives up whatever is under way. */
  close(): Promise<void>;
}

export interface ComputeOptions {
  readonly threads: number;
  readonly timeLimitMs: number;
  readonly idleMs: number;
  /** The file that a thread runs. */
  readonly worker: URL;
}

const DEFAULTS: ComputeOptions = {
  // One processor is left to those who serve requests.
  threads: Math.max(1, Math.min(LIMITS.computeThreads, availableParallelism() - 1)),
  timeLimitMs: LIMITS.computeMs,
  idleMs: LIMITS.computeIdleMs,
  worker: new URL('./worker.ts', import.meta.url),
};

interface Job {
  /** Whose turn it is: a team's jobs of one kind wait for each other, and not for those of another. */
  readonly queue: string;
  readonly name: JobName;
  readonly input: unknown;
  readonly settle: (told: Told) => void;
}

/** One thread, which does one job at a time. */
interface Thread {
  readonly worker: Worker;
  job: Job | undefined;
  timer: NodeJS.Timeout | undefined;
}

export const createCompute = (options: Partial<ComputeOptions> = {}): Compute => {
  const { threads: mostThreads, timeLimitMs, idleMs, worker: file } = { ...DEFAULTS, ...options };
  const threads = new Set<Thread>();
  /** Jobs that wait, by team and kind; those whose turn is next come first. */
  const waiting = new Map<string, Job[]>();
  /** How many jobs of each team and kind wait or run. */
  const underWay = new Map<string, number>();
  let jobs = 0;
  let isClosed = false;

  const begun = (queue: string): void => {
    jobs += 1;
    underWay.set(queue, (underWay.get(queue) ?? 0) + 1);
  };

  const ended = (queue: string): void => {
    jobs -= 1;
    const left = (underWay.get(queue) ?? 1) - 1;
    if (left === 0) underWay.delete(queue);
    else underWay.set(queue, left);
  };

  /** The next job of those whose turn it is. */
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

  /** Ends a thread, whatever it is doing; its job, if any, is told why. */
  const end = async (thread: Thread, error: unknown): Promise<void> => {
    threads.delete(thread);
    clearTimeout(thread.timer);
    const { job } = thread;
    thread.job = undefined;
    job?.settle({ error });
    await thread.worker.terminate();
  };

  const endAndGoOn = (thread: Thread, error: unknown): void => {
    if (!threads.has(thread)) return;
    end(thread, error);
    start();
  };

  const give = (thread: Thread, job: Job): void => {
    clearTimeout(thread.timer);
    thread.job = job;
    thread.timer = setTimeout(
      () => endAndGoOn(thread, unavailable(new Error(`a job took longer than ${timeLimitMs} ms`))),
      timeLimitMs,
    ).unref();
    try {
      thread.worker.postMessage({ name: job.name, input: job.input });
    } catch (error) {
      endAndGoOn(thread, error);
    }
  };

  /** A thread that has nothing to do waits a while for more, and ends. */
  const rest = (thread: Thread): void => {
    clearTimeout(thread.timer);
    thread.timer = setTimeout(() => endAndGoOn(thread, undefined), idleMs).unref();
  };

  const createThread = (): Thread => {
    const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: LIMITS.computeHeapMib } });
    // A thread keeps nobody from ending: whoever waits for its answer does.
    worker.unref();
    const thread: Thread = { worker, job: undefined, timer: undefined };
    worker.on('message', (told: Told) => {
      const { job } = thread;
      thread.job = undefined;
      const next = nextJob();
      if (next === undefined) rest(thread);
      else give(thread, next);
      job?.settle(told);
    });
    worker.on('error', (error) => endAndGoOn(thread, error));
    worker.on('exit', (code) => endAndGoOn(thread, new Error(`a thread ended by itself with code ${code}`)));
    threads.add(thread);
    return thread;
  };

  /** Gives waiting jobs to threads that are free, or to new ones. */
  const start = (): void => {
    while (waiting.size > 0) {
      let free: Thread | undefined;
      for (const thread of threads) if (thread.job === undefined) free = thread;
      if (free === undefined && threads.size < mostThreads) free = createThread();
      const job = free && nextJob();
      if (free === undefined || job === undefined) return;
      give(free, job);
    }
  };

  const refusalFor = (queue: string): ServiceError | undefined => {
    if (isClosed || jobs >= LIMITS.computeJobs) return new ServiceError('SERVICE_UNAVAILABLE');
    return (underWay.get(queue) ?? 0) >= LIMITS.computeJobsPerTeam ? new ServiceError('TOO_MANY_REQUESTS') : undefined;
  };

  const run = (teamId: string, name: JobName, input: unknown, signal?: AbortSignal): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const queue = `${name}\0${teamId}`;
      const refusal = refusalFor(queue);
      if (refusal !== undefined || signal?.aborted) {
        reject(refusal ?? unavailable(signal?.reason));
        return;
      }
      const giveUp = (): void => {
        const error = unavailable(signal?.reason);
        if (dropWaiting(job)) job.settle({ error });
        else for (const thread of threads) if (thread.job === job) endAndGoOn(thread, error);
      };
      const settle = (told: Told): void => {
        signal?.removeEventListener('abort', giveUp);
        ended(queue);
        if ('error' in told) reject(told.error);
        else resolve(told.value);
      };
      const job: Job = { queue, name, input, settle };
      begun(queue);
      signal?.addEventListener('abort', giveUp);
      waiting.set(queue, [...(waiting.get(queue) ?? []), job]);
      start();
    });

  return {
    run: run as Compute['run'],
    close: async () => {
      isClosed = true;
      const stopped = unavailable(new Error('the service stops'));
      for (const job of [...waiting.values()].flat()) job.settle({ error: stopped });
      waiting.clear();
      await Promise.all([...threads].map((thread) => end(thread, stopped)));
    },
  };
};
