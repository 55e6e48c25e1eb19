import type { Database } from '../../database/database.ts';
import type { App } from '../../http/server.ts';
import * as contract from './bags.contract.ts';
import * as service from './bags.service.ts';

export const bagRoutes = (app: App, { database }: { database: Database }): void => {
  app.get('/users/:userId/spaces/:id', { schema: contract.getBag }, ({ context, params }) =>
    database.read((reader) => service.getBag(reader, context, params)),
  );

  app.post('/users/:userId/spaces/:id/sort', { schema: contract.sortBag }, ({ context, params }) =>
    database.write((tx) => service.sortBag(tx, context, params)),
  );
};
