import cluster, { type Worker } from 'node:cluster';
import { LIMITS } from './limits.ts';

/**
 * Messages between workers behind one port, so that any of them can report the metrics of all: the worker being scraped
 * asks the primary process to `gather`, which asks each of the others to `report` and sends the results.
 */
type Message =
  | { readonly metrics: 'gather'; readonly id: number }
  | { readonly metrics: 'report'; readonly id: number }
  | { readonly metrics: 'reported'; readonly id: number; readonly values: unknown }
  | { readonly metrics: 'gathered'; readonly id: number; readonly values: readonly unknown[] };

const isMessage = (message: unknown): message is Message =>
  typeof message === 'object' && message !== null && 'metrics' in message;

interface Gathering {
  readonly requester: Worker;
  readonly requesterId: number;
  readonly awaited: Set<number>;
  readonly values: unknown[];
  readonly timer: NodeJS.Timeout;
}

/** Relays metrics between workers. A worker that does not respond in time, or exits, is left out. */
export const relayMetrics = (): void => {
  const gatherings = new Map<number, Gathering>();
  let lastId = 0;

  const finish = (id: number): void => {
    const gathering = gatherings.get(id);
    if (gathering === undefined) return;
    gatherings.delete(id);
    clearTimeout(gathering.timer);
    const { requester, requesterId, values } = gathering;
    if (requester.isConnected()) requester.send({ metrics: 'gathered', id: requesterId, values } satisfies Message);
  };

  const settle = (id: number, worker: Worker): void => {
    const awaited = gatherings.get(id)?.awaited;
    if (awaited?.delete(worker.id) && awaited.size === 0) finish(id);
  };

  const gather = (requester: Worker, requesterId: number): void => {
    lastId += 1;
    const id = lastId;
    const others = Object.values(cluster.workers ?? {}).filter(
      (worker) => worker !== undefined && worker !== requester && worker.isConnected(),
    ) as Worker[];
    const timer = setTimeout(() => finish(id), LIMITS.metricsGatherMs);
    gatherings.set(id, {
      requester,
      requesterId,
      awaited: new Set(others.map((worker) => worker.id)),
      values: [],
      timer,
    });
    for (const worker of others) worker.send({ metrics: 'report', id } satisfies Message);
    if (others.length === 0) finish(id);
  };

  cluster.on('message', (worker, message: unknown) => {
    if (!isMessage(message)) return;
    if (message.metrics === 'gather') gather(worker, message.id);
    if (message.metrics !== 'reported') return;
    gatherings.get(message.id)?.values.push(message.values);
    settle(message.id, worker);
  });
  cluster.on('exit', (worker) => {
    for (const id of gatherings.keys()) settle(id, worker);
  });
};

/**
 * Connects this process: it sends its metrics whenever another worker is scraped. Returns a function that gathers the
 * metrics of all other workers; a single process has none.
 */
export const joinMetrics = (own: () => Promise<unknown>): (() => Promise<readonly unknown[]>) => {
  const { worker } = cluster;
  if (worker === undefined) return async () => [];
  const waiting = new Map<number, (values: readonly unknown[]) => void>();
  let lastId = 0;
  worker.on('message', async (message: unknown) => {
    if (!isMessage(message)) return;
    if (message.metrics === 'report') {
      const reply: Message = { metrics: 'reported', id: message.id, values: await own() };
      if (worker.isConnected()) worker.send(reply);
    }
    if (message.metrics !== 'gathered') return;
    waiting.get(message.id)?.(message.values);
    waiting.delete(message.id);
  });
  return () =>
    new Promise((resolve) => {
      lastId += 1;
      const id = lastId;
      waiting.set(id, resolve);
      worker.send({ metrics: 'gather', id } satisfies Message);
      // Metrics of this process alone are better than none.
      setTimeout(() => {
        waiting.delete(id);
        resolve([]);
      }, 2 * LIMITS.metricsGatherMs).unref();
    });
};

/** The number of this worker; undefined if there is only one process. */
export const workerNumber = (): number | undefined => cluster.worker?.id;
