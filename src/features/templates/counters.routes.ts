import type { Database } from '../../database/work.ts';
import type { RequestRunners } from '../../http/idempotency.ts';
import { pageOf, sendPage } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import * as contract from './counters.contract.ts';
import * as service from './counters.service.ts';
import { explainWait } from './waits.service.ts';

export const counterRoutes = (
  app: App,
  { database, command, ...deps }: { database: Database } & RequestRunners & service.CounterDeps,
): void => {
  app.get('/users/:userId/templates/:id/wait', { schema: contract.getUserWait }, ({ context, params }) =>
    database.read(context.teamId, (reader) => explainWait(reader, params, deps)),
  );

  app.post('/users/:userId/templates/:id/counters', { schema: contract.setCounters }, (request, reply) =>
    command(request, reply, (work, { context, params, body }) =>
      service.setUserCounters(work, context, params, body, deps),
    ),
  );

  app.get('/users/:userId/counter-changes', { schema: contract.listCounterChanges }, async (request, reply) => {
    const { context, params, query } = request;
    const page = await database.read(context.teamId, (reader) =>
      service.listUserCounterChanges(reader, params.userId, pageOf(query)),
    );
    return sendPage(request, reply, page);
  });
};
