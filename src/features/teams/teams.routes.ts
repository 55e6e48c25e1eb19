import type { Database } from '../../database/work.ts';
import type { Authorizer } from '../../http/authorization.ts';
import { rejectIdempotencyKey } from '../../http/idempotency.ts';
import type { App } from '../../http/server.ts';
import * as contract from './teams.contract.ts';
import * as service from './teams.service.ts';

export const teamRoutes = (
  app: App,
  { database, authorizer }: { database: Database; authorizer: Authorizer },
): void => {
  app.get('/team', { schema: contract.getTeam }, ({ context }) =>
    database.read(context.teamId, (reader) => service.getTeam(reader, context)),
  );

  app.post('/secrets', { schema: contract.createSecret, config: { access: 'admin' } }, (request) => {
    rejectIdempotencyKey(request);
    return database.transaction(request.context.teamId, (tx) =>
      service.createSecret(tx, request.context, request.body),
    );
  });

  app.get('/secrets', { schema: contract.listSecrets, config: { access: 'admin' } }, ({ context }) =>
    database.read(context.teamId, (reader) => service.listSecrets(reader, context)),
  );

  app.delete(
    '/secrets/:id',
    { schema: contract.revokeSecret, config: { access: 'admin' } },
    async ({ context, params }) => {
      await database.transaction(context.teamId, (tx) => service.revokeSecret(tx, context, params.id));
      authorizer.forget(context.teamId, params.id);
      return {};
    },
  );
};
