import type { Database } from '../../database/work.ts';
import type { App } from '../../http/server.ts';
import * as contract from './user-deletion.contract.ts';
import { deleteUser } from './user-deletion.service.ts';

export const userDeletionRoutes = (app: App, { database }: { database: Database }): void => {
  app.delete('/users', { schema: contract.deleteUserByQuery }, async ({ context, query }) => {
    await database.transaction(context.teamId, (tx) => deleteUser(tx, context, query.id));
    return {};
  });

  app.delete('/users/:userId', { schema: contract.deleteUser }, async ({ context, params }) => {
    await database.transaction(context.teamId, (tx) => deleteUser(tx, context, params.userId));
    return {};
  });
};
