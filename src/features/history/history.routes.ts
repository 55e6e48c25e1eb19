import type { Database } from '../../database/database.ts';
import { pageOf, sendPage } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import * as contract from './history.contract.ts';
import * as service from './history.service.ts';

export const historyRoutes = (app: App, { database }: { database: Database }): void => {
  app.get('/item-instances/:id/history', { schema: contract.listHistory }, async (request, reply) => {
    const { context, params, query } = request;
    const page = await database.read((reader) => service.listHistory(reader, context, params.id, pageOf(query)));
    return sendPage(request, reply, page);
  });
};
