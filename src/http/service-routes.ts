import { Type } from 'typebox';
import type { Database } from '../database/work.ts';
import { ServiceError } from '../errors.ts';
import { responses } from './schemas.ts';
import type { App } from './server.ts';

const HealthStatus = Type.Object({ status: Type.Literal('ok') });
const tags = ['Service'];
const open = { config: { access: 'public' } } as const;

/** Concurrent requests share one check of the database. */
const createReadiness = (database: Database): (() => Promise<unknown>) => {
  let asked: Promise<unknown> | undefined;
  return () => {
    asked ??= database.ready().finally(() => {
      asked = undefined;
    });
    return asked;
  };
};

/** Health checks, without authorization. */
export const serviceRoutes = (app: App, { database }: { database: Database }): void => {
  app.get(
    '/healthz',
    {
      schema: {
        operationId: 'getHealth',
        summary: 'Check that the process is up',
        description: 'For liveness probes. Needs no authorization and does not touch the database.',
        tags,
        security: [],
        response: responses('The process is up.', HealthStatus),
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
        summary: 'Check that requests can be served',
        description:
          'For readiness probes: the database accepts writes, and the service has not been told to stop. Needs no authorization.',
        tags,
        security: [],
        response: responses('Requests can be served.', HealthStatus, 503),
      },
      ...open,
    },
    async () => {
      if (app.isStopping()) throw new ServiceError('SERVICE_UNAVAILABLE');
      await readiness();
      return { status: 'ok' as const };
    },
  );
};
