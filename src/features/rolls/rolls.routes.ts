import type { Database } from '../../database/database.ts';
import { inGroups } from '../../database/groups.ts';
import { type Command, isKeyed } from '../../http/idempotency.ts';
import { type App, sendText } from '../../http/server.ts';
import type { Workshop } from '../item-instances/item-instances.service.ts';
import * as contract from './rolls.contract.ts';
import * as service from './rolls.service.ts';

export const rollRoutes = (
  app: App,
  { database, command, ...workshop }: { database: Database; command: Command } & Workshop,
): void => {
  const rollPlain = inGroups<service.PlainRoll, string>(async (teamId, take) => {
    const made = await database.alone?.((queries) => service.rollPlainAlone(queries, teamId, take(), workshop));
    return made ?? database.write((tx) => service.rollPlain(tx, teamId, take(), workshop));
  });

  app.post('/items/roll', { schema: contract.rollItem }, async (request, reply) => {
    const { context, body } = request;
    const { userId } = body ?? {};
    if (userId !== undefined) {
      const kept = { ...body, userId };
      const answer = await command(request, reply, (tx) => service.rollForUser(tx, context, kept, workshop));
      return sendText(reply, answer);
    }
    const roll = { nowMs: context.nowMs, request: body ?? null };
    // What is to be stored with its key has a transaction of its own.
    const text = isKeyed(request)
      ? await command(request, reply, (tx) => service.rollPlainOnce(tx, context.teamId, roll, workshop))
      : await rollPlain(context.teamId, roll);
    return sendText(reply, text);
  });

  app.get('/items/odds', { schema: contract.listItemOdds }, ({ context }) =>
    database.read((reader) => service.listItemOdds(reader, context, workshop.catalogs)),
  );
};
