import { sendCached } from '../../http/cached.ts';
import { disconnectSignal } from '../../http/disconnect.ts';
import type { App } from '../../http/server.ts';
import * as contract from './disclosure.contract.ts';
import { type Disclosures, PAGE_POLICY } from './disclosure.service.ts';

const config = { access: 'public' } as const;

export const disclosureRoutes = (app: App, { disclosures }: { disclosures: Disclosures }): void => {
  app.get('/public/:teamId/templates/:id/odds', { schema: contract.getPublicOdds, config }, async (request, reply) => {
    const { teamId, id } = request.params;
    return sendCached(request, reply, await disclosures.odds(teamId, id, disconnectSignal(reply)));
  });

  app.get(
    '/public/:teamId/templates/:id/history',
    { schema: contract.listPublicHistory, config },
    async (request, reply) => {
      const { teamId, id } = request.params;
      return sendCached(request, reply, await disclosures.history(teamId, id, disconnectSignal(reply)));
    },
  );

  app.get('/public/:teamId/templates/:id', { schema: contract.getPublicPage, config }, async (request, reply) => {
    const { teamId, id } = request.params;
    const page = await disclosures.page(teamId, id, disconnectSignal(reply));
    reply.header('content-security-policy', PAGE_POLICY);
    return sendCached(request, reply, page, 'text/html; charset=utf-8');
  });
};
