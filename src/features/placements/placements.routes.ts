import type { Database } from '../../database/work.ts';
import { pageOf, sendPage } from '../../http/paging.ts';
import type { App } from '../../http/server.ts';
import type { Catalogs } from '../compiled-catalog/compiled-catalog.service.ts';
import * as contract from './placements.contract.ts';
import * as service from './placements.service.ts';

export const placementRoutes = (app: App, parts: { database: Database; catalogs: Catalogs }): void => {
  app.get('/item-instance-spaces', { schema: contract.listItemInstanceSpaces }, async (request, reply) => {
    const { context, query } = request;
    const page = await parts.database.read(context.teamId, (reader) =>
      service.listItemInstanceSpaces(reader, query.teamUserSpaceId, pageOf(query), parts),
    );
    return sendPage(request, reply, page);
  });
};
