import type { Database } from '../../database/work.ts';
import { type Carriers, isKeyed } from '../../http/idempotency.ts';
import { type App, sendText } from '../../http/server.ts';
import * as contract from './template-rolls.contract.ts';
import * as service from './template-rolls.service.ts';

export const templateRollRoutes = (
  app: App,
  { database, command, ...workshop }: { database: Database } & Carriers & service.TemplateWorkshop,
): void => {
  app.post('/templates/:id/roll', { schema: contract.rollTemplate }, async (request, reply) => {
    const { context, params, body } = request;
    const text = await command(request, reply, (work) =>
      service.rollTemplate(work, context, params.id, body, workshop),
    );
    return sendText(reply, text);
  });

  app.post('/templates/:id/spark', { schema: contract.sparkTemplate }, (request, reply) =>
    command(request, reply, (work, { context, params, body }) =>
      service.sparkTemplate(work, context, params.id, body, workshop),
    ),
  );

  app.get('/templates/:id/odds', { schema: contract.getTemplateOdds }, ({ context, params }) =>
    database.read(context.teamId, (reader) => service.getTemplateOdds(reader, params.id, workshop)),
  );

  app.post('/templates/odds', { schema: contract.previewTemplateOdds }, (request, reply) =>
    isKeyed(request)
      ? command(request, reply, (work, { body }) => service.previewTemplateOdds(work, body, workshop))
      : database.read(request.context.teamId, (reader) => service.previewTemplateOdds(reader, request.body, workshop)),
  );

  app.get('/users/:userId/templates/:id', { schema: contract.getUserTemplateState }, ({ context, params }) =>
    database.read(context.teamId, (reader) => service.getUserTemplateState(reader, context, params, workshop)),
  );
};
