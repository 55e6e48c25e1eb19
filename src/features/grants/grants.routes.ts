import type { Database } from '../../database/work.ts';
import type { RequestRunners } from '../../http/idempotency.ts';
import type { App } from '../../http/server.ts';
import type { BalanceDeps } from '../balances/balances.service.ts';
import * as contract from './grants.contract.ts';
import * as service from './grants.service.ts';

export const grantRoutes = (
  app: App,
  { database, command, ...deps }: { readonly database: Database } & RequestRunners & BalanceDeps,
): void => {
  app.post('/users/:userId/grants', { schema: contract.createGrant }, (request, reply) =>
    command(request, reply, (work, { context, params, body }) =>
      service.createGrant(work, context, params.userId, body, deps),
    ),
  );

  app.get('/grants/:reference', { schema: contract.getGrant }, ({ context, params }) =>
    database.read(context.teamId, (reader) => service.getGrant(reader, params.reference)),
  );

  app.post('/grants/:reference/revoke', { schema: contract.revokeGrant }, (request, reply) =>
    command(request, reply, (work, { context, params }) => service.revokeGrant(work, context, params.reference, deps)),
  );
};
