import type { Database } from '../../database/database.ts';
import type { App } from '../../http/server.ts';
import * as contract from './batch.contract.ts';
import * as service from './batch.service.ts';
import type { Workshop } from './item-instances.service.ts';

export const batchRoutes = (app: App, { database, ...workshop }: { database: Database } & Workshop): void => {
  app.post('/item-instances/batch', { schema: contract.runBatch }, async ({ context, body }) => {
    const operations = service.checkOperations(body.operations);
    return { results: await database.write((tx) => service.runBatch(tx, context, operations, workshop)) };
  });
};
