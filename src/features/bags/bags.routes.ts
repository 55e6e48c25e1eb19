import type { Database } from '../../database/work.ts';
import type { RequestRunners } from '../../http/idempotency.ts';
import { pageOf, sendPage } from '../../http/paging.ts';
import { type App, sendText } from '../../http/server.ts';
import type { Catalogs } from '../catalog/catalog.service.ts';
import * as contract from './bags.contract.ts';
import * as service from './bags.service.ts';

interface Parts extends RequestRunners {
  readonly database: Database;
  readonly catalogs: Catalogs;
  readonly pathPrefix: string;
}

export const bagRoutes = (app: App, { database, change, inTransaction, catalogs, pathPrefix }: Parts): void => {
  const bags = { catalogs, pathPrefix };
  app.get('/users/:userId/spaces', { schema: contract.listUserSpaces }, async (request, reply) => {
    const { context, params, query } = request;
    const page = await database.read(context.teamId, (reader) =>
      service.listBags(reader, params.userId, pageOf(query)),
    );
    return sendPage(request, reply, page);
  });

  app.get('/users/:userId/spaces/:id', { schema: contract.getBag }, async ({ context, params }, reply) =>
    sendText(reply, await database.read(context.teamId, (reader) => service.getBag(reader, params, bags))),
  );

  // A bag may hold tens of thousands of things, so that others had better not wait for it in one group.
  app.delete('/users/:userId/spaces/:id', { schema: contract.deleteBag }, async (request) => {
    await inTransaction(request, (tx, { params }) => service.deleteBag(tx, params));
    return {};
  });

  app.post('/users/:userId/spaces/:id/sort', { schema: contract.sortBag }, async (request, reply) =>
    sendText(
      reply,
      await change(request, reply, (tx, { context, params }) => service.sortBag(tx, context, params, bags)),
    ),
  );
};
