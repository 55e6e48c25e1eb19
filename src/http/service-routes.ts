import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { Type } from 'typebox';
import type { Database } from '../database/work.ts';
import { ServiceError } from '../errors.ts';
import { answers } from './schemas.ts';
import type { App } from './server.ts';

const Well = Type.Object({ status: Type.Literal('ok') });
const tags = ['Service'];
const open = { config: { access: 'public' } } as const;

/** Asks whether the database answers, once for all who want to know at the same time. */
const createReadiness = (database: Database): (() => Promise<unknown>) => {
  let asked: Promise<unknown> | undefined;
  return () => {
    asked ??= database.ready().finally(() => {
      asked = undefined;
    });
    return asked;
  };
};

/** What those who run the service ask it, without authorization. */
export const serviceRoutes = (app: App, { database, metrics }: { database: Database; metrics: boolean }): void => {
  app.get(
    '/healthz',
    {
      schema: {
        operationId: 'getHealth',
        summary: 'Whether the process is up',
        tags,
        security: [],
        response: { 200: Well },
      },
      ...open,
    },
    async () => ({ status: 'ok' as const }),
  );

  const readiness = createReadiness(database);
  app.get(
    '/readyz',
    {
      schema: {
        operationId: 'getReadiness',
        summary: 'Whether requests are welcome: the database accepts writes, and the service was not told to stop',
        tags,
        security: [],
        response: answers(Well, 503),
      },
      ...open,
    },
    async () => {
      if (app.isStopping()) throw new ServiceError('SERVICE_UNAVAILABLE');
      await readiness();
      return { status: 'ok' as const };
    },
  );

  if (metrics) serveMetrics(app);
};

const serveMetrics = (app: App): void => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'itemwright_request_seconds',
    help: 'Time to answer a request.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions } = request;
    const seconds = (performance.now() - request.arrivedAtMs) / 1000;
    durations.observe({ method, route: routeOptions.url ?? 'none', status: reply.statusCode }, seconds);
  });
  app.get('/metrics', { schema: { hide: true }, ...open }, async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
};
