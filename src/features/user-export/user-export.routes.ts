import type { Database } from '../../database/work.ts';
import { type App, sendParts } from '../../http/server.ts';
import type { Catalogs } from '../compiled-catalog/compiled-catalog.service.ts';
import * as contract from './user-export.contract.ts';
import { exportUser } from './user-export.service.ts';

export const userExportRoutes = (
  app: App,
  { database, catalogs }: { database: Database; catalogs: Catalogs },
): void => {
  app.get('/users/:userId/export', { schema: contract.exportUser }, ({ context, params }, reply) => {
    reply.header('content-disposition', 'attachment; filename="player.json"');
    return sendParts(reply, exportUser(database.read, context, params.userId, catalogs));
  });
};
