import type { Database } from '../../database/database.ts';
import type { Command } from '../../http/idempotency.ts';
import type { App } from '../../http/server.ts';
import * as contract from './bags.contract.ts';
import * as service from './bags.service.ts';

export const bagRoutes = (app: App, { database, command }: { database: Database; command: Command }): void => {
  app.get('/users/:userId/spaces/:id', { schema: contract.getBag }, ({ context, params }) =>
    database.read((reader) => service.getBag(reader, context, params)),
  );

  app.post('/users/:userId/spaces/:id/sort', { schema: contract.sortBag }, (request, reply) =>
    command(request, reply, (tx, { context, params }) => service.sortBag(tx, context, params)),
  );
};
