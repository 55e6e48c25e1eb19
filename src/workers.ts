import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import { LIMITS } from './limits.ts';
import { relayMetrics } from './worker-metrics.ts';

export interface Supervision {
  readonly count: number;
  readonly logger: Logger;
  /** Called once, when the first worker listens. */
  readonly listening: (port: number) => void;
  /** Called when the last worker has ended after a stop, or when no worker could start. */
  readonly ended: (code: number) => void;
}

/**
 * Keeps processes running behind one port. The workers share nothing but the database; this process only hands them
 * connections and replaces those that end.
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
      // One that was still starting is ended by the signal itself.
      if (code !== 0 && signal !== 'SIGTERM') worstCode = 1;
      if (left === 0) ended(worstCode);
      return;
    }
    // Before anyone has listened, a worker that ends has met a fault that the others will meet as well.
    if (!announced) {
      stopping = true;
      for (const other of Object.values(cluster.workers ?? {})) other?.process.kill('SIGTERM');
      ended(1);
      return;
    }
    logger.error({ worker: worker.process.pid, code, signal }, 'a worker ended; another takes its place');
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
