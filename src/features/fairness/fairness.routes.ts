import type { Database } from '../../database/work.ts';
import type { RequestRunners } from '../../http/idempotency.ts';
import type { App } from '../../http/server.ts';
import * as contract from './fairness.contract.ts';
import * as service from './fairness.service.ts';

export const fairnessRoutes = (
  app: App,
  { database, command, ...deps }: { database: Database } & RequestRunners & service.FairnessDeps,
): void => {
  app.post('/users/:userId/fairness', { schema: contract.startFairness }, (request, reply) =>
    command(request, reply, (work, { context, params }) => service.startFairness(work, context, params.userId, deps)),
  );

  app.get('/users/:userId/fairness', { schema: contract.getFairness }, ({ context, params }) =>
    database.read(context.teamId, (reader) => service.getFairness(reader, params.userId, deps)),
  );

  app.post('/users/:userId/fairness/rotate', { schema: contract.rotateFairness }, (request, reply) =>
    command(request, reply, (work, { context, params, body }) =>
      service.rotateFairness(work, context, params.userId, body, deps),
    ),
  );
};
