import type { Database } from '../../database/database.ts';
import { inGroups } from '../../database/groups.ts';
import { type App, sendText } from '../../http/server.ts';
import type { Workshop } from '../item-instances/item-instances.service.ts';
import * as contract from './rolls.contract.ts';
import * as service from './rolls.service.ts';

export const rollRoutes = (app: App, { database, ...workshop }: { database: Database } & Workshop): void => {
  const rollPlain = inGroups<service.PlainRoll, string>(database, (tx, teamId, rolls) =>
    service.rollPlain(tx, teamId, rolls, workshop),
  );

  app.post('/items/roll', { schema: contract.rollItem }, async ({ context, body }, reply) => {
    const { userId } = body ?? {};
    if (userId !== undefined)
      return database.write((tx) => service.rollForUser(tx, context, { ...body, userId }, workshop));
    return sendText(reply, await rollPlain(context.teamId, { nowMs: context.nowMs, request: body ?? null }));
  });

  app.get('/items/odds', { schema: contract.listItemOdds }, ({ context }) =>
    database.read((reader) => service.listItemOdds(reader, context, workshop.catalogs)),
  );
};
