import type { Database } from '../../database/database.ts';
import type { Command } from '../../http/idempotency.ts';
import { pageOf, sendPage } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import * as contract from './items.contract.ts';
import * as service from './items.service.ts';

export const itemRoutes = (app: App, { database, command }: { database: Database; command: Command }): void => {
  app.post('/items', { schema: contract.createItem }, (request, reply) =>
    command(request, reply, (tx, { context, body }) => service.createItem(tx, context, body)),
  );

  app.get('/items', { schema: contract.listItems }, async (request, reply) => {
    const { context, query } = request;
    return sendPage(request, reply, await database.read((reader) => service.listItems(reader, context, pageOf(query))));
  });

  app.get('/items/:id', { schema: contract.getItem }, ({ context, params }) =>
    database.read((reader) => service.getItem(reader, context, params.id)),
  );

  app.put('/items/:id', { schema: contract.updateItem }, ({ context, params, body }) =>
    database.write((tx) => service.updateItem(tx, context, params.id, body)),
  );

  app.delete('/items/:id', { schema: contract.deleteItem }, async ({ context, params }) => {
    await database.write((tx) => service.deleteItem(tx, context, params.id));
    return {};
  });
};
