import type { Database } from '../../database/work.ts';
import { type App, sendParts } from '../../http/server.ts';
import * as contract from './statistics.contract.ts';
import * as service from './statistics.service.ts';

export const statisticsRoutes = (app: App, { database }: { database: Database }): void => {
  app.get('/roll-events/stats', { schema: contract.getStatistics }, ({ context, query }) =>
    database.read(context.teamId, (reader) => service.getStatistics(reader, query)),
  );

  app.get('/roll-events/drop-rates', { schema: contract.listDropRates }, async ({ context, query }, reply) =>
    sendParts(reply, await database.read(context.teamId, (reader) => service.listDropRates(reader, query))),
  );
};
