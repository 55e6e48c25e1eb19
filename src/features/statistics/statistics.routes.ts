import type { Database } from '../../database/work.ts';
import type { App } from '../../http/server.ts';
import type { Catalogs } from '../catalog/catalog.service.ts';
import * as contract from './statistics.contract.ts';
import * as service from './statistics.service.ts';

export const statisticsRoutes = (
  app: App,
  { database, catalogs }: { database: Database; catalogs: Catalogs },
): void => {
  app.get('/roll-events/stats', { schema: contract.getStatistics }, ({ context, query }) =>
    database.read(context.teamId, (reader) => service.getStatistics(reader, context, query)),
  );

  app.get('/roll-events/drop-rates', { schema: contract.listDropRates }, ({ context, query }) =>
    database.read(context.teamId, (reader) => service.listDropRates(reader, context, query, catalogs)),
  );
};
