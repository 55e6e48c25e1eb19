import { monitorEventLoopDelay } from 'node:perf_hooks';
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type Metric,
  type MetricObject,
  Registry,
} from 'prom-client';
import type { DatabaseObserver } from '../database/observer.ts';
import { ERRORS, type ErrorCode } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { joinMetrics, workerNumber } from '../worker-metrics.ts';
import type { App } from './server.ts';

/** Collects metrics from the rest of the service. */
export interface Metrics {
  readonly database: DatabaseObserver;
  /** Counts a run of a chore. */
  readonly chores: (chore: string, isDone: boolean) => void;
  /** Counts an alarm. */
  readonly alarmed: () => void;
  /** Measures requests, and serves all metrics at `/metrics`. */
  serve(app: App): void;
}

interface Sampled {
  readonly values?: readonly { readonly value: number | null }[];
}

interface Held {
  readonly teams: number;
  readonly items: number;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const COMMANDS = [1, 2, 4, 8, 16, 32, 64, 128, 256];

const codeOfStatus = new Map(Object.entries(ERRORS).map(([code, { status }]) => [status as number, code]));

/**
 * The event loop delay: maximum and 99th percentile of a recent window, independent of when and how often it is
 * scraped.
 */
const watchEventLoop = (registry: Registry): void => {
  const present = monitorEventLoopDelay({ resolution: LIMITS.eventLoopResolutionMs });
  present.enable();
  let before = { max: 0, p99: 0 };
  const read = () => ({ max: present.max, p99: present.percentile(99) });
  setInterval(() => {
    before = read();
    present.reset();
  }, LIMITS.eventLoopWindowMs).unref();
  new Gauge({
    name: 'itemwright_event_loop_delay_seconds',
    help: 'Event loop delay over the last 30 seconds: maximum (quantile 1) and 99th percentile.',
    labelNames: ['quantile'],
    registers: [registry],
    collect() {
      const now = read();
      this.set({ quantile: '1' }, Math.max(before.max, now.max) / 1e9);
      this.set({ quantile: '0.99' }, Math.max(before.p99, now.p99) / 1e9);
    },
  });
};

const watchDatabase = (registry: Registry): DatabaseObserver => {
  const registers = [registry];
  const waits = new Histogram({
    name: 'itemwright_connection_wait_seconds',
    help: 'How long units of work waited for a database connection, by purpose.',
    labelNames: ['purpose'],
    buckets: SECONDS,
    registers,
  });
  const groups = new Histogram({
    name: 'itemwright_group_commands',
    help: 'Number of commands that shared a transaction.',
    buckets: COMMANDS,
    registers,
  });
  const reruns = new Counter({
    name: 'itemwright_reruns_total',
    help: 'Commands that ran again, by reason.',
    labelNames: ['reason'],
    registers,
  });
  const syncs = new Histogram({
    name: 'itemwright_sync_seconds',
    help: 'How long the disk took to sync the write-ahead log (SQLite only).',
    buckets: SECONDS,
    registers,
  });
  // Initialize the counters, so that they are reported before the first event.
  for (const reason of ['collision', 'lock', 'held', 'loading']) reruns.inc({ reason }, 0);
  return {
    opened: (purpose, waitedMs) => waits.observe({ purpose }, waitedMs / 1000),
    grouped: (commands) => groups.observe(commands),
    reran: (reason, commands) => reruns.inc({ reason }, commands),
    synced: (tookMs) => syncs.observe(tookMs / 1000),
  };
};

const watchChores = (registry: Registry): Metrics['chores'] => {
  const labelNames = ['chore'];
  const runs = new Counter({
    name: 'itemwright_chore_runs_total',
    help: 'Completed runs of a chore.',
    labelNames,
    registers: [registry],
  });
  const failures = new Counter({
    name: 'itemwright_chore_failures_total',
    help: 'Failed runs of a chore; they are retried.',
    labelNames,
    registers: [registry],
  });
  return (chore, isDone) => {
    runs.inc({ chore }, isDone ? 1 : 0);
    failures.inc({ chore }, isDone ? 0 : 1);
  };
};

const watchEvidence = (registry: Registry): Metrics['alarmed'] => {
  const alarms = new Counter({
    name: 'itemwright_evidence_alarms_total',
    help: 'Configurations whose results have become strong evidence against their odds.',
    registers: [registry],
  });
  return () => alarms.inc();
};

const watchRequests = (registry: Registry, app: App): void => {
  const registers = [registry];
  const durations = new Histogram({
    name: 'itemwright_request_seconds',
    help: 'Time to handle a request.',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers,
  });
  const underWay = new Gauge({
    name: 'itemwright_requests_under_way',
    help: 'Requests without a response yet.',
    registers,
  });
  const refusals = new Counter({
    name: 'itemwright_refusals_total',
    help: 'Rejected requests, by code and, if the service was the cause, by reason.',
    labelNames: ['code', 'reason'],
    registers,
  });
  for (const reason of ['load', 'stopping', 'database']) refusals.inc({ code: 'SERVICE_UNAVAILABLE', reason }, 0);
  refusals.inc({ code: 'TOO_MANY_REQUESTS', reason: 'rate' }, 0);
  refusals.inc({ code: 'INTERNAL_SERVER_ERROR', reason: '' }, 0);

  app.addHook('onRequest', (_request, reply, done) => {
    underWay.inc();
    reply.raw.on('close', () => underWay.dec());
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions, serviceError, arrivedAtMs } = request;
    const { statusCode } = reply;
    const status = `${Math.floor(statusCode / 100)}xx`;
    durations.observe({ method, route: routeOptions.url ?? 'none', status }, (performance.now() - arrivedAtMs) / 1000);
    const code: ErrorCode | string | undefined = serviceError?.code ?? codeOfStatus.get(statusCode);
    if (code !== undefined) refusals.inc({ code, reason: serviceError?.reason ?? '' });
    done();
  });
};

