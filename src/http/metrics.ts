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
import { ERRORS, type ErrorCode } from '../shared/errors.ts';
import { LIMITS } from '../shared/limits.ts';
import { joinMetrics, workerNumber } from '../shared/worker-metrics.ts';
import type { App } from './server.ts';

/** Watches chores. */
export interface ChoreObserver {
  /** Called once when a chore is started. */
  started(chore: string): void;
  /** Called after each run of a chore. */
  ran(chore: string, isDone: boolean): void;
  /** Called with the time of the first scheduled draft, past or future, whenever somebody looks. */
  scheduled(firstAtMs: number | undefined): void;
  /** Called for each new alarm. */
  alarmed(): void;
}

/** Collects metrics from the rest of the service. */
export interface Metrics {
  readonly database: DatabaseObserver;
  readonly chores: ChoreObserver;
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

const watchDatabase = (registry: Registry, oldestCommitMs: () => number): DatabaseObserver => {
  const registers = [registry];
  new Gauge({
    name: 'itemwright_oldest_commit_seconds',
    help: 'For how long the oldest commit has been waiting; 0 if none is.',
    registers,
    collect() {
      this.set(oldestCommitMs() / 1000);
    },
  });
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

const watchChores = (registry: Registry, clock: () => number): ChoreObserver => {
  const labelNames = ['chore'];
  const registers = [registry];
  const runs = new Counter({
    name: 'itemwright_chore_runs_total',
    help: 'Completed runs of a chore.',
    labelNames,
    registers,
  });
  const failures = new Counter({
    name: 'itemwright_chore_failures_total',
    help: 'Failed runs of a chore; they are retried.',
    labelNames,
    registers,
  });
  const alarms = new Counter({
    name: 'itemwright_evidence_alarms_total',
    help: 'Configurations whose results have become strong evidence against their odds.',
    registers,
  });
  const doneAtMs = new Map<string, number>();
  new Gauge({
    name: 'itemwright_chore_age_seconds',
    help: 'Seconds since a chore last completed a run without an error, or since it was started.',
    labelNames,
    registers,
    collect() {
      for (const [chore, atMs] of doneAtMs) this.set({ chore }, (performance.now() - atMs) / 1000);
    },
  });
  let firstAtMs: number | undefined;
  new Gauge({
    name: 'itemwright_draft_lateness_seconds',
    help: 'Seconds by which the scheduled draft that should have been published first is late now; 0 if none is.',
    registers,
    collect() {
      this.set(firstAtMs === undefined ? 0 : Math.max(0, clock() - firstAtMs) / 1000);
    },
  });
  return {
    started: (chore) => {
      doneAtMs.set(chore, performance.now());
    },
    ran: (chore, isDone) => {
      if (isDone) doneAtMs.set(chore, performance.now());
      runs.inc({ chore }, isDone ? 1 : 0);
      failures.inc({ chore }, isDone ? 0 : 1);
    },
    scheduled: (atMs) => {
      firstAtMs = atMs;
    },
    alarmed: () => alarms.inc(),
  };
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
    const { method, exchange, serviceError, arrivedAtMs } = request;
    const { statusCode } = reply;
    const status = `${Math.floor(statusCode / 100)}xx`;
    durations.observe(
      { method, route: exchange.route.url ?? 'none', status },
      (performance.now() - arrivedAtMs) / 1000,
    );
    const code: ErrorCode | string | undefined = serviceError?.code ?? codeOfStatus.get(statusCode);
    if (code !== undefined) refusals.inc({ code, reason: serviceError?.reason ?? '' });
    done();
  });
};

const watchResponses = (registry: Registry, { outgoing }: App): void => {
  new Gauge({
    name: 'itemwright_waiting_response_bytes',
    help: 'Bytes of long responses that clients have not read yet; one that many receive counts once.',
    registers: [registry],
    collect() {
      this.set(outgoing.waitingBytes);
    },
  });
  new Counter({
    name: 'itemwright_responses_cut_off_total',
    help: 'Responses that were cut off because their clients read too slowly while too many bytes waited.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(outgoing.cutOff);
    },
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

/** What is not an event, but has a value at any time. */
interface Sources {
  /** The size of the cached catalogs. */
  readonly held: () => Held;
  readonly oldestCommitMs: () => number;
  readonly clock: () => number;
}

/** Creates the metrics of the service. */
export const createMetrics = ({ held, oldestCommitMs, clock }: Sources): Metrics => {
  const registry = new Registry();
  const worker = workerNumber();
  if (worker !== undefined) registry.setDefaultLabels({ worker: String(worker) });
  collectDefaultMetrics({ register: registry });
  watchEventLoop(registry);
  watchCatalogs(registry, held);
  const own = () => registry.getMetricsAsJSON() as Promise<unknown> as Promise<MetricObject[]>;
  const others = joinMetrics(own);
  return {
    database: watchDatabase(registry, oldestCommitMs),
    chores: watchChores(registry, clock),
    serve: (app) => {
      watchRequests(registry, app);
      watchResponses(registry, app);
      app.get('/metrics', { schema: { hide: true }, config: { access: 'public' } }, async (_request, reply) => {
        const [here, elsewhere] = await Promise.all([own(), others()]);
        return reply.type(registry.contentType).send(await textOf([here, ...(elsewhere as MetricObject[][])]));
      });
    },
  };
};
