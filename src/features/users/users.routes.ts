import type { Database } from '../../database/work.ts';
import type { RequestRunners } from '../../http/idempotency.ts';
import { pageOf, sendPage } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import * as contract from './users.contract.ts';
import * as service from './users.service.ts';

export const userRoutes = (app: App, { database, command }: { database: Database } & RequestRunners): void => {
  app.post('/users', { schema: contract.createUser }, (request, reply) =>
    command(request, reply, (work, { context, body }) => service.createUser(work, context, body)),
  );

  app.get('/users', { schema: contract.listUsers }, async (request, reply) => {
    const { context, query } = request;
    return sendPage(
      request,
      reply,
      await database.read(context.teamId, (reader) => service.listUsers(reader, query, pageOf(query))),
    );
  });

  app.get('/users/:userId', { schema: contract.getUser }, ({ context, params }) =>
    database.read(context.teamId, (reader) => service.getUser(reader, params.userId)),
  );
};
