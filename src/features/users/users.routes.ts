import type { Database } from '../../database/database.ts';
import type { Command } from '../../http/idempotency.ts';
import { pageOf, sendPage } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import * as contract from './users.contract.ts';
import * as service from './users.service.ts';

export const userRoutes = (app: App, { database, command }: { database: Database; command: Command }): void => {
  app.post('/users', { schema: contract.createUser }, (request, reply) =>
    command(request, reply, (tx, { context, body }) => service.createUser(tx, context, body)),
  );

  app.get('/users', { schema: contract.listUsers }, async (request, reply) => {
    const { context, query } = request;
    return sendPage(
      request,
      reply,
      await database.read((reader) => service.listUsers(reader, context, query, pageOf(query))),
    );
  });

  app.get('/users/:userId', { schema: contract.getUser }, ({ context, params }) =>
    database.read((reader) => service.getUser(reader, context, params.userId)),
  );

  app.delete('/users', { schema: contract.deleteUserByQuery }, async ({ context, query }) => {
    await database.write((tx) => service.deleteUser(tx, context, query.id));
    return {};
  });

  app.delete('/users/:userId', { schema: contract.deleteUser }, async ({ context, params }) => {
    await database.write((tx) => service.deleteUser(tx, context, params.userId));
    return {};
  });
};
