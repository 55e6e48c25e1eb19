import type { Database } from '../../database/work.ts';
import type { RequestRunners } from '../../http/idempotency.ts';
import { pageOf, sendPage } from '../../http/paging.ts';
import { type App, sendText } from '../../http/server.ts';
import type { Catalogs } from '../compiled-catalog/compiled-catalog.service.ts';
import * as contract from './user-space-contents.contract.ts';
import * as service from './user-space-contents.service.ts';

interface Parts extends RequestRunners {
  readonly database: Database;
  readonly catalogs: Catalogs;
  readonly pathPrefix: string;
}

export const userSpaceContentsRoutes = (
  app: App,
  { database, change, inTransaction, catalogs, pathPrefix }: Parts,
): void => {
  const deps = { catalogs, pathPrefix };
  app.get('/users/:userId/spaces', { schema: contract.listUserSpaces }, async (request, reply) => {
    const { context, params, query } = request;
    const page = await database.read(context.teamId, (reader) =>
      service.listUserSpacesWithSpaces(reader, params.userId, pageOf(query)),
    );
    return sendPage(request, reply, page);
  });

  app.get('/users/:userId/spaces/:id', { schema: contract.getUserSpace }, async ({ context, params }, reply) =>
    sendText(reply, await database.read(context.teamId, (reader) => service.getContents(reader, params, deps))),
  );

  // A user space may hold tens of thousands of item instances, so its deletion does not share a group with other
  // commands.
  app.delete('/users/:userId/spaces/:id', { schema: contract.deleteUserSpace }, async (request) => {
    await inTransaction(request, (tx, { context, params }) => service.deleteUserSpace(tx, context, params));
    return {};
  });

  app.post('/users/:userId/spaces/:id/sort', { schema: contract.sortUserSpace }, async (request, reply) =>
    sendText(
      reply,
      await change(request, reply, (tx, { context, params }) => service.sortContents(tx, context, params, deps)),
    ),
  );
};
