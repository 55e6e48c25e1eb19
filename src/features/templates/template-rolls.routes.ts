import type { Database } from '../../database/database.ts';
import { type Command, isKeyed } from '../../http/idempotency.ts';
import { type App, sendText } from '../../http/server.ts';
import * as contract from './template-rolls.contract.ts';
import * as service from './template-rolls.service.ts';

export const templateRollRoutes = (
  app: App,
  { database, command, ...workshop }: { database: Database; command: Command } & service.TemplateWorkshop,
): void => {
  app.post('/templates/:id/roll', { schema: contract.rollTemplate }, async (request, reply) => {
    const { context, params, body } = request;
    const text = await command(request, reply, (tx) => service.rollTemplate(tx, context, params.id, body, workshop));
    return sendText(reply, text);
  });

  app.post('/templates/:id/spark', { schema: contract.sparkTemplate }, (request, reply) =>
    command(request, reply, (tx, { context, params, body }) =>
      service.sparkTemplate(tx, context, params.id, body, workshop),
    ),
  );

  app.get('/templates/:id/odds', { schema: contract.getTemplateOdds }, ({ context, params }) =>
    database.read((reader) => service.getTemplateOdds(reader, context, params.id, workshop)),
  );

  app.post('/templates/odds', { schema: contract.previewTemplateOdds }, (request, reply) =>
    isKeyed(request)
      ? command(request, reply, (tx, { context, body }) => service.previewTemplateOdds(tx, context, body, workshop))
      : database.read((reader) => service.previewTemplateOdds(reader, request.context, request.body, workshop)),
  );

  app.get('/users/:userId/templates/:id', { schema: contract.getUserTemplateState }, ({ context, params }) =>
    database.read((reader) => service.getUserTemplateState(reader, context, params, workshop)),
  );
};
