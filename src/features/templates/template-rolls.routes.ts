import type { Database } from '../../database/work.ts';
import { disconnectSignal } from '../../http/disconnect.ts';
import type { RequestRunners } from '../../http/idempotency.ts';
import { pageOf, sendTextPage } from '../../http/paging.ts';
import { type App, sendText } from '../../http/server.ts';
import type { KeptOdds } from './kept-odds.service.ts';
import * as contract from './template-rolls.contract.ts';
import * as service from './template-rolls.service.ts';

export const templateRollRoutes = (
  app: App,
  {
    database,
    draw,
    outsideTransactions,
    keptOdds,
    ...deps
  }: { database: Database; keptOdds: KeptOdds } & RequestRunners & service.TemplateRollDeps,
): void => {
  app.post('/templates/:id/roll', { schema: contract.rollTemplate }, async (request, reply) => {
    const { context, params, body } = request;
    const text = await draw(request, reply, (work, _request, limit) =>
      service.rollTemplate(work, context, params.id, body, deps, limit),
    );
    return sendText(reply, text);
  });

  app.post('/templates/:id/spark', { schema: contract.sparkTemplate }, (request, reply) =>
    draw(request, reply, (work, { context, params, body }) =>
      service.sparkTemplate(work, context, params.id, body, deps),
    ),
  );

  app.get('/templates/:id/odds', { schema: contract.getTemplateOdds }, async ({ context, params, query }, reply) => {
    const asked = { id: params.id, depth: query.depth };
    const signal = disconnectSignal(reply);
    const { config } = query;
    return sendText(
      reply,
      config === undefined
        ? await service.getTemplateOdds(database.read, context, asked, deps, signal)
        : await keptOdds.odds(database.read, context, { ...asked, config }, signal),
    );
  });

  app.get('/templates/:id/odds/history', { schema: contract.listOddsHistory }, async (request, reply) => {
    const { context, params, query } = request;
    const signal = disconnectSignal(reply);
    const page = await keptOdds.history(database.read, context, params.id, pageOf(query), signal);
    return sendTextPage(request, reply, page);
  });

  app.post(
    '/templates/odds',
    { schema: contract.previewTemplateOdds, config: { access: 'catalog' } },
    async (request, reply) => {
      const { context, body } = request;
      const signal = disconnectSignal(reply);
      const odds = outsideTransactions(request, reply, () =>
        service.previewTemplateOdds(database.read, context, body, deps, signal),
      );
      return sendText(reply, await odds);
    },
  );

  app.get('/users/:userId/templates/:id', { schema: contract.getUserTemplateState }, ({ context, params }) =>
    database.read(context.teamId, (reader) => service.getUserTemplateState(reader, context, params, deps)),
  );
};
