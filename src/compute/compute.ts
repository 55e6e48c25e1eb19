import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { ServiceError, unavailable } from '../shared/errors.ts';
import { createFairShare } from '../shared/fair-share.ts';
import { LIMITS } from '../shared/limits.ts';
import type { JobName, Jobs } from './jobs.ts';
import type { JobMessage, JobResult, ThreadData } from './worker.ts';

/** Runs slow jobs in worker threads, so that requests do not wait for them. */
export interface Compute {
  /**
   * Runs a job for a team, until `signal` aborts. Rejects with 429 if the team already has too many jobs of this kind,
   * with 503 if it has its share of all places, and with 503 if the job takes too long. Teams take turns, and so do the
   * kinds of jobs of a team. Input that takes memory is better prepared when the turn of the job has come.
   */
  run<N extends JobName>(
    teamId: string,
    name: N,
    input: Parameters<Jobs[N]>[0] | Prepare<Parameters<Jobs[N]>[0]>,
    signal?: AbortSignal,
    onProgress?: OnProgress,
  ): Promise<Awaited<ReturnType<Jobs[N]>>>;
  /** Cancels all jobs. */
  close(): Promise<void>;
}

type Prepare<T> = () => Promise<T>;

/** Told 0 once a job is accepted, and then how far it is, up to 1, if it reports that. */
type OnProgress = (progress: number) => void;

export interface ComputeOptions {
  readonly threads: number;
  /** Jobs that may run or wait: in total, of which each team has a share, and per team and kind. */
  readonly places: number;
  readonly placesPerKind: number;
  readonly timeLimitMs: number;
  readonly idleMs: number;
  /** Whether requests come first if there are fewer cores than work. */
  readonly yields: boolean;
  /** The script that a thread runs. */
  readonly worker: URL;
}

const DEFAULTS: ComputeOptions = {
  // Leave one core for serving requests.
  threads: Math.max(1, Math.min(LIMITS.computeThreads, availableParallelism() - 1)),
  places: LIMITS.computeJobs,
  placesPerKind: LIMITS.computeJobsPerTeam,
  timeLimitMs: LIMITS.computeMs,
  idleMs: LIMITS.computeIdleMs,
  yields: true,
  worker: new URL('./worker.ts', import.meta.url),
};

interface Job {
  readonly teamId: string;
  readonly name: JobName;
  readonly input: unknown;
  readonly onProgress: OnProgress;
  readonly settle: (result: JobResult) => void;
}

