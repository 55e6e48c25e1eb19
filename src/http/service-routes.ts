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
export const serviceRoutes = (app: App, { database }: { database: Database }): void => {
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
};
