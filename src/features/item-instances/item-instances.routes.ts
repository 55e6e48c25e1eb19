import type { Database } from '../../database/work.ts';
import { sendEtag } from '../../http/etag.ts';
import type { RequestRunners } from '../../http/idempotency.ts';
import { pageOf, sendPage, sendTextPage } from '../../http/paging.ts';
import { type App, sendText } from '../../http/server.ts';
import { listHistory } from '../history/history.contract.ts';
import * as contract from './item-instances.contract.ts';
import * as service from './item-instances.service.ts';
import { getItemInstance, listItemInstances } from './listing.service.ts';
import { listDeleted, restoreItemInstance } from './restoring.service.ts';
import { etagOfResult } from './updating.service.ts';

type Parts = { readonly database: Database } & RequestRunners & service.InstanceDeps;

export const itemInstanceRoutes = (
  app: App,
  { database, command, draw, inSharedTransaction, ...deps }: Parts,
): void => {
  const { catalogs } = deps;

  app.post('/item-instances', { schema: contract.createItemInstance }, (request, reply) =>
    draw(request, reply, (work, { context, body }) => service.createItemInstance(work, context, body, deps)),
  );

  app.get('/item-instances', { schema: contract.listItemInstances }, async (request, reply) => {
    const { context, query } = request;
    const page = await database.read(context.teamId, (reader) =>
      listItemInstances(reader, query, pageOf(query), catalogs),
    );
    return sendTextPage(request, reply, page);
  });

  app.get('/item-instances/:id', { schema: contract.getItemInstance }, async ({ context, params }, reply) => {
    const { text, etag } = await database.read(context.teamId, (reader) =>
      getItemInstance(reader, params.id, catalogs),
    );
    return sendText(reply.header('etag', etag), text);
  });

  app.patch(
    '/item-instances/:id',
    { schema: contract.updateItemInstance, onSend: sendEtag(etagOfResult) },
    (request, reply) =>
      command(request, reply, (work, { context, params, body, headers }) =>
        service.updateItemInstance(work, context, params.id, { ...body, ifMatch: headers['if-match'] }, deps),
      ),
  );

  app.delete('/item-instances/:id', { schema: contract.deleteItemInstance }, (request) =>
    inSharedTransaction(request, (work, { context, params }) =>
      service.deleteItemInstance(work, context, params.id, deps),
    ),
  );

  app.get('/users/:userId/deleted-item-instances', { schema: contract.listDeleted }, async (request, reply) => {
    const { context, params, query } = request;
    const page = await database.read(context.teamId, (reader) =>
      listDeleted(reader, context, params.userId, pageOf(query)),
    );
    return sendPage(request, reply, page);
  });

  app.post('/item-instances/:id/restore', { schema: contract.restoreItemInstance }, (request, reply) =>
    command(request, reply, (work, { context, params }) => restoreItemInstance(work, context, params.id, deps)),
  );

  app.post('/item-instances/:id/move', { schema: contract.moveItemInstance }, (request, reply) =>
    command(request, reply, (work, { context, params, body }) =>
      service.moveItemInstance(work, context, params.id, body, deps),
    ),
  );

  app.post('/item-instances/:id/take-out', { schema: contract.takeOutItemInstance }, (request, reply) =>
    command(request, reply, (work, { context, params, body }) =>
      service.takeOutItemInstance(work, context, params.id, body, deps),
    ),
  );

  app.post('/item-instances/:id/transfer', { schema: contract.transferItemInstance }, (request, reply) =>
    command(request, reply, (work, { context, params, body }) =>
      service.transferItemInstance(work, context, params.id, body, deps),
    ),
  );

  app.get('/item-instances/:id/history', { schema: listHistory }, async (request, reply) => {
    const { context, params, query } = request;
    const page = await database.read(context.teamId, (reader) =>
      service.listItemInstanceHistory(reader, params.id, pageOf(query)),
    );
    return sendPage(request, reply, page);
  });
};
