import type { Database } from '../../database/work.ts';
import type { RequestRunners } from '../../http/idempotency.ts';
import { type App, sendParts, sendText } from '../../http/server.ts';
import * as contract from './rolls.contract.ts';
import * as service from './rolls.service.ts';

export const rollRoutes = (
  app: App,
  { database, draw, ...deps }: { database: Database } & RequestRunners & service.RollDeps,
): void => {
  app.post('/items/roll', { schema: contract.rollItem }, async (request, reply) => {
    const { context, body } = request;
    return sendText(reply, await draw(request, reply, (work) => service.rollItem(work, context, body ?? null, deps)));
  });

  app.get('/items/odds', { schema: contract.listItemOdds }, async ({ context }, reply) =>
    sendParts(reply, await database.read(context.teamId, (reader) => service.listItemOdds(reader, deps.catalogs))),
  );
};
