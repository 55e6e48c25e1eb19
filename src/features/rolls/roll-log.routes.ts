import type { Database } from '../../database/work.ts';
import { pageOf, sendTextPage } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import type { Catalogs } from '../compiled-catalog/compiled-catalog.service.ts';
import * as contract from './roll-log.contract.ts';
import * as service from './roll-log.service.ts';

export const rollLogRoutes = (app: App, { database, catalogs }: { database: Database; catalogs: Catalogs }): void => {
  app.get('/roll-events', { schema: contract.listRollEvents }, async (request, reply) => {
    const { context, query } = request;
    const page = await database.read(context.teamId, (reader) =>
      service.listRollEvents(reader, query, pageOf(query), catalogs),
    );
    return sendTextPage(request, reply, page);
  });

  app.get('/users/:userId/rolls', { schema: contract.listUserRolls }, async (request, reply) => {
    const { context, params, query } = request;
    const page = await database.read(context.teamId, (reader) =>
      service.listUserRolls(reader, params.userId, query, pageOf(query), catalogs),
    );
    return sendTextPage(request, reply, page);
  });
};
