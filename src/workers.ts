import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import { LIMITS } from './shared/limits.ts';
import { relayMetrics } from './shared/worker-metrics.ts';

export interface Supervision {
  readonly count: number;
  readonly logger: Logger;
  /** Called once, when the first worker is listening. */
  readonly listening: (port: number) => void;
  /** Called when the last worker has exited after a stop, or when no worker could start. */
  readonly ended: (code: number) => void;
}

/**
 * Keeps worker processes running behind one port. They share nothing but the database; this process only distributes
 * connections and replaces workers that exit.
 */
export const superviseWorkers = ({ count, logger, listening, ended }: Supervision): { stop(): void } => {
  let stopping = false;
  let announced = false;
  let worstCode = 0;

  cluster.on('listening', (worker: Worker, { port }) => {
    logger.info({ worker: worker.process.pid }, 'worker is ready');
    if (announced) return;
    announced = true;
    listening(port);
  });

  cluster.on('exit', (worker, code, signal) => {
    const left = Object.keys(cluster.workers ?? {}).length;
    if (stopping) {
      // A worker that was still starting is killed by the signal itself.
      if (code !== 0 && signal !== 'SIGTERM') worstCode = 1;
      if (left === 0) ended(worstCode);
      return;
    }
    // If a worker exits before any is listening, the others would fail the same way.
    if (!announced) {
      stopping = true;
      for (const other of Object.values(cluster.workers ?? {})) other?.process.kill('SIGTERM');
      ended(1);
      return;
    }
    logger.error({ worker: worker.process.pid, code, signal }, 'a worker exited; starting another');
    setTimeout(() => {
      if (!stopping) cluster.fork();
    }, LIMITS.workerRestartMs);
  });

  relayMetrics();
  for (let started = 0; started < count; started += 1) cluster.fork();

  return {
    stop: () => {
      if (stopping) return;
      stopping = true;
      const workers = Object.values(cluster.workers ?? {});
      if (workers.length === 0) ended(0);
      for (const worker of workers) worker?.process.kill('SIGTERM');
    },
  };
};
