import type { Database } from '../../database/work.ts';
import type { Authorizer } from '../../http/authorization.ts';
import { type RequestRunners, rejectIdempotencyKey } from '../../http/idempotency.ts';
import type { App } from '../../http/server.ts';
import * as contract from './teams.contract.ts';
import * as service from './teams.service.ts';

export const teamRoutes = (
  app: App,
  { database, inTransaction, authorizer }: { database: Database; authorizer: Authorizer } & RequestRunners,
): void => {
  app.get('/team', { schema: contract.getTeam }, ({ context }) =>
    database.read(context.teamId, (reader) => service.getTeam(reader, context)),
  );

  app.put('/team', { schema: contract.updateTeam, config: { access: 'admin' } }, (request) =>
    inTransaction(request, (tx, { context, body }) => service.updateTeam(tx, context, body)),
  );

  app.post('/secrets', { schema: contract.createSecret, config: { access: 'admin' } }, (request) => {
    rejectIdempotencyKey(request);
    return inTransaction(request, (tx, { context, body }) => service.createSecret(tx, context, body));
  });

  app.get('/secrets', { schema: contract.listSecrets, config: { access: 'admin' } }, ({ context }) =>
    database.read(context.teamId, (reader) => service.listSecrets(reader, context)),
  );

  app.delete('/secrets/:id', { schema: contract.revokeSecret, config: { access: 'admin' } }, async (request) => {
    await inTransaction(request, (tx, { context, params }) => service.revokeSecret(tx, context, params.id));
    authorizer.forget(request.context.teamId, request.params.id);
    return {};
  });
};
