import type { Database } from '../../database/work.ts';
import type { RequestRunners } from '../../http/idempotency.ts';
import { pageOf, sendPage } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import * as contract from './balances.contract.ts';
import * as service from './balances.service.ts';

export const balanceRoutes = (
  app: App,
  { database, command, ...deps }: { readonly database: Database } & RequestRunners & service.BalanceDeps,
): void => {
  app.get('/users/:userId/balances', { schema: contract.listBalances }, ({ context, params, query }) =>
    database.read(context.teamId, (reader) => service.listBalances(reader, params.userId, query)),
  );

  app.post('/users/:userId/balances', { schema: contract.addUnits }, (request, reply) =>
    command(request, reply, (work, { context, params, body }) =>
      service.addToBalance(work, context, params.userId, body, deps),
    ),
  );

  app.post('/users/:userId/consume', { schema: contract.consume }, (request, reply) =>
    command(request, reply, (work, { context, params, body }) =>
      service.consumeUnits(work, context, params.userId, body, deps),
    ),
  );

  app.get(
    '/users/:userId/balances/:itemId/history',
    { schema: contract.listBalanceHistory },
    async (request, reply) => {
      const { context, params, query } = request;
      const page = await database.read(context.teamId, (reader) =>
        service.listBalanceHistory(reader, params, pageOf(query)),
      );
      return sendPage(request, reply, page);
    },
  );

  app.get('/balances/report', { schema: contract.reportBalances }, ({ context, query }) =>
    service.reportBalances(database.read, context, query, deps),
  );
};
