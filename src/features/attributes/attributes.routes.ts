import type { Database } from '../../database/database.ts';
import type { Command } from '../../http/idempotency.ts';
import { pageOf, sendPage } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import * as contract from './attributes.contract.ts';
import * as service from './attributes.service.ts';

export const attributeRoutes = (app: App, { database, command }: { database: Database; command: Command }): void => {
  app.post('/attributes', { schema: contract.createAttribute }, (request, reply) =>
    command(request, reply, (tx, { context, body }) => service.createAttribute(tx, context, body)),
  );

  app.get('/attributes', { schema: contract.listAttributes }, async (request, reply) => {
    const { context, query } = request;
    const page = await database.read((reader) => service.listAttributes(reader, context, query, pageOf(query)));
    return sendPage(request, reply, page);
  });

  app.put('/attributes/:id', { schema: contract.updateAttribute }, ({ context, params, body }) =>
    database.write((tx) => service.updateAttribute(tx, context, params.id, body)),
  );

  app.delete('/attributes/:id', { schema: contract.deleteAttribute }, async ({ context, params }) => {
    await database.write((tx) => service.deleteAttribute(tx, context, params.id));
    return {};
  });
};
