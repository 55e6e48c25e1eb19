import type { RequestRunners } from '../../http/idempotency.ts';
import type { App } from '../../http/server.ts';
import * as contract from './user-deletion.contract.ts';
import { deleteUser } from './user-deletion.service.ts';

export const userDeletionRoutes = (app: App, { inTransaction }: RequestRunners): void => {
  app.delete('/users', { schema: contract.deleteUserByQuery }, async (request) => {
    await inTransaction(request, (tx, { context, query }) => deleteUser(tx, context, query.id));
    return {};
  });

  app.delete('/users/:userId', { schema: contract.deleteUser }, async (request) => {
    await inTransaction(request, (tx, { context, params }) => deleteUser(tx, context, params.userId));
    return {};
  });
};
