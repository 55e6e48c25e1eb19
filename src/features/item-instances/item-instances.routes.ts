import type { Database } from '../../database/database.ts';
import type { Command } from '../../http/idempotency.ts';
import { pageOf, sendPage } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import * as contract from './item-instances.contract.ts';
import * as service from './item-instances.service.ts';
import { listItemInstanceSpaces } from './placements.service.ts';

export const itemInstanceRoutes = (
  app: App,
  { database, command, ...workshop }: { database: Database; command: Command } & service.Workshop,
): void => {
  app.post('/item-instances', { schema: contract.createItemInstance }, (request, reply) =>
    command(request, reply, (tx, { context, body }) => service.createItemInstance(tx, context, body, workshop)),
  );

  app.get('/item-instances', { schema: contract.listItemInstances }, async (request, reply) => {
    const { context, query } = request;
    const page = await database.read((reader) => service.listItemInstances(reader, context, query, pageOf(query)));
    return sendPage(request, reply, page);
  });

  app.get('/item-instances/:id', { schema: contract.getItemInstance }, ({ context, params }) =>
    database.read((reader) => service.getItemInstance(reader, context, params.id)),
  );

  app.delete('/item-instances/:id', { schema: contract.deleteItemInstance }, async ({ context, params }) => {
    await database.write((tx) => service.deleteItemInstance(tx, context, params.id));
    return {};
  });

  app.post('/item-instances/:id/move', { schema: contract.moveItemInstance }, (request, reply) =>
    command(request, reply, (tx, { context, params, body }) => service.moveItemInstance(tx, context, params.id, body)),
  );

  app.get('/item-instance-spaces', { schema: contract.listItemInstanceSpaces }, async (request, reply) => {
    const { context, query } = request;
    const page = await database.read((reader) =>
      listItemInstanceSpaces(reader, context, query.teamUserSpaceId, pageOf(query)),
    );
    return sendPage(request, reply, page);
  });
};
