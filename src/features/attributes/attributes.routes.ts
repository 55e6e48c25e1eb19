import type { Database } from '../../database/work.ts';
import type { RequestRunners } from '../../http/idempotency.ts';
import { pageOf, sendPage } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import * as contract from './attributes.contract.ts';
import * as service from './attributes.service.ts';

export const attributeRoutes = (
  app: App,
  { database, change, inTransaction }: { database: Database } & RequestRunners,
): void => {
  app.post('/attributes', { schema: contract.createAttribute }, (request, reply) =>
    change(request, reply, (tx, { context, body }) => service.createAttribute(tx, context, body)),
  );

  app.get('/attributes', { schema: contract.listAttributes }, async (request, reply) => {
    const { context, query } = request;
    const page = await database.read(context.teamId, (reader) =>
      service.listAttributes(reader, context, query, pageOf(query)),
    );
    return sendPage(request, reply, page);
  });

  app.put('/attributes/:id', { schema: contract.updateAttribute }, (request) =>
    inTransaction(request, (tx, { context, params, body }) => service.updateAttribute(tx, context, params.id, body)),
  );

  app.delete('/attributes/:id', { schema: contract.deleteAttribute }, async (request) => {
    await inTransaction(request, (tx, { context, params }) => service.deleteAttribute(tx, context, params.id));
    return {};
  });
};
