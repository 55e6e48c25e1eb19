import type { Database } from '../../database/database.ts';
import type { App } from '../../http/server.ts';
import type { Workshop } from '../item-instances/item-instances.service.ts';
import * as contract from './rolls.contract.ts';
import * as service from './rolls.service.ts';

export const rollRoutes = (app: App, { database, ...workshop }: { database: Database } & Workshop): void => {
  app.post('/items/roll', { schema: contract.rollItem }, ({ context, body }) =>
    database.write((tx) => service.rollItem(tx, context, body ?? null, workshop)),
  );

  app.get('/items/odds', { schema: contract.listItemOdds }, ({ context }) =>
    database.read((reader) => service.listItemOdds(reader, context, workshop.catalogs)),
  );
};