const watchCatalogs = (registry: Registry, held: () => Held): void => {
  new Gauge({
    name: 'itemwright_cached_catalogs',
    help: 'Teams whose catalog is cached.',
    registers: [registry],
    collect() {
      this.set(held().teams);
    },
  });
  new Gauge({
    name: 'itemwright_cached_catalog_items',
    help: 'Items in all cached catalogs.',
    registers: [registry],
    collect() {
      this.set(held().items);
    },
  });
};

/** Merges the metrics of several processes; each value is labelled with its process. */
const textOf = (processes: readonly MetricObject[][]): Promise<string> => {
  const registry = new Registry();
  const byName = Map.groupBy(processes.flat(), ({ name }) => name);
  for (const [name, [first, ...others]] of byName) {
    // NaN, as between two readings of the event loop, becomes null when sent between processes.
    const values = [first, ...others]
      .flatMap((metric) => (metric as Sampled | undefined)?.values ?? [])
      .map((sample) => ({ ...sample, value: sample.value ?? Number.NaN }));
    registry.registerMetric({ name, get: async () => ({ ...first, values }) } as unknown as Metric);
  }
  return registry.metrics();
};

/** Creates the metrics of the service. `held` reports the size of the cached catalogs. */
export const createMetrics = (held: () => Held): Metrics => {
  const registry = new Registry();
  const worker = workerNumber();
  if (worker !== undefined) registry.setDefaultLabels({ worker: String(worker) });
  collectDefaultMetrics({ register: registry });
  watchEventLoop(registry);
  watchCatalogs(registry, held);
  const own = () => registry.getMetricsAsJSON() as Promise<unknown> as Promise<MetricObject[]>;
  const others = joinMetrics(own);
  return {
    database: watchDatabase(registry),
    chores: watchChores(registry),
    alarmed: watchEvidence(registry),
    serve: (app) => {
      watchRequests(registry, app);
      app.get('/metrics', { schema: { hide: true }, config: { access: 'public' } }, async (_request, reply) => {
        const [here, elsewhere] = await Promise.all([own(), others()]);
        return reply.type(registry.contentType).send(await textOf([here, ...(elsewhere as MetricObject[][])]));
      });
    },
  };
};
