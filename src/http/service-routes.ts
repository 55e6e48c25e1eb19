import type { Logger } from 'pino';
import { Type } from 'typebox';
import type { Database } from '../database/work.ts';
import { ServiceError } from '../shared/errors.ts';
import { VERSION } from '../shared/program.ts';
import { responses } from './schemas.ts';
import type { App } from './server.ts';

const status = Type.Literal('ok');
const Health = Type.Object({
  status,
  version: Type.String({ description: 'The version of Itemwright that the process runs.' }),
});
const Readiness = Type.Object({ status });
const tags = ['Service'];
/** Probes have no limit: they cost next to nothing, and a flood from the same address must not make a node look dead. */
const open = { config: { access: 'public', isProbe: true } } as const;

/** Each fails if it is the reason that requests cannot be served. */
type Checks = Readonly<Record<string, () => Promise<void>>>;

/** Runs all checks in order, and logs it when the outcome is another than before. */
const createReadiness = (logger: Logger, checks: Checks): (() => Promise<void>) => {
  let reasonBefore: string | undefined;
  const note = (reason: string | undefined, error?: unknown): void => {
    if (reason === reasonBefore) return;
    reasonBefore = reason;
    if (reason === undefined) logger.info('ready again');
    else logger.warn({ reason, err: error }, 'not ready');
  };
  return async () => {
    for (const [reason, check] of Object.entries(checks)) {
      try {
        await check();
      } catch (error) {
        note(reason, error);
        throw error;
      }
    }
    note(undefined);
  };
};

/** Health checks, without authorization. */
export const serviceRoutes = (app: App, { database, logger }: { database: Database; logger: Logger }): void => {
  app.get(
    '/healthz',
    {
      schema: {
        operationId: 'getHealth',
        summary: 'Check that the process is up',
        description: 'For liveness probes. Needs no authorization and does not touch the database.',
        tags,
        security: [],
        response: responses('The process is up.', Health),
      },
      ...open,
    },
    async () => ({ status: 'ok' as const, version: VERSION }),
  );

  const readiness = createReadiness(logger, {
    stopping: async () => {
      if (app.isStopping()) throw new ServiceError('SERVICE_UNAVAILABLE');
    },
    schema: async () => database.assertSchema(),
    database: database.ready,
  });
  app.get(
    '/readyz',
    {
      schema: {
        operationId: 'getReadiness',
        summary: 'Check that requests can be served',
        description:
          'For readiness probes: writes get through to the database, no newer version has migrated it, and the service has not been told to stop. Needs no authorization.',
        tags,
        security: [],
        response: responses('Requests can be served.', Readiness, 503),
      },
      ...open,
    },
    async () => {
      await readiness();
      return { status: 'ok' as const };
    },
  );
};