/** A thread, which runs one job at a time. */
interface Thread {
  readonly worker: Worker;
  job: Job | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** What waits by key, each key in the order of its jobs; the key whose turn is next comes first. */
type Waiting<T> = Map<string, T>;

/** Takes the first of a list, and moves its key to the back. */
const takeTurn = <T>(waiting: Waiting<T[]>): T | undefined => {
  const [turn] = waiting;
  if (turn === undefined) return undefined;
  const [key, [next, ...others]] = turn;
  waiting.delete(key);
  if (others.length > 0) waiting.set(key, others);
  return next;
};

/** Jobs that wait: teams take turns, and within a team its kinds of jobs. */
const createWaiting = () => {
  const byTeam: Waiting<Waiting<Job[]>> = new Map();
  return {
    isEmpty: (): boolean => byTeam.size === 0,
    add: (job: Job): void => {
      const byKind = byTeam.get(job.teamId) ?? new Map();
      byTeam.set(job.teamId, byKind);
      byKind.set(job.name, [...(byKind.get(job.name) ?? []), job]);
    },
    next: (): Job | undefined => {
      const [turn] = byTeam;
      if (turn === undefined) return undefined;
      const [teamId, byKind] = turn;
      const job = takeTurn(byKind);
      byTeam.delete(teamId);
      if (byKind.size > 0) byTeam.set(teamId, byKind);
      return job;
    },
    /** Takes out a job; false if it does not wait any more. */
    drop: (job: Job): boolean => {
      const byKind = byTeam.get(job.teamId);
      const queued = byKind?.get(job.name);
      if (byKind === undefined || !queued?.includes(job)) return false;
      const others = queued.filter((other) => other !== job);
      if (others.length > 0) byKind.set(job.name, others);
      else byKind.delete(job.name);
      if (byKind.size === 0) byTeam.delete(job.teamId);
      return true;
    },
  };
};

export const createCompute = (options: Partial<ComputeOptions> = {}): Compute => {
  const {
    threads: maxThreads,
    places,
    placesPerKind,
    timeLimitMs,
    idleMs,
    yields,
    worker: file,
  } = { ...DEFAULTS, ...options };
  const threads = new Set<Thread>();
  const waiting = createWaiting();
  const share = createFairShare(places);
  /** Number of waiting and running jobs by team and kind. */
  const activeJobs = new Map<string, number>();
  let isClosed = false;

  /** Takes a place for a job, or says why it gets none. */
  const admit = (teamId: string, name: JobName): ServiceError | undefined => {
    if (isClosed) return new ServiceError('SERVICE_UNAVAILABLE');
    const key = `${name}\0${teamId}`;
    const active = activeJobs.get(key) ?? 0;
    if (active >= placesPerKind) return new ServiceError('TOO_MANY_REQUESTS');
    if (!share.take(teamId)) return new ServiceError('SERVICE_UNAVAILABLE', [], { reason: 'load' });
    activeJobs.set(key, active + 1);
    return undefined;
  };

  const leave = ({ teamId, name }: Job): void => {
    share.give(teamId);
    const key = `${name}\0${teamId}`;
    const left = (activeJobs.get(key) ?? 1) - 1;
    if (left === 0) activeJobs.delete(key);
    else activeJobs.set(key, left);
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
    thread.worker.ref();
    thread.timer = setTimeout(
      () => replaceThread(thread, unavailable(new Error(`a job took longer than ${timeLimitMs} ms`))),
      timeLimitMs,
    ).unref();
    const { name, input } = job;
    const start = (prepared: unknown): void => {
      // Its caller may have left while it was prepared.
      if (thread.job === job) thread.worker.postMessage({ name, input: prepared });
    };
    const isPrepared = typeof input !== 'function';
    (isPrepared ? Promise.resolve(input) : (input as Prepare<unknown>)())
      .then(start)
      .catch((error: unknown) => release(thread, { error }));
  };

  /** A thread without work exits after a while, and does not keep the process alive. */
  const exitWhenIdle = (thread: Thread): void => {
    clearTimeout(thread.timer);
    thread.worker.unref();
    thread.timer = setTimeout(() => replaceThread(thread, undefined), idleMs).unref();
  };

  /** Gives a thread its next job, and then its last one the result. */
  const release = (thread: Thread, result: JobResult): void => {
    const { job } = thread;
    if (job === undefined) return;
    thread.job = undefined;
    const next = waiting.next();
    if (next === undefined) exitWhenIdle(thread);
    else assign(thread, next);
    job.settle(result);
  };

  const createThread = (): Thread => {
    const worker = new Worker(file, {
      workerData: { yields } satisfies ThreadData,
      resourceLimits: { maxOldGenerationSizeMb: LIMITS.computeHeapMib },
    });
    const thread: Thread = { worker, job: undefined, timer: undefined };
    worker.on('message', (message: JobMessage) => {
      if ('progress' in message) {
        thread.job?.onProgress(message.progress);
        return;
      }
      release(thread, message);
    });
    worker.on('error', (error) => replaceThread(thread, error));
    worker.on('exit', (code) => replaceThread(thread, new Error(`a thread exited unexpectedly with code ${code}`)));
    threads.add(thread);
    return thread;
  };

  /** Hands waiting jobs to idle threads, or to new ones. */
  const dispatchJobs = (): void => {
    while (!waiting.isEmpty()) {
      let free: Thread | undefined;
      for (const thread of threads) if (thread.job === undefined) free = thread;
      if (free === undefined && threads.size < maxThreads) free = createThread();
      const job = free && waiting.next();
      if (free === undefined || job === undefined) return;
      assign(free, job);
    }
  };

  const run = (
    teamId: string,
    name: JobName,
    input: unknown,
    signal?: AbortSignal,
    onProgress: OnProgress = () => {},
  ): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const rejection = signal?.aborted ? unavailable(signal.reason) : admit(teamId, name);
      if (rejection !== undefined) {
        reject(rejection);
        return;
      }
      const cancel = (): void => {
        const error = unavailable(signal?.reason);
        if (waiting.drop(job)) job.settle({ error });
        else for (const thread of threads) if (thread.job === job) replaceThread(thread, error);
      };
      const settle = (result: JobResult): void => {
        signal?.removeEventListener('abort', cancel);
        leave(job);
        if ('error' in result) reject(result.error);
        else resolve(result.value);
      };
      const job: Job = { teamId, name, input, onProgress, settle };
      signal?.addEventListener('abort', cancel);
      onProgress(0);
      waiting.add(job);
      dispatchJobs();
    });

  return {
    run: run as Compute['run'],
    close: async () => {
      isClosed = true;
      const stopped = unavailable(new Error('the service is stopping'));
      for (let job = waiting.next(); job !== undefined; job = waiting.next()) job.settle({ error: stopped });
      await Promise.all([...threads].map((thread) => endThread(thread, stopped)));
    },
  };
};
