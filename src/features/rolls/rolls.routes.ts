import type { Database } from '../../database/database.ts';
import { type App, sendText } from '../../http/server.ts';
import type { Workshop } from '../item-instances/item-instances.service.ts';
import { createPlainRolls } from './plain-rolls.service.ts';
import * as contract from './rolls.contract.ts';
import * as service from './rolls.service.ts';

export const rollRoutes = (app: App, parts: { database: Database } & Workshop): void => {
  const { database } = parts;
  const rollPlain = createPlainRolls(parts);

  app.post('/items/roll', { schema: contract.rollItem }, async ({ context, body }, reply) => {
    const { userId } = body ?? {};
    if (userId !== undefined)
      return database.write((tx) => service.rollForUser(tx, context, { ...body, userId }, parts));
    return sendText(reply, await rollPlain(context, body ?? null));
  });

  app.get('/items/odds', { schema: contract.listItemOdds }, ({ context }) =>
    database.read((reader) => service.listItemOdds(reader, context, parts.catalogs)),
  );
};
