import type { Database } from '../../database/work.ts';
import { disconnectSignal } from '../../http/disconnect.ts';
import { hasIdempotencyKey, type RequestRunners } from '../../http/idempotency.ts';
import { type App, sendText } from '../../http/server.ts';
import * as contract from './template-rolls.contract.ts';
import * as service from './template-rolls.service.ts';

export const templateRollRoutes = (
  app: App,
  { database, command, ...deps }: { database: Database } & RequestRunners & service.TemplateRollDeps,
): void => {
  app.post('/templates/:id/roll', { schema: contract.rollTemplate }, async (request, reply) => {
    const { context, params, body } = request;
    const text = await command(request, reply, (work) => service.rollTemplate(work, context, params.id, body, deps));
    return sendText(reply, text);
  });

  app.post('/templates/:id/spark', { schema: contract.sparkTemplate }, (request, reply) =>
    command(request, reply, (work, { context, params, body }) =>
      service.sparkTemplate(work, context, params.id, body, deps),
    ),
  );

  app.get('/templates/:id/odds', { schema: contract.getTemplateOdds }, async ({ context, params, query }, reply) => {
    const asked = { id: params.id, depth: query.depth };
    return sendText(reply, await service.getTemplateOdds(database.read, context, asked, deps, disconnectSignal(reply)));
  });

  app.post(
    '/templates/odds',
    { schema: contract.previewTemplateOdds, config: { access: 'catalog' } },
    async (request, reply) => {
      const { context, body } = request;
      const signal = disconnectSignal(reply);
      const text = hasIdempotencyKey(request)
        ? await command(request, reply, service.keepPreviewOfOdds(database.read, context, body, deps, signal))
        : await service.previewTemplateOdds(database.read, context, body, deps, signal);
      return sendText(reply, text);
    },
  );

  app.get('/users/:userId/templates/:id', { schema: contract.getUserTemplateState }, ({ context, params }) =>
    database.read(context.teamId, (reader) => service.getUserTemplateState(reader, context, params, deps)),
  );
};
